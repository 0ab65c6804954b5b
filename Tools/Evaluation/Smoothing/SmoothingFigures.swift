/// The figures of one trace, one recording or one simulated scenario, as they are written.
///
/// A figure that cannot be told, such as an error without truth, is absent.
package struct SmoothingFigures: Encodable, Sendable, Equatable {
    /// Errors in metres, and shares of errors within the accuracy given and twice that.
    package struct Errors: Encodable, Sendable, Equatable {
        package var rmseMeters: Double?
        package var p50Meters: Double?
        package var p95Meters: Double?
        package var shareWithinAccuracy: Double?
        package var shareWithinTwiceAccuracy: Double?
        /// Mean error along the direction of travel; behind is negative.
        package var alongTrackMeters: Double?
        package var standingMetersPerMinute: Double?

        init(_ side: SmoothingScore.Side, of score: SmoothingScore) {
            let percentiles = side.errors.percentiles([0.5, 0.95])
            rmseMeters = side.errors.rootMeanSquareMeters
            (p50Meters, p95Meters) = (percentiles[0], percentiles[1])
            shareWithinAccuracy = side.honesty.shareWithin
            shareWithinTwiceAccuracy = side.honesty.shareWithinTwice
            alongTrackMeters = score.alongMeters(side)
            standingMetersPerMinute = score.wanderMetersPerMinute(side)
        }
    }

    package var name: String
    package var fixes: Int
    package var fixesWithTruth: Int
    package var shareWithoutEstimate: Double
    package var raw: Errors
    package var smoothed: Errors
    /// Smoothed over raw RMSE.
    package var ratio: Double?
    /// Smoothed minus raw mean error along the direction of travel; behind is negative.
    package var lagMeters: Double?
    package var standingMinutes: Double
    /// RMSE of the filters to compare with, by their names.
    package var baselineRmseMeters: [String: Double]

    init(name: String, _ score: SmoothingScore) {
        self.name = name
        fixes = score.fixes
        fixesWithTruth = score.raw.errors.meters.count
        shareWithoutEstimate = score.fixes > 0 ? Double(score.fixesWithoutEstimate) / Double(score.fixes) : 0
        let (given, own) = (Errors(score.raw, of: score), Errors(score.smoothed, of: score))
        (raw, smoothed) = (given, own)
        ratio = score.ratio
        lagMeters = own.alongTrackMeters.flatMap { own in given.alongTrackMeters.map { own - $0 } }
        standingMinutes = score.standingSeconds / 60
        baselineRmseMeters = [:]
        for (baseline, errors) in score.baselines {
            baselineRmseMeters[baseline.rawValue] = errors.rootMeanSquareMeters
        }
    }
}
