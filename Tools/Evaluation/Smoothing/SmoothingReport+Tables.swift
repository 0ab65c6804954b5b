import Foundation
import SightlineCLI

extension SmoothingReport {
    /// A recording of more traces is not shown trace by trace; the JSON has them all.
    private static let mostTracesShown = 12

    package var tables: [TextTable] { tables(recoveries, scenarios, lines: lines(where:)) }

    /// Devices that say less, of which there are no targets, are in the JSON.
    package var pageTables: [TextTable] {
        tables(recoveries.filter(\.givesAccuracy), scenarios.filter(\.givesAllFields)) { isTold in
            recordings.map(\.total).filter(isTold)
        }
    }

    /// `lines`: the recordings, and perhaps their traces, of which there is something to tell.
    private func tables(
        _ recoveries: [RecoveryFigures], _ scenarios: [Scenario],
        lines: (_ isTold: (SmoothingFigures) -> Bool) -> [SmoothingFigures]
    ) -> [TextTable] {
        var tables: [TextTable] = []
        let withTruth = lines { $0.fixesWithTruth > 0 }
        if !recordings.isEmpty {
            let withBehaviour = lines { $0.fixesWithTruth > 0 || $0.standingMinutes > 0 }
            tables += [errorTable(withTruth), behaviourTable(withBehaviour)]
        }
        if recordings.contains(where: { !$0.total.baselineRmseMeters.isEmpty }) {
            tables.append(baselineTable(withTruth.filter { $0.fixesWithTruth > 0 }))
        }
        if recordings.contains(where: { $0.acrossRoad != nil }) { tables.append(roadTable) }
        if recordings.contains(where: { $0.onKnownRoute != nil }) { tables.append(knownRouteTable) }
        if !history.isEmpty { tables.append(historyTable) }
        if !scenarios.isEmpty { tables.append(scenarioTable(scenarios)) }
        if !basics.isEmpty { tables.append(basicsTable) }
        if !recoveries.isEmpty { tables.append(recoveryTable(recoveries)) }
        return tables
    }

    /// The recordings, each followed by those of its traces of which there is something to tell, indented.
    private func lines(where isTold: (SmoothingFigures) -> Bool) -> [SmoothingFigures] {
        recordings.flatMap { recording in
            guard (2...Self.mostTracesShown).contains(recording.traces.count) else { return [recording.total] }
            return [recording.total]
                + recording.traces.filter(isTold).map { trace in
                    var line = trace
                    line.name = "  " + trace.name
                    return line
                }
        }
    }

    private func errorTable(_ lines: [SmoothingFigures]) -> TextTable {
        var table = TextTable(
            title: "Errors against the reference, in metres",
            columns: [
                "recording", "fixes", "with truth", "no estimate", "raw RMSE", "p50", "p95", "smoothed RMSE", "p50",
                "p95", "ratio",
            ])
        for line in lines {
            table.add([
                line.name, "\(line.fixes)", "\(line.fixesWithTruth)", percent(line.shareWithoutEstimate),
                text(line.raw.rmseMeters), text(line.raw.p50Meters), text(line.raw.p95Meters),
                text(line.smoothed.rmseMeters), text(line.smoothed.p50Meters), text(line.smoothed.p95Meters),
                text(line.ratio, digits: 3),
            ])
        }
        if let pooled {
            let blank = Array(repeating: "", count: 8)
            table.add(
                ["geometric mean of \(pooled.recordings)"] + blank + ["", text(pooled.geometricMeanRatio, digits: 3)])
            table.add(["worst: \(pooled.worstRecording)"] + blank + ["", text(pooled.worstRatio, digits: 3)])
        }
        return table
    }

    private func behaviourTable(_ lines: [SmoothingFigures]) -> TextTable {
        var table = TextTable(
            title: "Share of errors within the accuracy given (1x) and twice that (2x); lag along the track; "
                + "wander while standing",
            columns: [
                "recording", "raw 1x", "2x", "smoothed 1x", "2x", "lag m", "standing min", "raw m/min",
                "smoothed m/min", "ratio",
            ])
        for line in lines {
            let wander = line.raw.standingMetersPerMinute.flatMap { raw in
                line.smoothed.standingMetersPerMinute.map { raw > 0 ? $0 / raw : 0 }
            }
            table.add([
                line.name, percent(line.raw.shareWithinAccuracy), percent(line.raw.shareWithinTwiceAccuracy),
                percent(line.smoothed.shareWithinAccuracy), percent(line.smoothed.shareWithinTwiceAccuracy),
                text(line.lagMeters), text(line.standingMinutes, digits: 1), text(line.raw.standingMetersPerMinute),
                text(line.smoothed.standingMetersPerMinute), text(wander, digits: 3),
            ])
        }
        if let honesty = pooled?.honesty {
            func row(_ name: String, _ part: (PooledHonesty.Share) -> String) {
                let blank = Array(repeating: "", count: 5)
                table.add([name, "", "", part(honesty.within), part(honesty.withinTwice)] + blank)
            }
            row("mean of \(honesty.recordings)") { percent($0.share) }
            row("its 95 % interval") { String(format: "%.0f–%.0f %%", 100 * $0.low, 100 * $0.high) }
        }
        return table
    }

