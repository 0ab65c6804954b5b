import Foundation
import SightlineCLI

extension SpoofingReport {
    var windowTable: TextTable {
        var table = TextTable(
            title: "Windows of 10 s by their highest risk, from 20 s after the onset, against those of the same hosts "
                + "at the same time without an attack",
            columns: [
                "attack", "windows", "AUC", "TPR at 1 %", "baseline TPR", "FPR", "with speed and heading", "AUC",
                "TPR at 1 %", "without", "AUC", "TPR at 1 %",
            ])
        for (name, figures) in kinds.map({ ($0.kind, $0.windows) }) + [("all with a target", pooled)] {
            let baseline = figures.all.map {
                [Self.number($0.baselineTruePositiveRate, 3), Self.number($0.baselineFalsePositiveRate, 3)]
            }
            table.add(
                [name] + Self.cells(figures.all) + (baseline ?? ["-", "-"]) + Self.cells(figures.withSpeedAndHeading)
                    + Self.cells(figures.withoutEither))
        }
        return table
    }

    private static func cells(_ figures: WindowFigures?) -> [String] {
        guard let figures else { return ["-", "-", "-"] }
        return ["\(figures.windows)", number(figures.area, 4), number(figures.truePositiveRateAtOneInHundred, 3)]
    }

    var samplingTable: TextTable {
        let names = samplings.map { number($0.seconds) }
        let hosts = zip(names, samplings).map { "\($0) s: \($1.hosts)" }.joined(separator: ", ")
        var table = TextTable(
            title: "Attacks by the interval of the fixes; hosts of shorter intervals are thinned (\(hosts)). "
                + "Every 20 s attacks last as many fixes as every 4 s",
            columns: ["attack", "target %"]
                + names.flatMap { ["\($0) s: n", "detected %", "during it %", "replay seen %", "AUC"] })
        for kind in kinds {
            let rows = samplings.map { $0.kinds.first { $0.kind == kind.kind } }
            table.add(
                [kind.kind, kind.target.map { Self.percent($0, 0) } ?? "-"]
                    + rows.flatMap { row in
                        guard let row else { return ["0", "-", "-", "-", "-"] }
                        return [
                            "\(row.attacks)", Self.percent(row.detectionRate, 1),
                            Self.percent(row.detectionRateDuring, 1), Self.percent(row.replayRate, 0),
                            row.windows.all.map { Self.number($0.area, 3) } ?? "-",
                        ]
                    })
        }
        return table
    }

    var raceTable: TextTable {
        let speeds = RaceTally.speeds
        var table = TextTable(
            title: "Tracks that begin to go at a speed of no vehicle: marked within three fixes / rejected, %",
            columns: ["a fix every", "races"] + speeds.map { "\(number($0)) km/h" })
        for seconds in RaceTally.intervals {
            let rows = races.filter { $0.seconds == seconds }
            guard let first = rows.first, first.races > 0 else { continue }
            let rates = rows.map { "\(Self.percent($0.markedRate, 1)) / \(Self.percent($0.rejectedRate, 1))" }
            table.add(["\(number(seconds)) s", "\(first.races)"] + rates)
        }
        return table
    }

    private func number(_ seconds: Double) -> String { Self.number(seconds, 0) }

    package var plots: [String: LinePlot] {
        let groups = [("with speed and heading", pooled.withSpeedAndHeading), ("without", pooled.withoutEither)]
        let curves = groups.compactMap { name, figures in figures.map { (name, $0) } }
        guard !curves.isEmpty, let all = pooled.all else { return [:] }
        let least = 1e-4
        var series = curves.map { name, figures in
            LinePlot.Series(
                name: name,
                points: figures.roc.map {
                    LinePlot.Point(x: max(least, $0.falsePositiveRate), y: $0.truePositiveRate)
                })
        }
        let baseline = LinePlot.Point(x: max(least, all.baselineFalsePositiveRate), y: all.baselineTruePositiveRate)
        series.append(
            LinePlot.Series(
                name: "case study's rules",
                points: [LinePlot.Point(x: baseline.x, y: 0), baseline, LinePlot.Point(x: 1, y: 1)]))
        return [
            "spoofing-roc": LinePlot(
                title: "Windows of 10 s from 20 s after the onset, all attacks with a target",
                x: LinePlot.Axis("false positive rate", bounds: least...1, isLogarithmic: true),
                y: LinePlot.Axis("true positive rate", bounds: 0...1), series: series)
        ]
    }
}
