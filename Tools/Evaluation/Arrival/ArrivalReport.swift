import Foundation
import Recordings
import SightlineCLI

/// How right arrival times are: the outcome of `sightline evaluate eta`.
package struct ArrivalReport: EvaluationReport {
    /// Whatever the figures mean that cannot be seen from their names.
    package var notes = [
        "Errors are predicted minus actual arrival in seconds: positive when the vehicle came earlier than predicted.",
        "Horizons are by time to the actual arrival; the transit authority's bands by the predicted time.",
    ]
    package var half: EvaluationHalf
    package var recordings: [ArrivalSummary]

    package private(set) var passages: PassageComparison?

    /// Adds how the actual passages compare with those that another party derived.
    package mutating func compare(_ observed: ObservedPassages, in recordings: [ArrivalEvaluation.Recording]) {
        let trips = recordings.flatMap { recording in
            recording.feed.map { ScheduledTrips(feed: $0).trips(of: recording.log) } ?? []
        }
        passages = PassageComparison(of: trips, with: observed)
    }

    package var tables: [TextTable] {
        let measured = recordings.flatMap { summary in
            summary.arrivals == 0
                ? [TextTable(title: "\(summary.name): no trips of five minutes and a kilometre", columns: [])]
                : details(summary) + [delivery(summary)]
        }
        return measured + [passages?.table].compactMap { $0 } + overviews
    }

    /// Details of the recording with the most arrivals alone; passages are no result, and are left out.
    package var pageTables: [TextTable] {
        let largest = recordings.max { $0.arrivals < $1.arrivals }.flatMap { $0.arrivals > 0 ? $0 : nil }
        return (largest.map(details) ?? []) + overviews
    }

    private var overviews: [TextTable] { recordings.contains { $0.arrivals > 0 } ? [overview] : [] }

    private func details(_ summary: ArrivalSummary) -> [TextTable] {
        [horizons(summary), yardsticks(summary)] + frontier(summary)
    }

    /// A row for each recording: the figures that targets are set for.
    private var overview: TextTable {
        var table = TextTable(
            title: "All recordings (\(half.rawValue))",
            columns: [
                "", "trips", "MAE", "vs plan", "vs mean speed", "benchmark", "Caltrans", "catch", "wobble",
                "shown wobble", "wobble in 2 min",
                "bands", "", "", "", "in interval, by horizon", "saved", "added MAE", "flips", "not learned",
            ])
        for summary in recordings where summary.arrivals > 0 {
            guard let ours = summary.method(.ours), let shown = summary.method(.shown) else { continue }
            let coverage = summary.buckets.map { $0.interval.coverage.map { Self.whole($0 * 100) } ?? "–" }
            var cells = [
                summary.name, "\(summary.trips)", Self.whole(ours.errors.meanAbsoluteSeconds),
                Self.percent(summary.method(.plan)?.improvement), Self.percent(summary.method(.meanSpeed)?.improvement),
                Self.percent(ours.benchmark), Self.percent(ours.accurateMinutesShare),
                Self.percent(ours.catchLikelihood),
            ]
            let wobbles = [ours.wobbleMinutes, shown.wobbleMinutes, ours.windowWobbleMinutes]
            cells += wobbles.map { $0.map { Self.decimal($0, 2) } ?? "–" }
            cells += ours.transitAuthorityShares.map { $0.map { Self.whole($0 * 100) } ?? "–" }
            cells += [
                coverage.joined(separator: " "), Self.percent(summary.savedMessagesShare),
                summary.gatingPenaltySeconds.map { Self.decimal($0, 1) } ?? "–", "\(summary.gating.flagFlips)",
                Self.percent(summary.unlearned?.improvement),
            ]
            table.add(cells)
        }
        return table
    }

    private func heading(_ summary: ArrivalSummary) -> String {
        "\(summary.name) (\(summary.half.rawValue)): \(summary.trips) trips, \(summary.arrivals) arrivals"
    }

    private func horizons(_ summary: ArrivalSummary) -> TextTable {
        var table = TextTable(
            title: "\(heading(summary)); seconds, bias is predicted minus actual",
            columns: [
                "time to arrival", "n", "bias", "median", "MAE", "p50", "p90", "in interval", "earlier", "later",
                "width", "plan MAE", "mean speed MAE", "current speed MAE",
            ])
        for bucket in summary.buckets {
            let errors = bucket.errors
            guard errors.count > 0 else { continue }
            table.add([
                bucket.bucket, "\(errors.count)", Self.signed(errors.biasSeconds),
                Self.signed(errors.medianBiasSeconds),
                Self.whole(errors.meanAbsoluteSeconds), Self.whole(errors.medianAbsoluteSeconds),
                Self.whole(errors.ninetiethSeconds), Self.percent(bucket.interval.coverage),
                Self.percent(bucket.interval.earlierShare), Self.percent(bucket.interval.laterShare),
                Self.whole(bucket.interval.meanWidthSeconds),
                Self.whole(bucket.meanAbsoluteSeconds[ArrivalMethod.plan.rawValue]),
                Self.whole(bucket.meanAbsoluteSeconds[ArrivalMethod.meanSpeed.rawValue]),
                Self.whole(bucket.meanAbsoluteSeconds[ArrivalMethod.currentSpeed.rawValue]),
            ])
        }
        return table
    }

    private func yardsticks(_ summary: ArrivalSummary) -> TextTable {
        var table = TextTable(
            title: "\(summary.name): yardsticks over 30 minutes",
            columns: [
                "", "MAE", "ours is better", "benchmark", "0–3", "3–6", "6–10", "10–15", "Caltrans", "catch", "wobble",
                "in 2 min", "bands 0–3", "3–6", "6–12", "12–30",
            ])
        let others = [summary.cold, summary.unlearned].compactMap { $0 }
        let methods = summary.methods + others + summary.phases.map(\.method)
        for method in methods where method.errors.count > 0 {
            let shares = ([method.benchmark] + method.benchmarkShares).map(Self.percent)
            let service = [Self.percent(method.accurateMinutesShare), Self.percent(method.catchLikelihood)]
            let wobbles = [method.wobbleMinutes, method.windowWobbleMinutes].map { wobble in
                wobble.map { Self.decimal($0, 2) } ?? "–"
            }
            let better = method.method == ArrivalMethod.ours.name ? "" : Self.percent(method.improvement)
            table.add(
                [method.method, Self.whole(method.errors.meanAbsoluteSeconds), better] + shares + service + wobbles
                    + method.transitAuthorityShares.map(Self.percent))
        }
        return table
    }

    private func delivery(_ summary: ArrivalSummary) -> TextTable {
        let gating = summary.gating
        var table = TextTable(
            title: "\(summary.name): messages, flags and ways of estimating", columns: ["", "figure"])
        table.add(["records by fixes / by punctuations", "\(gating.fixRecords) / \(gating.punctuationRecords)"])
        table.add(["ETA messages to riders", "\(gating.messages)"])
        table.add(["saved against one per fix", Self.percent(summary.savedMessagesShare)])
        table.add(["MAE added by gating, s", summary.gatingPenaltySeconds.map { Self.decimal($0, 1) } ?? "–"])
        table.add(["delay flag: changes / within 60 s", "\(gating.flagChanges) / \(gating.flagFlips)"])
        table.add(["moments with a prediction", Self.percent(summary.givenShare)])
        for basis in summary.bases {
            table.add([
                "estimated by \(basis.basis): n, MAE, bias",
                "\(basis.count), \(Self.whole(basis.meanAbsoluteSeconds)), \(Self.signed(basis.biasSeconds))",
            ])
        }
        return table
    }

    // MARK: Numbers

    static func whole(_ value: Double?) -> String { value.map { String(format: "%.0f", $0) } ?? "–" }
    static func signed(_ value: Double) -> String { String(format: "%+.0f", value) }
    static func decimal(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
    static func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", $0 * 100) } ?? "–" }
}
