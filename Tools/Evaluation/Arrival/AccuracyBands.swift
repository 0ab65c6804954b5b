/// Published limits for correct predictions: how early or late a vehicle may arrive, by remaining time.
package struct AccuracyBands: Sendable {
    struct Band: Sendable {
        var bucket: HorizonBucket
        /// Maximum seconds by which the vehicle may arrive before and after the prediction, inclusive.
        var earlySeconds: Double
        var lateSeconds: Double

        init(_ from: Double, _ to: Double, early: Double, late: Double) {
            bucket = HorizonBucket(minutes: from, to)
            (earlySeconds, lateSeconds) = (early, late)
        }
    }

    let bands: [Band]
    /// Whether the remaining time is measured to the predicted arrival instead of the actual one.
    let isByPrediction: Bool

    /// The ETA Accuracy Benchmark (TransitApp, after IBI Group 2016), by time to the actual arrival.
    package static let etaAccuracyBenchmark = AccuracyBands(
        bands: [
            Band(0, 3, early: 30, late: 90), Band(3, 6, early: 60, late: 150), Band(6, 10, early: 60, late: 210),
            Band(10, 15, early: 90, late: 270),
        ], isByPrediction: false)

    /// The bands of a transit authority (MBTA), by time to the predicted arrival.
    package static let transitAuthority = AccuracyBands(
        bands: [
            Band(0, 3, early: 60, late: 60), Band(3, 6, early: 90, late: 120), Band(6, 12, early: 150, late: 210),
            Band(12, 30, early: 240, late: 360),
        ], isByPrediction: true)

    /// Returns the share of correct predictions in each band; `nil` for an empty band.
    package func shares(of series: [ArrivalSeries], by method: ArrivalMethod) -> [Double?] {
        var correct = [Int](repeating: 0, count: bands.count)
        var all = correct
        for sample in series.lazy.flatMap(\.samples) {
            guard let error = sample.errors[method] else { continue }
            let ahead = isByPrediction ? sample.horizonSeconds + error : sample.horizonSeconds
            guard let index = bands.firstIndex(where: { $0.bucket.contains(ahead) }) else { continue }
            all[index] += 1
            // Predicted minus actual: positive if the vehicle came early.
            if error <= bands[index].earlySeconds, error >= -bands[index].lateSeconds { correct[index] += 1 }
        }
        return zip(correct, all).map { $1 > 0 ? Double($0) / Double($1) : nil }
    }

    /// Returns the mean of the bands' shares with equal weights; `nil` if a band is empty.
    package static func mean(_ shares: [Double?]) -> Double? {
        let known = shares.compactMap { $0 }
        return known.count == shares.count && !known.isEmpty ? known.reduce(0, +) / Double(known.count) : nil
    }
}

/// A range of seconds to arrival; the lower bound is included, the upper is not.
package struct HorizonBucket: Sendable, Hashable {
    package var fromSeconds: Double
    package var toSeconds: Double

    package init(minutes from: Double, _ to: Double) {
        (fromSeconds, toSeconds) = (from * 60, to * 60)
    }

    package func contains(_ seconds: Double) -> Bool { seconds >= fromSeconds && seconds < toSeconds }

    /// Name such as `3–6 min`.
    package var name: String { "\(Int(fromSeconds / 60))–\(Int(toSeconds / 60)) min" }

    /// Reported ranges of time to the actual arrival.
    package static let reported = [
        HorizonBucket(minutes: 0, 3), HorizonBucket(minutes: 3, 6), HorizonBucket(minutes: 6, 10),
        HorizonBucket(minutes: 10, 15), HorizonBucket(minutes: 15, 30),
    ]

    package static let whole = HorizonBucket(minutes: 0, 30)
}
