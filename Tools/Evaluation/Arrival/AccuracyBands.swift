/// Published limits for correct predictions: how early or late a vehicle may arrive, by remaining time.
package struct AccuracyBands: Sendable {
    /// Ranges of seconds to the arrival, each with the maximum seconds by which the vehicle may arrive before and after
    /// the prediction, inclusive.
    let bands: [(range: Range<Double>, earlySeconds: Double, lateSeconds: Double)]
    /// Whether the remaining time is measured to the predicted instead of the actual arrival.
    let isByPrediction: Bool

    /// The ETA Accuracy Benchmark (TransitApp, after IBI Group 2016), by time to the actual arrival.
    package static let etaAccuracyBenchmark = AccuracyBands(
        bands: [(0..<180, 30, 90), (180..<360, 60, 150), (360..<600, 60, 210), (600..<900, 90, 270)],
        isByPrediction: false)

    /// The bands of a transit authority (MBTA), by time to the predicted arrival.
    package static let transitAuthority = AccuracyBands(
        bands: [(0..<180, 60, 60), (180..<360, 90, 120), (360..<720, 150, 210), (720..<1800, 240, 360)],
        isByPrediction: true)

    /// Returns the share of correct predictions in each band; `nil` for an empty band.
    package func shares(of series: [ArrivalSeries], by method: ArrivalMethod) -> [Double?] {
        var correct = [Int](repeating: 0, count: bands.count)
        var all = correct
        for sample in series.lazy.flatMap(\.samples) {
            guard let error = sample.errors[method] else { continue }
            let ahead = isByPrediction ? sample.horizonSeconds + error : sample.horizonSeconds
            guard let index = bands.firstIndex(where: { $0.range.contains(ahead) }) else { continue }
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

/// Ranges of seconds to an arrival.
extension Range<Double> {
    /// Reported ranges of time to the actual arrival.
    static var reported: [Self] { [0..<180, 180..<360, 360..<600, 600..<900, 900..<1800] }
    static var whole: Self { 0..<1800 }

    /// Name such as `3–6 min`.
    var minutes: String { "\(Int(lowerBound / 60))–\(Int(upperBound / 60)) min" }
}
