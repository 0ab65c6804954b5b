import Domain
import Foundation
import Recordings
import SightlineCLI

/// Outcome of `sightline evaluate smoothing`.
package struct SmoothingReport: EvaluationReport {
    /// Figures of one recording file.
    package struct Recording: Encodable, Sendable {
        package var total: SmoothingFigures
        package var traces: [SmoothingFigures]
        /// Distance from the driven road; absent without road lines.
        package var acrossRoad: RoadFigures?
        /// Positions on a trip with a known route; absent without a reference.
        package var onKnownRoute: ComparedFigures?
    }

    /// Figures over all recordings with a reference.
    package struct Pooled: Encodable, Sendable {
        package var recordings: Int
        package var geometricMeanRatio: Double
        package var worstRatio: Double
        package var worstRecording: String
        package var honesty: PooledHonesty?
    }

    package struct Scenario: Encodable, Sendable {
        package var figures: SmoothingFigures
        package var ratioLimit: Double
    }

    /// A figure with its upper limit.
    package struct Bounded: Encodable, Sendable {
        package var name: String
        package var value: Double
        package var limit: Double
        package var unit: String
    }

    package internal(set) var recordings: [Recording] = []
    package internal(set) var pooled: Pooled?
    package internal(set) var scenarios: [Scenario] = []
    /// Lag at constant speed without noise, and path of a parked vehicle.
    package internal(set) var basics: [Bounded] = []
    /// Recovery after outliers and after drifts that end at once.
    package internal(set) var recoveries: [RecoveryFigures] = []
    /// Positions of the history, for recordings and simulated drives with a reference.
    package internal(set) var history: [ComparedFigures] = []

    package var tables: [TextTable] { (recordingTables + otherTables).filter { !$0.rows.isEmpty } }

    private var recordingTables: [TextTable] {
        let known = recordings.filter { $0.total.fixesWithTruth > 0 }
        return [
            TextTable(
                "Errors against the reference, in metres; ratio: smoothed over raw RMSE", of: known.map(\.total),
                columns: [
                    "name", "fixes", "fixes_with_truth", "raw.rmse_meters", "raw.p95_meters", "smoothed.rmse_meters",
                    "smoothed.p95_meters", "ratio", "lag_meters", "smoothed.share_within_accuracy",
                    "smoothed.share_within_twice_accuracy",
                ]),
            TextTable(
                "All recordings with a reference", of: [pooled].compactMap { $0 },
                columns: [
                    "recordings", "geometric_mean_ratio", "worst_recording", "worst_ratio", "honesty.within.share",
                    "honesty.within.low", "honesty.within.high",
                ]),
            TextTable(
                "Path while standing", of: recordings.map(\.total).filter { $0.standingMinutes > 0 },
                columns: [
                    "name", "standing_minutes", "raw.standing_meters_per_minute",
                    "smoothed.standing_meters_per_minute",
                ]),
            TextTable(
                "RMSE of simple filters, in metres",
                of: known.map(\.total).filter { !$0.baselineRmseMeters.isEmpty },
                columns: ["name"] + BaselineFilter.allCases.map { "baseline_rmse_meters.\($0.rawValue)" }),
            TextTable(
                "Distance from the driven road, in metres", of: recordings.filter { $0.acrossRoad != nil },
                columns: [
                    "total.name", "across_road.fixes", "across_road.raw_rmse_meters",
                    "across_road.smoothed_rmse_meters", "across_road.ratio",
                ]),
        ]
    }

    private var otherTables: [TextTable] {
        [
            TextTable(
                "Published position on a trip with a known route; ratios to raw RMSE",
                of: recordings.filter { $0.onKnownRoute != nil },
                columns: ["total.name"]
                    + ["raw_rmse_meters", "verdict_ratio", "ratio", "worst_ratio"]
                    .map { "on_known_route.\($0)" }),
            TextTable(
                "Positions of the history, smoothed with the fixes of the following 15 to 30 s; ratios to raw RMSE",
                of: history, columns: ["name", "raw_rmse_meters", "verdict_ratio", "ratio", "share_within_accuracy"]),
            TextTable(
                "Simulated drives", of: scenarios,
                columns: [
                    "figures.name", "figures.raw.rmse_meters", "figures.smoothed.rmse_meters", "figures.ratio",
                    "ratio_limit", "figures.smoothed.share_within_accuracy", "figures.lag_meters",
                ]),
            TextTable(
                "Noise-free ramp at 15 m/s, and half an hour parked", of: basics,
                columns: ["name", "value", "limit", "unit"]),
            TextTable(
                "Fixes until the position is correct again after an error of 20 to 80 m", of: recoveries,
                columns: ["name", "excursions", "p50_fixes", "p95_fixes", "most_fixes", "share_fast", "share_followed"]),
        ]
    }

    /// Pools the recordings that have a ratio.
    mutating func pool(_ honesty: PooledHonesty?) {
        let rated = recordings.compactMap { recording in recording.total.ratio.map { (recording.total.name, $0) } }
        guard let worst = rated.max(by: { $0.1 < $1.1 }) else { return }
        let mean = exp(rated.reduce(0) { $0 + log($1.1) } / Double(rated.count))
        pooled = Pooled(
            recordings: rated.count, geometricMeanRatio: mean, worstRatio: worst.1, worstRecording: worst.0,
            honesty: honesty)
    }
}

/// Figures of one trace, recording or simulated scenario; unknown figures are absent.
package struct SmoothingFigures: Encodable, Sendable, Equatable {
    /// Errors in metres, and shares of errors within the stated accuracy and twice that.
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
    /// RMSE of the simple filters, by name.
    package var baselineRmseMeters: [String: Double]

    init(name: String, _ score: SmoothingScore) {
        self.name = name
        fixes = score.fixes
        fixesWithTruth = score.raw.errors.meters.count
        shareWithoutEstimate = score.fixes > 0 ? Double(score.fixesWithoutEstimate) / Double(score.fixes) : 0
        let (raw, smoothed) = (Errors(score.raw, of: score), Errors(score.smoothed, of: score))
        (self.raw, self.smoothed) = (raw, smoothed)
        ratio = score.ratio
        lagMeters = smoothed.alongTrackMeters.flatMap { own in raw.alongTrackMeters.map { own - $0 } }
        standingMinutes = score.standingSeconds / 60
        baselineRmseMeters = [:]
        for (baseline, errors) in score.baselines {
            baselineRmseMeters[baseline.rawValue] = errors.rootMeanSquareMeters
        }
    }
}
