/// A published rule of which predictions are right: for each range of time ahead, how early and how late the vehicle
/// may come against the prediction; both bounds count as right.
package struct AccuracyBands: Sendable {
    /// One range.
    package struct Band: Sendable {
        package var bucket: HorizonBucket
        /// How many seconds before the prediction the vehicle may come.
        package var earlySeconds: Double
        /// How many seconds after it.
        package var lateSeconds: Double

        init(_ bucket: HorizonBucket, early: Double, late: Double) {
            self.bucket = bucket
            earlySeconds = early
            lateSeconds = late
        }
    }

    package var bands: [Band]
    /// Whether the time ahead is that until the predicted arrival, rather than the actual one.
    package var isByPrediction: Bool

    /// The ETA Accuracy Benchmark (TransitApp, after IBI Group 2016): by time to the actual arrival.
    package static let etaAccuracyBenchmark = AccuracyBands(
        bands: [
            Band(HorizonBucket(minutes: 0, 3), early: 30, late: 90),
            Band(HorizonBucket(minutes: 3, 6), early: 60, late: 150),
            Band(HorizonBucket(minutes: 6, 10), early: 60, late: 210),
            Band(HorizonBucket(minutes: 10, 15), early: 90, late: 270),
        ], isByPrediction: false)

    /// The bands of a transit authority (MBTA): by the predicted time ahead.
    package static let transitAuthority = AccuracyBands(
        bands: [
            Band(HorizonBucket(minutes: 0, 3), early: 60, late: 60),
            Band(HorizonBucket(minutes: 3, 6), early: 90, late: 120),
            Band(HorizonBucket(minutes: 6, 12), early: 150, late: 210),
            Band(HorizonBucket(minutes: 12, 30), early: 240, late: 360),
        ], isByPrediction: true)

    /// The share of right predictions in each band; `nil` for a band without any.
    package func shares(of series: [ArrivalSeries], by method: ArrivalMethod) -> [Double?] {
        var right = [Int](repeating: 0, count: bands.count)
        var all = right
        for one in series {
            for sample in one.samples {
                guard let error = sample.errors[method] else { continue }
                let ahead = isByPrediction ? sample.horizonSeconds + error : sample.horizonSeconds
                guard let index = bands.firstIndex(where: { $0.bucket.contains(ahead) }) else { continue }
                all[index] += 1
                // Predicted minus actual: positive when the vehicle came early.
                if error <= bands[index].earlySeconds, error >= -bands[index].lateSeconds { right[index] += 1 }
            }
        }
        return zip(right, all).map { $1 > 0 ? Double($0) / Double($1) : nil }
    }

    /// The plain mean of the bands' shares, so that the short and important ones count as much as the long ones; `nil`
    /// when one is empty.
    package static func mean(_ shares: [Double?]) -> Double? {
        let known = shares.compactMap { $0 }
        return known.count == shares.count && !known.isEmpty ? known.reduce(0, +) / Double(known.count) : nil
    }
}
