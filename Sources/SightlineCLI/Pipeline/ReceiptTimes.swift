import Tracking

/// When the last raw records of each partition were received, to measure from.
struct ReceiptTimes: Sendable {
    private struct Partition {
        var times: [Int64: Timestamp] = [:]
        /// Updates whose raw record has not been read yet, by its offset: when they were seen.
        var waiting: [Int64: [Timestamp]] = [:]
    }

    /// Raw records remembered per partition.
    private static let remembered: Int64 = 20_000
    private var partitions: [Int32: Partition] = [:]

    /// Remembers a raw record; returns when the updates that were read before it were seen.
    mutating func note(partition: Int32, offset: Int64, at: Timestamp) -> [Timestamp] {
        partitions[partition, default: Partition()].times[offset] = at
        partitions[partition]?.times[offset - Self.remembered] = nil
        return partitions[partition]?.waiting.removeValue(forKey: offset) ?? []
    }

    /// When a raw record was received; when that is not known yet, ``note(partition:offset:at:)`` hands `seenAt` back.
    mutating func time(partition: Int32, offset: Int64, elseWaitFrom seenAt: Timestamp) -> Timestamp? {
        if let time = partitions[partition]?.times[offset] { return time }
        partitions[partition, default: Partition()].waiting[offset, default: []].append(seenAt)
        return nil
    }
}
