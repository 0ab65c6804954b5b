package struct ErrorFigures: Sendable, Equatable, Encodable {
    package var count = 0
    /// Mean of predicted minus actual, in seconds; positive if vehicles come earlier than predicted.
    package var biasSeconds = 0.0
    package var meanAbsoluteSeconds = 0.0
    /// 90th percentile of the absolute errors, by linear interpolation.
    package var ninetiethSeconds = 0.0

    /// Summarizes errors, which are predicted minus actual in seconds.
    package init(errors: [Double]) {
        guard !errors.isEmpty else { return }
        count = errors.count
        biasSeconds = errors.reduce(0, +) / Double(count)
        let absolute = errors.map(abs).sorted()
        meanAbsoluteSeconds = absolute.reduce(0, +) / Double(count)
        let position = 0.9 * Double(count - 1)
        let low = Int(position)
        let next = absolute[min(low + 1, count - 1)]
        ninetiethSeconds = absolute[low] + (position - Double(low)) * (next - absolute[low])
    }

    /// Summarizes the errors of `method` within `bucket`, by time to the actual arrival.
    package init(of series: [ArrivalSeries], by method: ArrivalMethod, in bucket: Range<Double>) {
        var errors: [Double] = []
        for one in series {
            for sample in one.samples where bucket.contains(sample.horizonSeconds) {
                if let error = sample.errors[method] { errors.append(error) }
            }
        }
        self.init(errors: errors)
    }
}

/// Coverage and width of the prediction intervals.
package struct IntervalFigures: Sendable, Equatable, Encodable {
    /// Share of arrivals within the interval, ends included.
    package var coverage: Double?
    package var meanWidthSeconds: Double?

    package init(of series: [ArrivalSeries], in bucket: Range<Double>) {
        let samples = series.flatMap(\.samples).filter { bucket.contains($0.horizonSeconds) }
        guard !samples.isEmpty else { return }
        coverage = samples.count { $0.lowSeconds <= 0 && $0.highSeconds >= 0 }.share(of: samples.count)
        meanWidthSeconds = samples.reduce(0) { $0 + ($1.highSeconds - $1.lowSeconds) } / Double(samples.count)
    }
}
