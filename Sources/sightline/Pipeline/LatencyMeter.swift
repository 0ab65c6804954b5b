import Domain
import Support

/// A measurement of the time from sending raw records to reading derived records, which are read in any order.
package struct LatencyMeter: Sendable {
    private struct Partition {
        /// Send times of the last raw records, by offset.
        package var sent: [Int64: Timestamp] = [:]
        /// Read times of derived records whose raw record has not been read yet, by its offset.
        package var waiting: [Int64: [Timestamp]] = [:]
    }

    /// Maximum number of send times per partition.
    private static let retained: Int64 = 20_000
    private var partitions: [Int32: Partition] = [:]
    package private(set) var times = LatencyHistogram()
    /// Send time from which raw records count.
    package var countedFrom: Timestamp

    package init(countedFrom: Timestamp = Timestamp(milliseconds: .min)) { self.countedFrom = countedFrom }

    package mutating func recordSource(partition: Int32, offset: Int64, sentAt: Timestamp) {
        partitions[partition, default: Partition()].sent[offset] = sentAt
        partitions[partition]?.sent[offset - Self.retained] = nil
        for seenAt in partitions[partition]?.waiting.removeValue(forKey: offset) ?? [] { add(sentAt, seenAt) }
    }

    /// Records a fix's first derived record; ignores further ones, punctuations and trip messages.
    package mutating func recordOutput(_ event: EventID, seenAt: Timestamp) {
        guard event.origin == .raw, event.punctuation == 0, event.message == 0 else { return }
        if let sentAt = partitions[event.partition]?.sent[event.offset] { return add(sentAt, seenAt) }
        partitions[event.partition, default: Partition()].waiting[event.offset, default: []].append(seenAt)
    }

    private mutating func add(_ sentAt: Timestamp, _ seenAt: Timestamp) {
        if sentAt >= countedFrom { times.record(milliseconds: seenAt.milliseconds - sentAt.milliseconds) }
    }
}

/// A histogram of durations with a resolution of 1 ms.
package struct LatencyHistogram: Sendable {
    /// Maximum duration in milliseconds; longer ones count as the maximum.
    private static let longest = 60_000

    private var counts: [Int] = Array(repeating: 0, count: longest + 1)
    package private(set) var count = 0

    package init() {}

    package mutating func record(milliseconds: Int64) {
        counts[Int(min(Int64(Self.longest), max(0, milliseconds)))] += 1
        count += 1
    }

    /// Returns the percentile in milliseconds, such as 0.99 for the 99th; `nil` if the histogram is empty.
    package func percentile(_ share: Double) -> Int? {
        guard count > 0 else { return nil }
        let rank = max(1, Int((share * Double(count)).rounded(.up)))
        var seen = 0
        for (milliseconds, number) in counts.enumerated() {
            seen += number
            if seen >= rank { return milliseconds }
        }
        return nil
    }

    /// Returns the durations recorded since `earlier`, an earlier copy of this histogram.
    package func since(_ earlier: LatencyHistogram) -> LatencyHistogram {
        var rest = self
        for index in rest.counts.indices { rest.counts[index] -= earlier.counts[index] }
        rest.count -= earlier.count
        return rest
    }

    package mutating func add(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
    }

    /// Text such as `p50 12 ms, p99 40 ms`; `nil` if the histogram is empty.
    package var summary: String? {
        guard let p50 = percentile(0.5), let p99 = percentile(0.99) else { return nil }
        return "p50 \(p50) ms, p99 \(p99) ms"
    }
}
