import Domain
import SightlineCLI

/// Outcome of ``SpoofingEvaluation``.
package struct SpoofingReport: EvaluationReport {
    /// Results of the honest drivers of a recording or simulation.
    struct Honest: Encodable, Sendable {
        var name: String
        var counts: HonestTally.Counts
        var rejectedShare: Double
        var baselineShare: Double
        var drivers: Int
        /// Drivers with more than 0.1 % of their fixes rejected.
        var losingDrivers: Int
        /// Up to 20 drivers with the largest rejected shares.
        var losses: [HonestTally.DriverLoss]
        var suspectsPerThousandHours: Double
        var flagsPerThousandHours: Double
        /// The first occasions on which a driver became suspect or was flagged.
        var falseAlarms: [HonestTally.FalseAlarm]

        private static let listedLosses = 20

        init(_ name: String, _ tally: HonestTally) {
            self.name = name
            counts = tally.counts
            rejectedShare = counts.rejectedFixes.share(of: counts.fixes)
            baselineShare = counts.baselineFixes.share(of: counts.fixes)
            drivers = tally.drivers.count
            losingDrivers = tally.drivers.values.count { $0.rejectedShare > HonestTally.DriverLoss.target }
            losses = Array(
                tally.drivers.values.filter { $0.rejectedFixes > 0 }.sorted {
                    (-$0.rejectedShare, $0.origin, $0.driver) < (-$1.rejectedShare, $1.origin, $1.driver)
                }.prefix(Self.listedLosses))
            let thousands = max(1e-9, counts.hours / 1000)
            suspectsPerThousandHours = Double(counts.suspectOnsets) / thousands
            flagsPerThousandHours = Double(counts.flaggedOnsets) / thousands
            falseAlarms = tally.falseAlarms
        }
    }

    /// Results of the attacks of one kind.
    struct Kind: Encodable, Sendable {
        var kind: String
        var attacks: Int
        var target: Double?
        var detectionRate: Double
        /// Detection rate before the end of the attack, without detections by the return to the true track.
        var detectionRateDuring: Double
        var suspectRate: Double
        var flaggedRate: Double
        var medianDelayFixes: Int?
        var p90DelayFixes: Int?
        /// Median fixes until the driver is suspect or the attack is detected.
        var medianSuspectDelayFixes: Int?
        var baselineRate: Double
        /// Share of the attacks with each reason code.
        var signals: [String: Double] = [:]
        var detectionRateByOrigin: [String: Double]
        var windows: FieldFigures
        /// Share detected if only this signal has weights and only its rejections count.
        var detectionRateBySignalAlone: [String: Double] = [:]
        var missed: [AttackResult]

        private static let listedMisses = 40

        init(_ kind: AttackKind, _ results: [AttackResult], _ windows: FieldFigures) {
            func rate(_ holds: (AttackResult) -> Bool) -> Double {
                results.count(where: holds).share(of: results.count)
            }
            self.kind = kind.rawValue
            self.windows = windows
            attacks = results.count
            target = kind.target
            detectionRate = rate { $0.delayFixes != nil }
            detectionRateDuring = rate { $0.isDetectedDuring }
            suspectRate = rate { $0.isSuspect && !$0.wasSuspect }
            flaggedRate = rate { $0.isFlagged }
            let delays = results.compactMap(\.delayFixes).sorted()
            (medianDelayFixes, p90DelayFixes) = (delays.quantile(0.5), delays.quantile(0.9))
            medianSuspectDelayFixes = results.compactMap(\.suspectDelayFixes).sorted().quantile(0.5)
            baselineRate = rate { $0.isBaselineHit }
            detectionRateByOrigin = Dictionary(grouping: results, by: \.origin).mapValues { group in
                group.count { $0.delayFixes != nil }.share(of: group.count)
            }
            missed = Array(results.filter { $0.delayFixes == nil }.prefix(Self.listedMisses))
            for (code, _) in Reasons.all {
                let share = rate { $0.codes.contains("\(code)") }
                if share > 0 { signals["\(code)"] = share }
            }
            for signal in SpoofSignal.allCases {
                let share = rate { $0.detectingSignals.contains(signal.rawValue) }
                if share > 0 { detectionRateBySignalAlone[signal.rawValue] = share }
            }
        }
    }

    /// Window figures by the fields of the hosts; `nil` without windows.
    struct FieldFigures: Encodable, Sendable {
        var all: WindowFigures?
        var withSpeedAndHeading: WindowFigures?
        var withoutEither: WindowFigures?

        init(_ windows: MatchedWindows, includesCurve: Bool = false) {
            let (forged, honest) = (windows.forged.map(\.windows), windows.honest.map(\.windows))
            all = WindowFigures(forged[0] + forged[1], honest[0] + honest[1], includesCurve)
            withSpeedAndHeading = WindowFigures(forged[0], honest[0], includesCurve)
            withoutEither = WindowFigures(forged[1], honest[1], includesCurve)
        }
    }

    /// Separation of attack windows from honest ones by the highest risk in 10 s.
    struct WindowFigures: Encodable, Sendable {
        var windows: Int
        var honestWindows: Int
        var area: Double
        var truePositiveRateAtOneInHundred: Double
        var baselineTruePositiveRate: Double
        var baselineFalsePositiveRate: Double
        /// Points of the curve; only of the pooled windows.
        var roc: [RocCurve.Point] = []

        /// `nil` if a class is empty.
        init?(_ forged: [WindowScores.Window], _ honest: [WindowScores.Window], _ includesCurve: Bool) {
            guard !forged.isEmpty, !honest.isEmpty else { return nil }
            let curve = RocCurve(positives: forged.map(\.risk), negatives: honest.map(\.risk))
            (windows, honestWindows) = (forged.count, honest.count)
            area = curve.area
            truePositiveRateAtOneInHundred = curve.truePositiveRate(at: 0.01)
            baselineTruePositiveRate = forged.count { $0.isBaselineHit }.share(of: forged.count)
            baselineFalsePositiveRate = honest.count { $0.isBaselineHit }.share(of: honest.count)
            if includesCurve { roc = curve.thinned }
        }
    }

    /// Attacks on hosts that are thinned to one fix every ``seconds``.
    struct Sampling: Encodable, Sendable {
        var seconds: Double
        var hosts: Int
        var kinds: [Kind]
    }

    package var seed: UInt64
    package var half: String
    /// By origin, the number of traces into which attacks are injected.
    package var hosts: [String: Int] = [:]
    var honest: [Honest] = []
    var honestTotal: Honest?
    var simulated: Honest?
    /// Empty without jammed towns.
    package var jamming: [JammingTally] = []
    package var recordedAttacks: [RecordedAttackTally] = []
    var kinds: [Kind] = []
    /// Median fixes until detection over all attacks with a target of 99 %.
    package var firstGroupMedianDelayFixes: Int?
    /// Window figures over all kinds with a target.
    var pooled = FieldFigures(MatchedWindows())
    var samplings: [Sampling] = []
    package var races: [RaceTally] = []

    init(_ options: SpoofingOptions) {
        seed = options.seed
        half = options.half.rawValue
    }
}