    private func baselineTable(_ lines: [SmoothingFigures]) -> TextTable {
        var table = TextTable(
            title: "RMSE of familiar filters, in metres",
            columns: ["recording", "raw"] + BaselineFilter.allCases.map(\.name) + ["smoothed"])
        for line in lines {
            let baselines = BaselineFilter.allCases.map { text(line.baselineRmseMeters[$0.rawValue]) }
            table.add([line.name, text(line.raw.rmseMeters)] + baselines + [text(line.smoothed.rmseMeters)])
        }
        return table
    }

    private var roadTable: TextTable {
        var table = TextTable(
            title: "Distance from the road that was driven, in metres",
            columns: ["recording", "fixes", "raw RMSE", "p50", "p95", "smoothed RMSE", "p50", "p95", "ratio"])
        for recording in recordings {
            guard let road = recording.acrossRoad else { continue }
            table.add([
                recording.total.name, "\(road.fixes)", text(road.rawRmseMeters), text(road.rawP50Meters),
                text(road.rawP95Meters), text(road.smoothedRmseMeters), text(road.smoothedP50Meters),
                text(road.smoothedP95Meters), text(road.ratio, digits: 3),
            ])
        }
        return table
    }

    private var knownRouteTable: TextTable {
        var table = TextTable(
            title: "Position told of a trip whose route is known to \(text(MapRoute.errorMeters, digits: 0)) m, on "
                + "\(KnownRouteFigures.seeds.count) routes; RMSE in metres",
            columns: ["recording", "with truth", "raw", "verdict", "told", "ratio", "worst ratio", "1x", "2x"])
        for recording in recordings {
            guard let figures = recording.onKnownRoute else { continue }
            table.add([
                recording.total.name, "\(figures.fixesWithTruth)", text(figures.rawRmseMeters),
                text(figures.verdictRmseMeters), text(figures.toldRmseMeters), text(figures.ratio, digits: 3),
                text(figures.worstRatio, digits: 3), percent(figures.shareWithinAccuracy),
                percent(figures.shareWithinTwiceAccuracy),
            ])
        }
        return table
    }

    private var historyTable: TextTable {
        var table = TextTable(
            title: "Positions of the history, smoothed with the fixes of the 15 to 30 s after; RMSE over that of raw "
                + "positions",
            columns: ["recording or scenario", "with truth", "raw RMSE m", "verdict", "history", "1x", "2x"])
        for figures in history {
            table.add([
                figures.name, "\(figures.fixesWithTruth)", text(figures.rawRmseMeters),
                text(figures.verdictRatio, digits: 3), text(figures.ratio, digits: 3),
                percent(figures.shareWithinAccuracy), percent(figures.shareWithinTwiceAccuracy),
            ])
        }
        return table
    }

    private func scenarioTable(_ scenarios: [Scenario]) -> TextTable {
        let baselines = BaselineFilter.allCases.filter { baseline in
            scenarios.contains { $0.figures.baselineRmseMeters[baseline.rawValue] != nil }
        }
        var table = TextTable(
            title: "Simulated drives",
            columns: ["scenario", "raw RMSE m", "smoothed", "p95 ratio", "ratio", "at most", "1x", "2x", "lag m"]
                + baselines.map(\.name))
        for scenario in scenarios {
            let figures = scenario.figures
            let tail = figures.raw.p95Meters.flatMap { raw in figures.smoothed.p95Meters.map { $0 / raw } }
            table.add(
                [
                    figures.name, text(figures.raw.rmseMeters), text(figures.smoothed.rmseMeters),
                    text(tail, digits: 3), text(figures.ratio, digits: 3), text(scenario.ratioLimit),
                    percent(figures.smoothed.shareWithinAccuracy), percent(figures.smoothed.shareWithinTwiceAccuracy),
                    text(figures.lagMeters),
                ] + baselines.map { text(figures.baselineRmseMeters[$0.rawValue]) })
        }
        return table
    }

    private var basicsTable: TextTable {
        var table = TextTable(
            title: "A noise-free ramp at 15 m/s, and a vehicle parked for half an hour",
            columns: ["measured", "value", "at most", "unit"])
        for row in basics { table.add([row.name, text(row.value, digits: 3), text(row.limit), row.unit]) }
        return table
    }

    private func recoveryTable(_ recoveries: [RecoveryFigures]) -> TextTable {
        var table = TextTable(
            title: "A phone that is off by 20 to 80 m and then right again: fixes until the position shown is, too",
            columns: [
                "scenario", "times", "p50", "p95", "most", "in 3 fixes or 3 s", "before that 1x", "outliers followed",
            ])
        for row in recoveries {
            table.add([
                row.name, "\(row.excursions)", "\(row.p50Fixes)", "\(row.p95Fixes)", "\(row.mostFixes)",
                percent(row.shareSoon), percent(row.wrongShareWithinAccuracy), percent(row.shareFollowed),
            ])
        }
        return table
    }

    private func text(_ value: Double?, digits: Int = 2) -> String {
        value.map { String(format: "%.\(digits)f", $0) } ?? "-"
    }

    private func percent(_ share: Double?) -> String { share.map { String(format: "%.1f %%", 100 * $0) } ?? "-" }
}
