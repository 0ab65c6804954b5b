import SightlineCLI

/// Outcome of `sightline evaluate eta`.
///
/// Errors are predicted minus actual arrival in seconds: positive if the vehicle came earlier than predicted. Horizons
/// are the time to the actual arrival; only the transit authority's bands use the predicted time.
package struct ArrivalReport: EvaluationReport {
    package var half: EvaluationHalf
    package var recordings: [ArrivalSummary]

    package var tables: [TextTable] {
        let measured = recordings.filter { $0.arrivals > 0 }
        let details = recordings.flatMap { summary in
            summary.arrivals > 0
                ? Self.details(summary)
                : [TextTable(title: "\(summary.name): no evaluated trips (rides need 5 minutes and 1 km)", columns: [])]
        }
        guard !measured.isEmpty else { return details }
        let all = TextTable(
            "All recordings (\(half))", of: measured,
            "name trips arrivals given_share saved_messages_share gating_penalty_seconds gating.flag_changes "
                + "gating.flag_flips")
        return details + [all]
    }

    private static func details(_ summary: ArrivalSummary) -> [TextTable] {
        [
            TextTable(
                "\(summary.name): \(summary.trips) trips, \(summary.arrivals) arrivals",
                of: summary.buckets.filter { $0.errors.count > 0 },
                "bucket errors.count errors.bias_seconds errors.mean_absolute_seconds errors.ninetieth_seconds "
                    + "interval.coverage interval.mean_width_seconds mean_absolute_seconds.plan "
                    + "mean_absolute_seconds.mean_speed"),
            TextTable(
                "\(summary.name): public yardsticks, up to 30 minutes before arrival",
                of: (summary.methods + summary.phases).filter { $0.errors.count > 0 },
                "method errors.mean_absolute_seconds improvement benchmark accurate_minutes_share catch_likelihood "
                    + "wobble_minutes transit_authority_shares"),
        ]
    }
}
