import SightlineCLI

/// Outcome of ``SpoofingEvaluation``.
package struct SpoofingReport: EvaluationReport {
    /// Results of the attacks of one kind.
    struct Kind: Encodable, Sendable {
        var kind: String
        var attacks: Int
        var target: Double?
        var detectionRate: Double
        /// Detection rate before the end of the attack, without detections by the return to the true track.
        var detectionRateDuring: Double
        var medianDelayFixes: Int?
        /// Area under the ROC curve of windows of 10 s; `nil` without windows.
        var area: Double?
        /// Share detected if only this signal has weights and only its rejections count.
        var detectionRateBySignalAlone: [String: Double]

        init(_ kind: AttackKind, _ results: [AttackResult], _ windows: MatchedWindows) {
            func rate(_ condition: (AttackResult) -> Bool) -> Double {
                results.count(where: condition).share(of: results.count)
            }
            self.kind = kind.rawValue
            attacks = results.count
            target = kind.target
            detectionRate = rate { $0.delayFixes != nil }
            detectionRateDuring = rate { $0.isDetectedDuring }
            medianDelayFixes = results.compactMap(\.delayFixes).sorted().quantile(0.5)
            area = WindowFigures(windows)?.area
            let shares = SpoofSignal.all.map { signal in
                (signal.name, rate { $0.detectingSignals.contains(signal.name) })
            }
            detectionRateBySignalAlone = Dictionary(uniqueKeysWithValues: shares).filter { $0.value > 0 }
        }
    }

    /// Window figures by the fields of the hosts; `nil` without windows.
    struct Pooled: Encodable, Sendable {
        var all: WindowFigures?
        var withSpeedAndHeading: WindowFigures?
        var withoutEither: WindowFigures?

        init(_ windows: MatchedWindows = MatchedWindows()) {
            all = WindowFigures(windows)
            withSpeedAndHeading = WindowFigures(windows.of(hostsWithMotionFields: true))
            withoutEither = WindowFigures(windows.of(hostsWithMotionFields: false))
        }
    }

    /// Separation of attack windows from honest windows by the highest risk in 10 s.
    struct WindowFigures: Encodable, Sendable {
        var area: Double
        var baselineTruePositiveRate: Double
        var baselineFalsePositiveRate: Double
        var roc: [RocCurve.Point]

        /// `nil` if a class is empty.
        init?(_ windows: MatchedWindows) {
            let (forged, honest) = (windows.forged, windows.honest)
            guard !forged.isEmpty, !honest.isEmpty else { return nil }
            let curve = RocCurve(positives: forged.map(\.risk), negatives: honest.map(\.risk))
            area = curve.area
            baselineTruePositiveRate = forged.count { $0.isBaselineHit }.share(of: forged.count)
            baselineFalsePositiveRate = honest.count { $0.isBaselineHit }.share(of: honest.count)
            roc = curve.thinned
        }
    }

    /// Attacks on hosts that are thinned to one fix every ``seconds``.
    struct Sampling: Encodable, Sendable {
        var seconds: Double
        var hosts: Int
        var kinds: [Kind]
    }

    package var seed: UInt64
    package var half: EvaluationHalf
    /// Number of traces into which attacks are injected, by origin.
    package var hosts: [String: Int] = [:]
    package var honest: [HonestTally] = []
    package var honestTotal: HonestTally?
    package var simulated: HonestTally?
    /// Results of jammed towns; empty without them.
    package var jamming: [JammingTally] = []
    package var recordedAttacks: [RecordedAttackTally] = []
    var kinds: [Kind] = []
    /// Median fixes until detection over all attacks with a target of 99 %.
    package var firstGroupMedianDelayFixes: Int?
    /// Window figures over all kinds with a target.
    var pooled = Pooled()
    var samplings: [Sampling] = []

    package var tables: [TextTable] {
        let attackColumns = "kind attacks target detection_rate detection_rate_during"
        let signals = SpoofSignal.all.map { "detection_rate_by_signal_alone.\($0.name)" }.joined(separator: " ")
        let tables = [
            TextTable(
                "Honest drivers (half: \(half)); baseline: literal rules of the case study",
                of: honest + [honestTotal, simulated].compactMap { $0 },
                "name traces drivers fixes rejected_fixes rejected_share suspect_traces flagged_traces highest_risk "
                    + "baseline_share"),
            TextTable(
                "Jammed quarters, and cheaters without jamming", of: jamming,
                "kind detects_interference drivers suspect_drivers flagged_drivers labelled_drivers "
                    + "median_delay_seconds"),
            TextTable(
                "Recorded attacks", of: recordedAttacks,
                "name attacks detected flagged rejected_forged_fixes rejected_honest_fixes"),
            TextTable(
                "Attacks, seed \(seed); detected: rejected as spoofed or flagged, at most 10 fixes after the end",
                of: kinds, attackColumns + " median_delay_fixes area"),
            TextTable(
                "Area under the ROC curve, windows of 10 s from 20 s after the onset",
                of: kinds.isEmpty ? [] : [pooled], "all.area with_speed_and_heading.area without_either.area"),
            TextTable(
                "Share detected by one signal alone", of: kinds.filter { !$0.detectionRateBySignalAlone.isEmpty },
                "kind " + signals),
        ]
        let thinned = samplings.map { sampling in
            TextTable(
                "Attacks on \(sampling.hosts) hosts with a fix every \(Int(sampling.seconds)) s", of: sampling.kinds,
                attackColumns + " area")
        }
        return (tables + thinned).filter { !$0.rows.isEmpty }
    }
}

extension Array<Int> {
    /// Returns a quantile of sorted values; `nil` without values.
    func quantile(_ share: Double) -> Int? {
        isEmpty ? nil : self[Swift.min(count - 1, Int((Double(count - 1) * share).rounded()))]
    }
}
