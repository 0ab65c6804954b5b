/// How long something took, many times over, to the millisecond.
package struct LatencyHistogram: Sendable {
    /// Anything longer counts as this, in milliseconds.
    private static let longest = 60_000

    private var counts: [Int] = Array(repeating: 0, count: longest + 1)
    package private(set) var count = 0

    package init() {}

    package mutating func note(milliseconds: Int64) {
        counts[Int(min(Int64(Self.longest), max(0, milliseconds)))] += 1
        count += 1
    }

    /// The smallest time that at least `share` of all do not exceed, in milliseconds; `nil` when there is none.
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

    /// What has been noted since an earlier state of this histogram.
    package func since(_ earlier: LatencyHistogram) -> LatencyHistogram {
        var rest = self
        for place in rest.counts.indices { rest.counts[place] -= earlier.counts[place] }
        rest.count -= earlier.count
        return rest
    }

    /// Takes over what another one has noted.
    package mutating func add(_ other: LatencyHistogram) {
        for place in counts.indices { counts[place] += other.counts[place] }
        count += other.count
    }

    /// `p50 12 ms, p99 40 ms`; `nil` before there is anything.
    package var summary: String? {
        guard let p50 = percentile(0.5), let p99 = percentile(0.99) else { return nil }
        return "p50 \(p50) ms, p99 \(p99) ms"
    }
}
