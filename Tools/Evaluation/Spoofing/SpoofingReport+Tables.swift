import Foundation
import SightlineCLI

extension SpoofingReport {
    package var tables: [TextTable] { honestTables(codes: true) + attackTables(details: true) }

    /// With attacks, a page tells of honest drivers elsewhere: of all recordings, and not of one half.
    ///
    /// Codes and hosts are in the JSON.
    package var pageTables: [TextTable] {
        kinds.isEmpty ? honestTables(codes: false) : attackTables(details: false)
    }

    private func honestTables(codes: Bool) -> [TextTable] {
        var tables = codes ? [honestTable, codeTable] : [honestTable]
        if let total = honestTotal, total.losingDrivers > 0 { tables.append(Self.lossTable(total)) }
        if let simulated { tables.append(Self.simulatedTable(simulated)) }
        if !jamming.isEmpty { tables.append(jammingTable) }
        if !recordedAttacks.isEmpty { tables.append(recordedAttackTable) }
        return tables
    }

    private func attackTables(details: Bool) -> [TextTable] {
        guard !kinds.isEmpty else { return [] }
        var tables = details ? [hostTable, attackTable, windowTable] : [attackTable, windowTable]
        if !samplings.isEmpty { tables.append(samplingTable) }
        if !races.isEmpty { tables.append(raceTable) }
        if details { tables.append(signalTable) }
        if kinds.contains(where: { !$0.detectionRateBySignalAlone.isEmpty }) { tables.append(aloneTable) }
        return tables
    }

    private var honestTable: TextTable {
        var table = TextTable(
            title: "Honest drivers (half: \(half)); the rules of the case study, literally, as baseline",
            columns: [
                "recording", "traces", "hours", "fixes", "rejected", "of these CLOCK_SKEW", "%", "drivers",
                "drivers over 0.1 %", "suspect", "flagged", "max risk",
                "<60 s of gap r/s/f", "baseline %", "baseline traces",
            ])
        for row in honest + [honestTotal, simulated].compactMap({ $0 }) {
            table.add([
                row.name, "\(row.traces)", Self.number(row.hours, 1), "\(row.fixes)", "\(row.rejectedFixes)",
                "\(row.clockSkewFixes)", Self.percent(row.rejectedShare, 3), "\(row.drivers)", "\(row.losingDrivers)",
                "\(row.suspectTraces)", "\(row.flaggedTraces)",
                Self.number(row.highestRisk, 3), row.withinMinuteOfGap.text,
                Self.percent(row.baselineShare, 2),
                "\(row.baselineTraces)",
            ])
        }
        return table
    }

    private static func lossTable(_ row: Honest) -> TextTable {
        var table = TextTable(
            title: "Honest drivers who lost most, of \(row.losingDrivers) who lost over 0.1 % of their fixes",
            columns: ["recording", "driver", "fixes", "rejected", "of these CLOCK_SKEW", "%"])
        for loss in row.losses where loss.rejectedShare > DriverLoss.target {
            table.add([
                loss.origin, loss.driver, "\(loss.fixes)", "\(loss.rejectedFixes)", "\(loss.clockSkewFixes)",
                percent(loss.rejectedShare, 3),
            ])
        }
        return table
    }

    private var codeTable: TextTable {
        let rows = honest + [honestTotal, simulated].compactMap { $0 }
        let codes = Set(rows.flatMap { Array($0.rejections.keys) + Array($0.warnings.keys) }).sorted()
        var table = TextTable(
            title: "Honest drivers: fixes rejected / warnings raised, by code",
            columns: ["recording"] + codes.map { $0.lowercased() })
        for row in rows {
            table.add(
                [row.name]
                    + codes.map { code in
                        let (rejections, warnings) = (row.rejections[code] ?? 0, row.warnings[code] ?? 0)
                        return rejections + warnings == 0 ? "." : "\(rejections)/\(warnings)"
                    })
        }
        return table
    }

