/// Errors of predictions.
package struct ErrorFigures: Sendable, Equatable, Codable {
    package var count = 0
    /// Mean of predicted minus actual, in seconds; positive if vehicles come earlier than predicted.
    package var biasSeconds = 0.0
    package var medianBiasSeconds = 0.0
    /// Mean absolute error.
    package var meanAbsoluteSeconds = 0.0
    /// Percentiles of the absolute errors.
    package var medianAbsoluteSeconds = 0.0
    package var ninetiethSeconds = 0.0

    /// Summarizes errors, which are predicted minus actual in seconds.
    package init(errors: [Double]) {
        guard !errors.isEmpty else { return }
        count = errors.count
        biasSeconds = errors.reduce(0, +) / Double(count)
        medianBiasSeconds = Self.percentile(0.5, of: errors.sorted())
        let absolute = errors.map(abs).sorted()
        meanAbsoluteSeconds = absolute.reduce(0, +) / Double(count)
        medianAbsoluteSeconds = Self.percentile(0.5, of: absolute)
        ninetiethSeconds = Self.percentile(0.9, of: absolute)
    }

    /// Summarizes the errors of `method` within `bucket`, by time to the actual arrival.
    package init(of series: [ArrivalSeries], by method: ArrivalMethod, in bucket: HorizonBucket) {
        var errors: [Double] = []
        for one in series {
            for sample in one.samples where bucket.contains(sample.horizonSeconds) {
                if let error = sample.errors[method] { errors.append(error) }
            }
        }
        self.init(errors: errors)
    }

    /// Returns a percentile by linear interpolation of sorted values.
    static func percentile(_ share: Double, of sorted: [Double]) -> Double {
        let place = share * Double(sorted.count - 1)
        let low = Int(place)
        guard low + 1 < sorted.count else { return sorted[sorted.count - 1] }
        return sorted[low] + (place - Double(low)) * (sorted[low + 1] - sorted[low])
    }
}

/// Coverage and width of the prediction intervals.
package struct IntervalFigures: Sendable, Equatable, Codable {
    package var count = 0
    /// Share of arrivals within the interval, ends included.
    package var coverage: Double?
    /// Shares of arrivals before and after the interval.
    package var earlierShare: Double?
    package var laterShare: Double?
    package var meanWidthSeconds: Double?

    package init(of series: [ArrivalSeries], in bucket: HorizonBucket) {
        var earlier = 0
        var later = 0
        var width = 0.0
        for one in series {
            for sample in one.samples where bucket.contains(sample.horizonSeconds) {
                count += 1
                if sample.lowSeconds > 0 { earlier += 1 }
                if sample.highSeconds < 0 { later += 1 }
                width += sample.highSeconds - sample.lowSeconds
            }
        }
        guard count > 0 else { return }
        let all = Double(count)
        earlierShare = Double(earlier) / all
        laterShare = Double(later) / all
        coverage = Double(count - earlier - later) / all
        meanWidthSeconds = width / all
    }
}
