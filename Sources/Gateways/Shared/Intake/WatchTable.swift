import Kafka
import Support

/// Who watches what: channels by event loop, and the partitions that are read for them.
///
/// Pure bookkeeping of the intake's thread. A record's channel is found without allocating: most records of a partition
/// are of channels that no client watches.
struct WatchTable<Name: CustomStringConvertible> {
    /// A channel's name in bytes: those of the table are the channel's own, those of a record are borrowed.
    private struct Key: Hashable {
        let bytes: ByteSlice
        let owner: WatchedChannel<Name>?

        static func == (left: Key, right: Key) -> Bool { left.bytes == right.bytes }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
    }

    private struct Partition {
        /// The offset after the last record that was handed out; 0 where it begins at the end and none was.
        var next: Int64
        /// Subscriptions that have it.
        var watchers: Int
    }

    /// What a record is to those who watch.
    enum Advance {
        /// The next record.
        case next
        /// A record of a partition that is not read.
        case unread
        /// A record below the one before: the topic was created anew, or has lost its end. It is the next one of another
        /// sequence of offsets.
        case restart
    }

    private let loops: Int
    private var channels: [Key: WatchedChannel<Name>] = [:]
    private var partitions: [Int32: Partition] = [:]

    init(loops: Int) { self.loops = loops }

    /// The channel whose records have this key; `nil` where it is not watched.
    func channel(_ key: ByteSlice) -> WatchedChannel<Name>? { channels[Key(bytes: key, owner: nil)] }

    /// How many channels are watched.
    var channelCount: Int { channels.count }

    /// How many partitions are read.
    var partitionCount: Int { partitions.count }

    /// Adds a subscription's interest in some partitions of a channel.
    ///
    /// `starts`: where to begin with each partition that is not read yet.
    /// - Returns: from which offset on each partition's records reach the subscription, and the partitions to be read
    ///   from now on.
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

    /// Takes interest back: `times` calls of ``watch(_:loop:_:)``, by which `partitions` were watched.
    mutating func unwatch(_ name: Name, loop: Int, times: Int, _ partitions: some Collection<Int32>) {
        for partition in partitions { self.partitions[partition]?.watchers -= 1 }
        guard let channel = ByteSlice.withBytes(of: name.description, { self.channel($0) }) else { return }
        channel.subscriptions[loop] -= times
        if !channel.isWatched { channels[Key(bytes: channel.key, owner: nil)] = nil }
    }

    /// Counts a record of a partition as handed out.
    ///
    /// The client library repeats no record of a partition while that is read, so one below `next` is of another
    /// sequence of offsets.
    mutating func advance(_ partition: Int32, past offset: Int64) -> Advance {
        guard let next = partitions[partition]?.next else { return .unread }
        partitions[partition]?.next = offset + 1
        return offset < next ? .restart : .next
    }

    /// Forgets the partitions that no subscription has, and returns them.
    mutating func takeIdlePartitions() -> [Int32] {
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
    /// `nil` where the broker knows it.
    fileprivate var offset: Int64? {
        if case .offset(let offset) = self { return offset }
        return nil
    }
}