extension SpoofingReport {
    package var tables: [TextTable] { (honestTables + attackTables).filter { !$0.rows.isEmpty } }

    private var honestTables: [TextTable] {
        let rows = honest + [honestTotal, simulated].compactMap { $0 }
        return [
            TextTable(
                "Honest drivers (half: \(half)); baseline: literal rules of the case study", of: rows,
                columns: [
                    "name", "counts.traces", "counts.hours", "counts.fixes", "counts.rejected_fixes", "rejected_share",
                    "drivers", "losing_drivers", "counts.suspect_traces", "counts.flagged_traces",
                    "counts.highest_risk", "flags_per_thousand_hours", "baseline_share",
                ]),
            TextTable(
                "Honest drivers with the largest rejected shares", of: honestTotal?.losses ?? [],
                columns: ["origin", "driver", "fixes", "rejected_fixes", "clock_skew_fixes"]),
            TextTable(
                "Jammed quarters, and cheaters without jamming", of: jamming,
                columns: [
                    "kind", "detects_interference", "drivers", "rejected_drivers", "suspect_drivers",
                    "flagged_drivers", "labelled_drivers", "median_delay_seconds",
                ]),
            TextTable(
                "Recorded attacks", of: recordedAttacks,
                columns: [
                    "name", "attacks", "detected", "flagged", "median_delay_fixes", "forged_fixes",
                    "rejected_forged_fixes", "honest_fixes", "rejected_honest_fixes", "baseline_detected",
                ]),
        ]
    }

    private var attackTables: [TextTable] {
        var tables = [
            TextTable(
                "Attacks, seed \(seed); detected: rejected as spoofed or flagged, at most 10 fixes after the end",
                of: kinds,
                columns: [
                    "kind", "attacks", "target", "detection_rate", "detection_rate_during", "suspect_rate",
                    "flagged_rate", "median_delay_fixes", "p90_delay_fixes", "baseline_rate", "windows.all.area",
                ]),
            TextTable(
                "Area under the ROC curve, windows of 10 s from 20 s after the onset",
                of: kinds.isEmpty ? [] : [pooled],
                columns: ["all.windows", "all.area", "with_speed_and_heading.area", "without_either.area"]),
        ]
        for sampling in samplings {
            tables.append(
                TextTable(
                    "Attacks on \(sampling.hosts) hosts with a fix every \(Int(sampling.seconds)) s",
                    of: sampling.kinds,
                    columns: [
                        "kind", "attacks", "target", "detection_rate", "detection_rate_during", "windows.all.area",
                    ]))
        }
        tables.append(
            TextTable(
                "Tracks that start to move faster than any vehicle; marked within three fixes", of: races,
                columns: ["seconds", "kilometers_per_hour", "races", "marked", "rejected"]))
        if kinds.contains(where: { !$0.detectionRateBySignalAlone.isEmpty }) {
            let signals = SpoofSignal.allCases.map { "detection_rate_by_signal_alone.\($0.rawValue)" }
            tables.append(TextTable("Share detected by one signal alone", of: kinds, columns: ["kind"] + signals))
        }
        return tables
    }
}

extension Array<Int> {
    /// Returns a quantile of sorted values; `nil` without values.
    func quantile(_ share: Double) -> Int? {
        isEmpty ? nil : self[Swift.min(count - 1, Int((Double(count - 1) * share).rounded()))]
    }
}
