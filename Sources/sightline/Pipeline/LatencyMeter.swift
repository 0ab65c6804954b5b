import Model
import Support

/// How long after their raw records the records of a topic could be read, whichever of both is read first.
package struct LatencyMeter: Sendable {
    private struct Partition {
        /// When the last raw records were sent, by their offsets.
        package var sent: [Int64: Timestamp] = [:]
        /// Records whose raw record has not been read yet, by its offset: when they were seen.
        package var waiting: [Int64: [Timestamp]] = [:]
    }

    /// Raw records remembered per partition.
    private static let remembered: Int64 = 20_000
    private var partitions: [Int32: Partition] = [:]
    package private(set) var times = LatencyHistogram()
    /// What was made of raw records sent before this does not count.
    package var countedFrom: Timestamp

    package init(countedFrom: Timestamp = Timestamp(milliseconds: .min)) { self.countedFrom = countedFrom }

    package mutating func noteRaw(partition: Int32, offset: Int64, sentAt: Timestamp) {
        partitions[partition, default: Partition()].sent[offset] = sentAt
        partitions[partition]?.sent[offset - Self.remembered] = nil
        for seenAt in partitions[partition]?.waiting.removeValue(forKey: offset) ?? [] { add(sentAt, seenAt) }
    }

    /// Counts what a raw record gave rise to itself, not what the passing of time or a trip message did.
    package mutating func note(_ event: EventID, seenAt: Timestamp) {
        guard event.origin == .raw, event.punctuation == 0, event.message == 0 else { return }
        if let sentAt = partitions[event.partition]?.sent[event.offset] { return add(sentAt, seenAt) }
        partitions[event.partition, default: Partition()].waiting[event.offset, default: []].append(seenAt)
    }

    private mutating func add(_ sentAt: Timestamp, _ seenAt: Timestamp) {
        if sentAt >= countedFrom { times.note(milliseconds: seenAt.milliseconds - sentAt.milliseconds) }
    }
}
