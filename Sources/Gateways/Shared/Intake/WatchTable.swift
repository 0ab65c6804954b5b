import Kafka
import Support

/// Table of the channels that each event loop watches, and of the partitions that they need.
///
/// Used on the thread of the intake only. A record's channel is looked up without allocating, because most records of a
/// partition belong to channels without a subscriber.
struct WatchTable<Name: CustomStringConvertible> {
    /// Bytes of a channel's name; `owner` keeps the bytes alive in the table, and is `nil` in a lookup.
    private struct Key: Hashable {
        let bytes: ByteSlice
        let owner: WatchedChannel<Name>?

        static func == (left: Key, right: Key) -> Bool { left.bytes == right.bytes }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    private struct Partition {
        /// Offset after the last dispatched record; before the first record, the start offset, or 0 if it is unknown.
        var next: Int64
        var watchers: Int
    }

    /// Relation of a record to the records dispatched before.
    enum Advance {
        case next
        /// The partition was removed; the record was already fetched.
        case released
        /// The offset is lower than expected: the topic was recreated or truncated.
        case restart
    }

    private let loops: Int
    private var channels: [Key: WatchedChannel<Name>] = [:]
    private var partitions: [Int32: Partition] = [:]

    init(loops: Int) { self.loops = loops }

    /// Returns the channel of a record's key; `nil` if it has no subscriber.
    func channel(_ key: ByteSlice) -> WatchedChannel<Name>? { channels[Key(bytes: key, owner: nil)] }

    var channelCount: Int { channels.count }

    var partitionCount: Int { partitions.count }

    /// Registers a subscription for some partitions of a channel.
    ///
    /// `starts` are the start positions of partitions that are not read yet.
    /// - Returns: for each partition, the offset from which the subscription gets records; and the partitions to add.
    mutating func watch(
        _ name: Name, loop: Int, _ starts: [Int32: KafkaPosition]
    ) -> (offsets: [Int32: Int64], new: [Int32: KafkaPosition]) {
        let channel = ByteSlice.withBytes(of: name.description) { self.channel($0) } ?? insert(name)
        channel.subscriptions[loop] += 1
        var offsets: [Int32: Int64] = [:]
        var new: [Int32: KafkaPosition] = [:]
        for (partition, start) in starts {
            if partitions[partition] == nil { new[partition] = start }
            var known = partitions[partition] ?? Partition(next: start.offset ?? 0, watchers: 0)
            known.watchers += 1
            partitions[partition] = known
            offsets[partition] = known.next
        }
        return (offsets, new)
    }

    /// Reverts `count` calls of ``watch(_:loop:_:)``, which registered `partitions`.
    mutating func unwatch(_ name: Name, loop: Int, count: Int, _ partitions: some Collection<Int32>) {
        for partition in partitions { self.partitions[partition]?.watchers -= 1 }
        guard let channel = ByteSlice.withBytes(of: name.description, { self.channel($0) }) else { return }
        channel.subscriptions[loop] -= count
        if !channel.isWatched { channels[Key(bytes: channel.key, owner: nil)] = nil }
    }

    /// Advances a partition past a record that is dispatched now.
    ///
    /// librdkafka does not repeat records of an assigned partition, so a lower offset means that the offsets restarted.
    mutating func advance(_ partition: Int32, past offset: Int64) -> Advance {
        guard let next = partitions[partition]?.next else { return .released }
        partitions[partition]?.next = offset + 1
        return offset < next ? .restart : .next
    }

    /// Removes the partitions without subscriptions, and returns them.
    mutating func removeIdlePartitions() -> [Int32] {
        let idle = partitions.filter { $0.value.watchers <= 0 }.map(\.key)
        for partition in idle { partitions[partition] = nil }
        return idle
    }

    private mutating func insert(_ name: Name) -> WatchedChannel<Name> {
        let channel = WatchedChannel(name, loops: loops)
        channels[Key(bytes: channel.key, owner: channel)] = channel
        return channel
    }
}

extension KafkaPosition {
    /// `nil` for the beginning or end, whose offset only the broker has.
    fileprivate var offset: Int64? {
        if case .offset(let offset) = self { return offset }
        return nil
    }
}

/// A watched channel and its number of subscriptions per event loop.
final class WatchedChannel<Name: CustomStringConvertible> {
    let name: Name
    /// Number of subscriptions, indexed by the number of the event loop.
    var subscriptions: [Int]
    private let storage: UnsafeMutableRawBufferPointer

    init(_ name: Name, loops: Int) {
        self.name = name
        subscriptions = Array(repeating: 0, count: loops)
        let text = name.description.utf8
        storage = .allocate(byteCount: text.count, alignment: 1)
        storage.copyBytes(from: text)
    }

    deinit { storage.deallocate() }

    var isWatched: Bool { subscriptions.contains { $0 > 0 } }

    /// Key of the channel's records; valid as long as the channel.
    var key: ByteSlice { ByteSlice(UnsafeRawBufferPointer(storage)) }
}
