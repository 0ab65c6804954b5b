import SightlineCLI

/// Outcome of `sightline evaluate smoothing`.
package struct SmoothingReport: EvaluationReport {
    /// Smoothed over raw path length of vehicles that are parked for half an hour, in the worst case.
    struct Parked: Encodable, Sendable {
        var device: String
        var worstPathShare: Double
    }

    package internal(set) var recordings: [SmoothingFigures] = []
    /// Errors within the stated accuracy, over all recordings with a reference.
    package internal(set) var honesty: PooledHonesty?
    package internal(set) var scenarios: [SmoothingFigures] = []
    var parked: [Parked] = []
    /// Recovery after outliers and after drifts that end at once.
    package internal(set) var recoveries: [RecoveryFigures] = []

    package var tables: [TextTable] {
        let known = recordings.filter { $0.fixesWithTruth > 0 }
        return [
            TextTable(
                "Errors against the reference, in metres; ratio: smoothed over raw RMSE", of: known,
                "name fixes_with_truth raw.rmse_meters smoothed.rmse_meters ratio smoothed.share_within_accuracy"),
            TextTable(
                "Ratios of positions on a trip with a known route, and of the history (smoothed with later fixes)",
                of: known, "name known_route_ratio history_ratio"),
            TextTable(
                "Errors within the published accuracy, all recordings", of: [honesty].compactMap { $0 },
                "share low high"),
            TextTable(
                "Path while standing", of: recordings.filter { $0.standingMinutes > 0 },
                "name standing_minutes raw.standing_meters_per_minute smoothed.standing_meters_per_minute"),
            TextTable(
                "RMSE of simple filters, in metres", of: known.filter { !$0.baselineRmseMeters.isEmpty },
                "name " + BaselineFilter.allCases.map { "baseline_rmse_meters.\($0.rawValue)" }.joined(separator: " ")),
            TextTable(
                "Ratio of the distances from the driven road", of: recordings.filter { $0.roadRatio != nil },
                "name road_ratio"),
            TextTable(
                "Simulated drives", of: scenarios,
                "name raw.rmse_meters smoothed.rmse_meters ratio ratio_limit smoothed.share_within_accuracy"),
            TextTable("Half an hour parked; smoothed over raw path", of: parked, "device worst_path_share"),
            TextTable(
                "Fixes until the position is correct again after an error of 20 to 80 m", of: recoveries,
                "name excursions p50_fixes share_fast share_followed"),
        ].filter { !$0.rows.isEmpty }
    }
}

/// Figures of one recording or simulated scenario; unknown figures are absent.
package struct SmoothingFigures: Encodable, Sendable, Equatable {
    /// RMSE in metres, share of errors within the stated accuracy, and path while standing.
    package struct Errors: Encodable, Sendable, Equatable {
        package var rmseMeters: Double?
        package var shareWithinAccuracy: Double?
        package var standingMetersPerMinute: Double?

        init(_ side: SmoothingScore.Side, of score: SmoothingScore) {
            rmseMeters = side.errors.rootMeanSquare
            shareWithinAccuracy = side.honesty.shareWithin
            standingMetersPerMinute = score.wanderMetersPerMinute(side)
        }
    }

    package var name: String
    package var fixesWithTruth: Int
    package var raw: Errors
    package var smoothed: Errors
    /// Smoothed over raw RMSE, and its upper limit for a scenario.
    package var ratio: Double?
    package var ratioLimit: Double?
    /// RMSE over raw RMSE of the positions on a trip with a known route, and of the history.
    package var knownRouteRatio: Double?
    package var historyRatio: Double?
    /// Smoothed over raw RMSE of the distances from the driven road; absent without road lines.
    package var roadRatio: Double?
    package var standingMinutes: Double
    /// RMSE of the simple filters, by name.
    package var baselineRmseMeters: [String: Double]

    init(name: String, _ score: SmoothingScore) {
        self.name = name
        fixesWithTruth = score.raw.errors.count
        (raw, smoothed) = (Errors(score.raw, of: score), Errors(score.smoothed, of: score))
        ratio = score.ratio
        standingMinutes = score.standingSeconds / 60
        let errors = score.baselines.map { ($0.key.rawValue, $0.value.errors.rootMeanSquare) }
        baselineRmseMeters = Dictionary(uniqueKeysWithValues: errors).compactMapValues { $0 }
    }
}