    private static func simulatedTable(_ row: Honest) -> TextTable {
        var table = TextTable(
            title: "Simulated honest driver-hours: \(number(row.hours, 0))", columns: ["what", "figure", "target"])
        table.add(["times flagged per 1,000 driver-hours", number(row.flagsPerThousandHours, 2), "<= 1"])
        table.add(["times suspect per 1,000 driver-hours", number(row.suspectsPerThousandHours, 2), "<= 10"])
        let alarms = row.withinMinuteOfTunnelOrColdStart
        table.add(["flagged within 60 s of a tunnel or cold start", "\(alarms.flags)", "0"])
        table.add(["suspect within 60 s of a tunnel or cold start", "\(alarms.suspects)", "0"])
        table.add(["fixes rejected within 60 s of those, glitches apart", "\(alarms.rejections)", "-"])
        let good = SpoofingReport.share(row.rejectedGoodFixes, of: row.fixes)
        table.add(["fixes rejected, glitches apart, %", percent(good, 4), "<= 0.1"])
        table.add(["fixes rejected, %", percent(row.rejectedShare, 4), "-"])
        return table
    }

    private var recordedAttackTable: TextTable {
        var table = TextTable(
            title: "Recorded attacks",
            columns: [
                "recording", "attacks", "detected", "flagged", "median delay", "forged fixes", "rejected",
                "rejected or marked", "honest fixes", "rejected", "baseline detected",
            ])
        for row in recordedAttacks {
            table.add([
                row.name, "\(row.attacks)", "\(row.detected)", "\(row.flagged)",
                row.medianDelayFixes.map { "\($0)" } ?? "-", "\(row.forgedFixes)", "\(row.rejectedForgedFixes)",
                "\(row.rejectedOrMarkedForgedFixes)", "\(row.honestFixes)", "\(row.rejectedHonestFixes)",
                "\(row.baselineDetected)",
            ])
        }
        return table
    }

    private var hostTable: TextTable {
        var table = TextTable(
            title: "Traces that attacks are put into: moving, a fix every 5 s or oftener (half: \(half))",
            columns: ["from", "traces"])
        for (origin, count) in hosts.sorted(by: { $0.key < $1.key }) { table.add([origin, "\(count)"]) }
        return table
    }

    private var attackTable: TextTable {
        var table = TextTable(
            title:
                "Attacks, seed \(seed); detected: rejected with an accusing reason or flagged, at most 10 fixes after",
            columns: [
                "attack", "n", "target %", "detected %", "during it %", "suspect %", "flagged %", "delay p50", "p90",
                "suspect after p50", "baseline %",
            ])
        for row in kinds {
            table.add([
                row.kind, "\(row.attacks)", row.target.map { Self.percent($0, 0) } ?? "-",
                Self.percent(row.detectionRate, 1), Self.percent(row.detectionRateDuring, 1),
                Self.percent(row.suspectRate, 1), Self.percent(row.flaggedRate, 1),
                row.medianDelayFixes.map { "\($0)" } ?? "-", row.p90DelayFixes.map { "\($0)" } ?? "-",
                row.medianSuspectDelayFixes.map { "\($0)" } ?? "-", Self.percent(row.baselineRate, 1),
            ])
        }
        if let delay = firstGroupMedianDelayFixes {
            let kinds = kinds.filter { AttackKind(rawValue: $0.kind)?.isOfFirstGroup == true }
            let attacks = kinds.reduce(0) { $0 + $1.attacks }
            table.add(["first group, all together", "\(attacks)", "-", "-", "-", "-", "-", "\(delay)", "-", "-", "-"])
        }
        return table
    }

    private var signalTable: TextTable {
        let codes = Set(kinds.flatMap(\.signals.keys)).sorted()
        var table = TextTable(
            title: "Attacks in which a code was seen, %", columns: ["attack"] + codes.map { $0.lowercased() })
        for row in kinds {
            table.add([row.kind] + codes.map { row.signals[$0].map { Self.percent($0, 0) } ?? "." })
        }
        return table
    }

    private var aloneTable: TextTable {
        let signals = SpoofSignal.allCases.map(\.rawValue)
        var table = TextTable(title: "Attacks detected by one signal alone, %", columns: ["attack"] + signals)
        for row in kinds {
            table.add(
                [row.kind] + signals.map { row.detectionRateBySignalAlone[$0].map { Self.percent($0, 0) } ?? "." })
        }
        return table
    }

    static func number(_ value: Double, _ decimals: Int) -> String { String(format: "%.\(decimals)f", value) }
    static func percent(_ share: Double, _ decimals: Int) -> String { number(share * 100, decimals) }
}

extension SpoofingReport.Alarms {
    /// Rejections, suspicions and flags.
    fileprivate var text: String { "\(rejections)/\(suspects)/\(flags)" }
}
