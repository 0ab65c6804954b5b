/// A histogram as scraped: counts up to each bound, and the sum of all observations.
package struct HistogramSnapshot: Sendable, Equatable {
    /// Inclusive upper bounds, ascending; the last is infinity.
    package var bounds: [Double]
    /// Observations at or below each bound.
    package var cumulativeCounts: [Double]
    package var sum: Double

    package init(bounds: [Double], cumulativeCounts: [Double], sum: Double) {
        precondition(bounds.count == cumulativeCounts.count, "A histogram's counts and bounds differ in number.")
        self.bounds = bounds
        self.cumulativeCounts = cumulativeCounts
        self.sum = sum
    }

    package var count: Double { cumulativeCounts.last ?? 0 }

    /// `nil` when nothing was observed.
    package var mean: Double? { count > 0 ? sum / count : nil }

    /// What was observed since `earlier`, a scrape of the same series.
    ///
    /// When the counts went back the process was started anew in between, and all of this scrape is new.
    package func since(_ earlier: HistogramSnapshot?) -> HistogramSnapshot {
        guard let earlier, earlier.bounds == bounds, earlier.count <= count else { return self }
        return HistogramSnapshot(
            bounds: bounds, cumulativeCounts: zip(cumulativeCounts, earlier.cumulativeCounts).map { $0 - $1 },
            sum: sum - earlier.sum)
    }

    /// The value that the fraction `quantile` of all observations lie at or below, interpolated within its bucket.
    ///
    /// As Prometheus' `histogram_quantile`: the first bucket begins at 0, and beyond the last finite bound there is
    /// nothing to interpolate with, so that bound is the answer.
    /// - Returns: `nil` when nothing was observed.
    package func quantile(_ quantile: Double) -> Double? {
        precondition((0...1).contains(quantile), "A quantile outside 0...1 was asked for.")
        guard count > 0, let bucket = cumulativeCounts.firstIndex(where: { $0 >= quantile * count && $0 > 0 }) else {
            return nil
        }
        let lower = bucket == 0 ? 0 : bounds[bucket - 1]
        guard bounds[bucket].isFinite else { return lower }
        let below = bucket == 0 ? 0 : cumulativeCounts[bucket - 1]
        let inside = cumulativeCounts[bucket] - below
        guard inside > 0 else { return bounds[bucket] }
        return lower + (bounds[bucket] - lower) * (quantile * count - below) / inside
    }
}
