@testable import Runtime

/// Histogram parsed from a scrape.
struct HistogramSnapshot: Equatable {
    /// Inclusive upper bounds, ascending; the last is infinity.
    var bounds: [Double]
    /// Number of observations at or below each bound.
    var cumulativeCounts: [Double]
    var sum: Double

    var count: Double { cumulativeCounts.last ?? 0 }
}

extension MetricsSnapshot {
    /// Returns the sum of all histograms `name` whose labels include `labels`; `nil` without a histogram.
    func histogram(_ name: String, where labels: [String: String] = [:]) -> HistogramSnapshot? {
        var cumulative: [Double: Double] = [:]
        for sample in matching("\(name)_bucket", labels) {
            guard let bound = sample.labels["le"].flatMap(MetricsLineReader.number) else { continue }
            cumulative[bound, default: 0] += sample.value
        }
        guard !cumulative.isEmpty else { return nil }
        let ordered = cumulative.sorted { $0.key < $1.key }
        return HistogramSnapshot(
            bounds: ordered.map(\.key), cumulativeCounts: ordered.map(\.value), sum: sum("\(name)_sum", where: labels))
    }
}
