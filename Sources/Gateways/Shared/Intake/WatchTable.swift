import Kafka
import Support

/// Tracks which channels each event loop watches and which partitions they need.
///
/// Used on the thread of the intake only. A record's channel is looked up without allocating, because most records of a
/// partition belong to channels without a subscriber.
final class WatchTable<Name: CustomStringConvertible> {
    private struct Partition {
        /// Offset after the last dispatched record; before the first one the start offset, or 0 if that is unknown.
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
    private var keys = KeyTable()
    /// Channels by the index of their key.
    private var channels: [WatchedChannel<Name>?] = []
    private var partitions: [Int32: Partition] = [:]

    init(loops: Int) { self.loops = loops }

    /// Returns the channel of a record's key; `nil` if it has no subscriber.
    func channel(_ key: ByteSlice) -> WatchedChannel<Name>? { keys.find(key).flatMap { channels[$0] } }

    var channelCount: Int { keys.count }

    var partitionCount: Int { partitions.count }

    /// Registers a subscription for some partitions of a channel.
    ///
    /// `starts` are the start positions of partitions that are not read yet.
    /// - Returns: for each partition, the offset from which the subscription gets records; and the partitions to add.
    func watch(
        _ name: Name, loop: Int, _ starts: [Int32: KafkaPosition]
    ) -> (offsets: [Int32: Int64], new: [Int32: KafkaPosition]) {
        let (index, isNew) = ByteSlice.withBytes(of: name.description) { keys.insert($0) }
        if index == channels.count { channels.append(nil) }
        if isNew {
            channels[index] = WatchedChannel(name: name, subscriptions: Array(repeating: 0, count: loops))
        }
        channels[index]?.subscriptions[loop] += 1
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
    func unwatch(_ name: Name, loop: Int, count: Int, _ partitions: some Collection<Int32>) {
        for partition in partitions { self.partitions[partition]?.watchers -= 1 }
        guard let index = ByteSlice.withBytes(of: name.description, { keys.find($0) }) else { return }
        channels[index]?.subscriptions[loop] -= count
        if channels[index]?.subscriptions.contains(where: { $0 > 0 }) == true { return }
        channels[index] = nil
        keys.remove(at: index)
    }

    /// Advances a partition past a record that is dispatched now.
    ///
    /// librdkafka does not repeat records of an assigned partition, so a lower offset means that the offsets restarted.
    func advance(_ partition: Int32, past offset: Int64) -> Advance {
        guard let next = partitions[partition]?.next else { return .released }
        partitions[partition]?.next = offset + 1
        return offset < next ? .restart : .next
    }

    func removeIdlePartitions() -> [Int32] {
        let idle = partitions.filter { $0.value.watchers <= 0 }.map(\.key)
        for partition in idle { partitions[partition] = nil }
        return idle
    }
}

extension KafkaPosition {
    /// `nil` for the beginning or end, whose offset only the broker has.
    fileprivate var offset: Int64? {
        if case .offset(let offset) = self { return offset }
        return nil
    }
}

struct WatchedChannel<Name> {
    let name: Name
    /// Number of subscriptions, indexed by the number of the event loop.
    var subscriptions: [Int]
}
