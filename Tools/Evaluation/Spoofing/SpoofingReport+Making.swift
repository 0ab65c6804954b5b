import Domain

extension SpoofingReport {
    init(
        options: SpoofingOptions, honest: [(name: String, tally: HonestTally)], simulated: HonestTally?,
        recordedAttacks: [(name: String, tally: RecordedAttackTally)], attacks: AttackScores,
        sampled: [SampledAttacks], hosts: [(String, Int)]
    ) {
        seed = options.seed
        half = options.half.rawValue
        self.hosts = Dictionary(hosts, uniquingKeysWith: +)
        self.honest = honest.map { Honest($0.name, $0.tally) }
        if !honest.isEmpty {
            var total = HonestTally()
            for (_, tally) in honest { total.add(tally) }
            honestTotal = Honest("all recordings", total)
        }
        self.simulated = simulated.map { Honest("simulated", $0) }
        self.recordedAttacks = recordedAttacks.map { RecordedAttacks($0.name, $0.tally) }
        for kind in options.kinds {
            let results = attacks.results.filter { $0.kind == kind }
            guard !results.isEmpty else { continue }
            kinds.append(Kind(kind, results, FieldFigures(attacks.windows[kind] ?? FieldWindows())))
        }
        firstGroupMedianDelayFixes =
            attacks.results.filter { $0.kind.isOfFirstGroup }.compactMap(\.delayFixes).sorted().quantile(0.5)
        pooled = FieldFigures(attacks.pooled, tracesCurve: true)
        samplings = sampled.map { Sampling($0, kinds: options.kinds) }
    }

    static func share(_ part: Int, of whole: Int) -> Double { whole == 0 ? 0 : Double(part) / Double(whole) }
}

extension SpoofingReport.Honest {
    init(_ name: String, _ tally: HonestTally) {
        self.name = name
        traces = tally.traces
        fixes = tally.fixes
        hours = tally.seconds / 3600
        rejectedFixes = tally.lostFixes
        rejectedShare = SpoofingReport.share(tally.lostFixes, of: tally.fixes)
        clockSkewFixes = tally.clockSkewFixes
        drivers = tally.drivers.count
        losingDrivers = tally.drivers.values.count { $0.share > DriverLoss.target }
        losses = Self.losses(of: tally.drivers)
        rejections = tally.rejections
        warnings = tally.warnings
        suspectTraces = tally.suspectTraces
        flaggedTraces = tally.flaggedTraces
        suspectOnsets = tally.suspectOnsets
        flaggedOnsets = tally.flaggedOnsets
        let thousands = max(1e-9, hours / 1000)
        suspectsPerThousandHours = Double(tally.suspectOnsets) / thousands
        flagsPerThousandHours = Double(tally.flaggedOnsets) / thousands
        highestRisk = Double(tally.highestRisk)
        rejectedGoodFixes = tally.lostGoodFixes
        withinMinuteOfGap = SpoofingReport.Alarms(tally.afterGaps)
        withinMinuteOfTunnelOrColdStart = SpoofingReport.Alarms(tally.afterMishaps)
        blames = tally.blames.map {
            SpoofingReport.Blame(
                origin: $0.origin, trace: $0.trace, atMs: $0.at.milliseconds, isFlag: $0.isFlag, risk: Double($0.risk),
                reasons: $0.reasons.codes, secondsAfterTunnelOrColdStart: $0.secondsAfterMishap)
        }
        baselineShare = SpoofingReport.share(tally.baselineFixes, of: tally.fixes)
        baselineTraces = tally.baselineTraces
    }
}

extension SpoofingReport.Honest {
    /// Drivers that are listed at most.
    private static let listedLosses = 20

    /// Lists the drivers who lost the largest shares; of equal ones in the order of their names.
    private static func losses(of drivers: [DriverLoss.Driver: DriverLoss]) -> [SpoofingReport.Loss] {
        drivers.filter { $0.value.lostFixes > 0 }.sorted {
            (-$0.value.share, $0.key.origin, $0.key.name) < (-$1.value.share, $1.key.origin, $1.key.name)
        }.prefix(listedLosses).map {
            SpoofingReport.Loss(
                origin: $0.key.origin, driver: $0.key.name, fixes: $0.value.fixes, rejectedFixes: $0.value.lostFixes,
                clockSkewFixes: $0.value.clockSkewFixes, rejectedShare: $0.value.share)
        }
    }
}

extension SpoofingReport.Alarms {
    init(_ alarms: HonestTally.Alarms) {
        rejections = alarms.rejections
        suspects = alarms.suspects
        flags = alarms.flags
    }
}

extension SpoofingReport.RecordedAttacks {
    init(_ name: String, _ tally: RecordedAttackTally) {
        self.name = name
        attacks = tally.attacks
        detected = tally.detected
        flagged = tally.flagged
        forgedFixes = tally.forgedFixes
        rejectedForgedFixes = tally.accusedForgedFixes
        rejectedOrMarkedForgedFixes = tally.markedForgedFixes
        honestFixes = tally.honestFixes
        rejectedHonestFixes = tally.accusedHonestFixes
        medianDelayFixes = tally.delaysFixes.sorted().quantile(0.5)
        baselineDetected = tally.baselineDetected
    }
}

