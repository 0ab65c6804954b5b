import Foundation
import SightlineCLI

/// What changes when a part of the judge is left out.
package struct AblationReport: EvaluationReport {
    /// One part; changes are without it minus with it.
    package struct Part: Encodable, Sendable {
        package var name: String
        /// Fixes of the recordings that are answered otherwise: verdict, reasons or warnings.
        package var changedAnswers: Int
        /// Fixes of the recordings whose risk differs by ``leastRisk`` or more.
        package var changedRisks: Int
        /// Honest fixes that are rejected, and occasions on which an honest driver is a suspect, or flagged.
        package var honest: SpoofingReport.Alarms
        /// The greatest change of the share of attacks of one kind that is detected, suspected or flagged, in points.
        package var attackPoints: Double
        /// That kind; empty without a change.
        package var attackKind: String
        /// Change of the area under the curve of all kinds that have a target, in points.
        package var areaPoints: Double
    }

    /// Risks that differ by less count as equal.
    private static let leastRisk: Float = 0.01

    package var seed: UInt64
    package var simulatedHours: Int
    package var attacksOfEachKind: Int
    /// Fixes of the recordings.
    package var fixes: Int
    package private(set) var parts: [Part] = []

    init(_ options: SpoofingOptions, fixes: Int) {
        seed = options.seed
        simulatedHours = options.simulatedHours
        attacksOfEachKind = options.attacks
        self.fixes = fixes
    }

    mutating func add(_ name: String, _ score: AblationScore, against whole: AblationScore) {
        let pairs = zip(score.outcomes, whole.outcomes)
        let (kind, points) = Self.greatestChange(score.report.kinds, whole.report.kinds)
        let (alarms, before) = (score.alarms, whole.alarms)
        parts.append(
            Part(
                name: name, changedAnswers: pairs.count { !$0.hasSameAnswer(as: $1) },
                changedRisks: pairs.count { abs($0.risk - $1.risk) >= Self.leastRisk },
                honest: SpoofingReport.Alarms(
                    rejections: alarms.rejections - before.rejections, suspects: alarms.suspects - before.suspects,
                    flags: alarms.flags - before.flags),
                attackPoints: points, attackKind: kind,
                areaPoints: 100 * ((score.report.pooled.all?.area ?? 0) - (whole.report.pooled.all?.area ?? 0))))
    }

    private static func greatestChange(
        _ kinds: [SpoofingReport.Kind], _ before: [SpoofingReport.Kind]
    ) -> (kind: String, points: Double) {
        var greatest = (kind: "", points: 0.0)
        for (kind, before) in zip(kinds, before) {
            for rate in [\SpoofingReport.Kind.detectionRate, \.suspectRate, \.flaggedRate] {
                let points = 100 * (kind[keyPath: rate] - before[keyPath: rate])
                if abs(points) > abs(greatest.points) { greatest = (kind.kind, points) }
            }
        }
        return greatest
    }

    package var plots: [String: LinePlot] { [:] }

    package var tables: [TextTable] {
        var table = TextTable(
            title: "Without one part of the judge: \(fixes) fixes of recordings, \(simulatedHours) simulated hours, "
                + "\(attacksOfEachKind) attacks of each kind, seed \(seed)",
            columns: [
                "left out", "answers changed, %", "risks changed, %", "honest fixes rejected", "suspects", "flags",
                "attacks found, points", "of kind", "area, points",
            ])
        for part in parts {
            table.add([
                part.name, share(part.changedAnswers), share(part.changedRisks), Self.signed(part.honest.rejections),
                Self.signed(part.honest.suspects), Self.signed(part.honest.flags),
                Self.signed(part.attackPoints, decimals: 1), part.attackKind, Self.signed(part.areaPoints, decimals: 2),
            ])
        }
        return [table]
    }

    /// Percent of the recordings' fixes.
    private func share(_ count: Int) -> String {
        count == 0 ? "." : SpoofingReport.percent(SpoofingReport.share(count, of: fixes), 3)
    }

    private static func signed(_ count: Int) -> String { count == 0 ? "." : String(format: "%+d", count) }

    private static func signed(_ points: Double, decimals: Int) -> String {
        let text = String(format: "%+.\(decimals)f", points)
        return text.contains { "123456789".contains($0) } ? text : "."
    }
}
