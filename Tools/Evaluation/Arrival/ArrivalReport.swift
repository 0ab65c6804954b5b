import Recordings
import SightlineCLI

/// Outcome of `sightline evaluate eta`.
package struct ArrivalReport: EvaluationReport {
    /// Definitions of the figures.
    package var notes = [
        "Errors are predicted minus actual arrival in seconds: positive if the vehicle came earlier than predicted.",
        "Horizons are the time to the actual arrival; the transit authority's bands use the predicted time.",
    ]
    package var half: EvaluationHalf
    package var recordings: [ArrivalSummary]
    package private(set) var passages: PassageComparison?

    init(half: EvaluationHalf, recordings: [ArrivalSummary]) {
        (self.half, self.recordings) = (half, recordings)
    }

    /// Compares the derived stop passages with those of another source.
    package mutating func compare(_ observed: ObservedPassages, in recordings: [ArrivalEvaluation.Recording]) {
        let trips = recordings.flatMap { recording in
            recording.feed.map { ScheduledTrips(feed: $0).trips(of: recording.log) } ?? []
        }
        passages = PassageComparison(of: trips, with: observed)
    }

    package var tables: [TextTable] {
        let measured = recordings.filter { $0.arrivals > 0 }
        var tables = recordings.flatMap { summary in
            summary.arrivals > 0
                ? details(summary)
                : [TextTable(title: "\(summary.name): no evaluated trips (rides need 5 minutes and 1 km)", columns: [])]
        }
        if let passages {
            tables.append(
                TextTable(
                    "Derived minus given stop passages", of: [passages],
                    columns: [
                        "common", "only_here", "only_there", "median_seconds", "median_absolute_seconds",
                        "ninety_fifth_seconds",
                    ]))
        }
        guard !measured.isEmpty else { return tables }
        tables.append(
            TextTable(
                "All recordings (\(half.rawValue))", of: measured,
                columns: [
                    "name", "trips", "arrivals", "given_share", "saved_messages_share", "gating_penalty_seconds",
                    "gating.flag_changes", "gating.flag_flips",
                ]))
        return tables
    }

    private func details(_ summary: ArrivalSummary) -> [TextTable] {
        let others = [summary.cold, summary.unlearned].compactMap { $0 } + summary.phases.map(\.method)
        return [
            TextTable(
                "\(summary.name) (\(summary.half.rawValue)): \(summary.trips) trips, \(summary.arrivals) arrivals",
                of: summary.buckets.filter { $0.errors.count > 0 },
                columns: [
                    "bucket", "errors.count", "errors.bias_seconds", "errors.mean_absolute_seconds",
                    "errors.ninetieth_seconds", "interval.coverage", "interval.mean_width_seconds",
                ] + [ArrivalMethod.plan, .meanSpeed, .currentSpeed].map { "mean_absolute_seconds.\($0.rawValue)" }),
            TextTable(
                "\(summary.name): public yardsticks, up to 30 minutes before arrival",
                of: (summary.methods + others).filter { $0.errors.count > 0 },
                columns: [
                    "method", "errors.mean_absolute_seconds", "improvement", "benchmark", "accurate_minutes_share",
                    "catch_likelihood", "wobble_minutes", "transit_authority_shares",
                ]),
        ]
    }
}