extension SpoofingReport.Kind {
    /// Missed attacks that are listed at most.
    private static let listedMisses = 40

    init(_ kind: AttackKind, _ results: [AttackResult], _ windows: SpoofingReport.FieldFigures) {
        self.kind = kind.rawValue
        self.windows = windows
        attacks = results.count
        target = kind.target
        func rate(_ holds: (AttackResult) -> Bool) -> Double {
            SpoofingReport.share(results.count(where: holds), of: results.count)
        }
        detectionRate = rate { $0.delayFixes != nil }
        detectionRateDuring = rate { $0.isDetectedDuring }
        suspectRate = rate { $0.isSuspect && !$0.wasSuspect }
        flaggedRate = rate { $0.isFlagged }
        let delays = results.compactMap(\.delayFixes).sorted()
        medianDelayFixes = delays.quantile(0.5)
        p90DelayFixes = delays.quantile(0.9)
        medianSuspectDelayFixes = results.compactMap(\.suspectDelayFixes).sorted().quantile(0.5)
        baselineRate = rate { $0.isBaselineHit }
        var signals: [String: Double] = [:]
        for (code, reason) in Reasons.all {
            let share = rate { $0.reasons.contains(reason) }
            if share > 0 { signals["\(code)"] = share }
        }
        self.signals = signals
        detectionRateByOrigin = Dictionary(grouping: results, by: \.origin).mapValues { group in
            SpoofingReport.share(group.count { $0.delayFixes != nil }, of: group.count)
        }
        detectionRateBySignalAlone = [:]
        if results.contains(where: { !$0.detectingSignals.isEmpty }) {
            for signal in SpoofSignal.allCases {
                let share = rate { $0.detectingSignals.contains(signal) }
                if share > 0 { detectionRateBySignalAlone[signal.rawValue] = share }
            }
        }
        missed = results.filter { $0.delayFixes == nil }.prefix(Self.listedMisses).map {
            SpoofingReport.Miss(
                origin: $0.origin, trace: $0.trace, beganMs: $0.began.milliseconds, forgedFixes: $0.forgedFixes,
                highestRisk: Double($0.highestRisk), reasons: $0.reasons.codes)
        }
    }
}

extension SpoofingReport.Sampling {
    init(_ sampled: SampledAttacks, kinds: [AttackKind]) {
        seconds = sampled.seconds
        hosts = sampled.hosts
        self.kinds = kinds.compactMap { kind in
            let results = sampled.scores.results.filter { $0.kind == kind }
            return results.isEmpty
                ? nil : SpoofingReport.SampledKind(kind, results, sampled.scores.windows[kind] ?? FieldWindows())
        }
    }
}

extension SpoofingReport.SampledKind {
    init(_ kind: AttackKind, _ results: [AttackResult], _ windows: FieldWindows) {
        self.kind = kind.rawValue
        attacks = results.count
        target = kind.target
        detectionRate = SpoofingReport.share(results.count { $0.delayFixes != nil }, of: results.count)
        detectionRateDuring = SpoofingReport.share(results.count { $0.isDetectedDuring }, of: results.count)
        replayRate = SpoofingReport.share(results.count { $0.reasons.contains(.replayedTrack) }, of: results.count)
        self.windows = SpoofingReport.FieldFigures(windows)
    }
}

extension SpoofingReport.FieldFigures {
    init(_ windows: FieldWindows, tracesCurve: Bool = false) {
        all = SpoofingReport.WindowFigures(windows.all, tracesCurve)
        withSpeedAndHeading = SpoofingReport.WindowFigures(windows.complete, tracesCurve)
        withoutEither = SpoofingReport.WindowFigures(windows.others, tracesCurve)
    }
}

extension SpoofingReport.WindowFigures {
    /// `nil` where a class is empty.
    init?(_ matched: MatchedWindows, _ tracesCurve: Bool) {
        let (forged, honest) = (matched.forged.windows, matched.honest.windows)
        guard !forged.isEmpty, !honest.isEmpty else { return nil }
        let curve = RocCurve(positives: forged.map(\.risk), negatives: honest.map(\.risk))
        windows = forged.count
        honestWindows = honest.count
        area = curve.area
        truePositiveRateAtOneInHundred = curve.truePositiveRate(at: 0.01)
        baselineTruePositiveRate = SpoofingReport.share(forged.count { $0.isBaselineHit }, of: forged.count)
        baselineFalsePositiveRate = SpoofingReport.share(honest.count { $0.isBaselineHit }, of: honest.count)
        guard tracesCurve else { return }
        roc = curve.thinned.map {
            SpoofingReport.RocPoint(
                falsePositiveRate: $0.falsePositiveRate, truePositiveRate: $0.truePositiveRate)
        }
    }
}

extension Array<Int> {
    /// The value that a share of sorted values does not exceed; `nil` without values.
    func quantile(_ share: Double) -> Int? {
        isEmpty ? nil : self[Swift.min(count - 1, Int((Double(count - 1) * share).rounded()))]
    }
}
