import Domain
import Support

/// What the judge and the baseline say of honest drivers, summed up.
struct HonestTally: Sendable {
    var traces = 0
    var fixes = 0
    var seconds = 0.0
    /// Fixes rejected for an accusing reason or as `CLOCK_SKEW`.
    var lostFixes = 0
    /// Those of them that were rejected as `CLOCK_SKEW`.
    var clockSkewFixes = 0
    /// The same for each driver, by origin and name.
    private(set) var drivers: [DriverLoss.Driver: DriverLoss] = [:]
    /// Fixes rejected for each of those reasons, and warnings raised, by code.
    var rejections: [String: Int] = [:]
    var warnings: [String: Int] = [:]
    /// Traces, and separate occasions, over the risks for marking and for flagging.
    var suspectTraces = 0
    var flaggedTraces = 0
    var suspectOnsets = 0
    var flaggedOnsets = 0
    var highestRisk: Float = 0
    /// Fixes rejected though the receiver was not wildly wrong; differs from ``lostFixes`` in simulations only.
    var lostGoodFixes = 0
    /// Within 60 s after a gap of over 10 s.
    var afterGaps = Alarms()
    /// Within 60 s after the end of a tunnel or a cold start; known in simulations only.
    var afterMishaps = Alarms()
    var baselineFixes = 0
    var baselineTraces = 0

    /// What an honest driver can be wrongly accused of: fixes rejected (glitches apart), and occasions of suspicion.
    struct Alarms: Sendable {
        var rejections = 0
        var suspects = 0
        var flags = 0

        static func + (left: Alarms, right: Alarms) -> Alarms {
            Alarms(
                rejections: left.rejections + right.rejections, suspects: left.suspects + right.suspects,
                flags: left.flags + right.flags)
        }
    }

    /// An occasion on which an honest driver became a suspect, or was flagged, so that it can be looked at.
    struct Blame: Sendable {
        var origin: String
        var trace: String
        var at: Timestamp
        var isFlag: Bool
        var risk: Float
        /// Codes seen in the two minutes before.
        var reasons: Reasons
        /// Since the last tunnel or cold start ended, in seconds.
        var secondsAfterMishap: Double?
    }

    /// Occasions that are kept at most.
    static let keptBlames = 100
    private(set) var blames: [Blame] = []

    static let gapSeconds = 10.0
    static let afterSeconds = 60.0

    mutating func add(_ trace: ReceivedTrace, _ outcomes: [FixOutcome], _ hits: [Bool]) {
        guard let first = outcomes.first, let last = outcomes.last else { return }
        traces += 1
        fixes += outcomes.count
        seconds += max(0, last.at.seconds(since: first.at))
        let baseline = hits.count { $0 }
        baselineFixes += baseline
        if baseline > 0 { baselineTraces += 1 }
        var wasSuspect = false
        var wasFlagged = false
        var sawSuspect = false
        var sawFlagged = false
        var gapEnd: Timestamp?
        var mishap = 0
        var loss = DriverLoss()
        for (index, outcome) in outcomes.enumerated() {
            if index > 0, outcome.at.seconds(since: outcomes[index - 1].at) > Self.gapSeconds { gapEnd = outcome.at }
            while mishap < trace.mishaps.count, trace.mishaps[mishap] <= outcome.at { mishap += 1 }
            count(outcome)
            loss.add(outcome)
            let alarms = Alarms(
                rejections: outcome.isLost && !trace.glitches.contains(index) ? 1 : 0,
                suspects: outcome.isSuspect && !wasSuspect ? 1 : 0, flags: outcome.isFlagged && !wasFlagged ? 1 : 0)
            lostGoodFixes += alarms.rejections
            suspectOnsets += alarms.suspects
            flaggedOnsets += alarms.flags
            if let gapEnd, outcome.at.seconds(since: gapEnd) <= Self.afterSeconds { afterGaps = afterGaps + alarms }
            if mishap > 0, outcome.at.seconds(since: trace.mishaps[mishap - 1]) <= Self.afterSeconds {
                afterMishaps = afterMishaps + alarms
            }
            if alarms.suspects + alarms.flags > 0, blames.count < Self.keptBlames {
                let after = mishap > 0 ? outcome.at.seconds(since: trace.mishaps[mishap - 1]) : nil
                blames.append(Self.blame(trace, outcomes, at: index, after))
            }
            (wasSuspect, wasFlagged) = (outcome.isSuspect, outcome.isFlagged)
            sawSuspect = sawSuspect || wasSuspect
            sawFlagged = sawFlagged || wasFlagged
        }
        drivers[DriverLoss.Driver(origin: trace.origin, name: trace.driver), default: DriverLoss()].add(loss)
        if sawSuspect { suspectTraces += 1 }
        if sawFlagged { flaggedTraces += 1 }
    }

    private static func blame(
        _ trace: ReceivedTrace, _ outcomes: [FixOutcome], at index: Int, _ secondsAfterMishap: Double?
    ) -> Blame {
        var reasons: Reasons = []
        var earlier = index
        while earlier >= 0, outcomes[index].at.seconds(since: outcomes[earlier].at) <= 120 {
            reasons.formUnion(outcomes[earlier].reasons.union(outcomes[earlier].warned))
            earlier -= 1
        }
        return Blame(
            origin: trace.origin, trace: trace.name, at: outcomes[index].at, isFlag: outcomes[index].isFlagged,
            risk: outcomes[index].risk, reasons: reasons, secondsAfterMishap: secondsAfterMishap)
    }

    private mutating func count(_ outcome: FixOutcome) {
        highestRisk = max(highestRisk, outcome.risk)
        if outcome.isLost {
            lostFixes += 1
            if outcome.reasons.contains(.clockSkew) { clockSkewFixes += 1 }
            for code in outcome.reasons.intersection(FixOutcome.losing).codes { rejections[code, default: 0] += 1 }
        }
        if outcome.warned != [] { for code in outcome.warned.codes { warnings[code, default: 0] += 1 } }
    }

    mutating func add(_ other: HonestTally) {
        traces += other.traces
        fixes += other.fixes
        seconds += other.seconds
        lostFixes += other.lostFixes
        clockSkewFixes += other.clockSkewFixes
        drivers.merge(other.drivers) { $0.adding($1) }
        rejections.merge(other.rejections, uniquingKeysWith: +)
        warnings.merge(other.warnings, uniquingKeysWith: +)
        suspectTraces += other.suspectTraces
        flaggedTraces += other.flaggedTraces
        suspectOnsets += other.suspectOnsets
        flaggedOnsets += other.flaggedOnsets
        highestRisk = max(highestRisk, other.highestRisk)
        lostGoodFixes += other.lostGoodFixes
        afterGaps = afterGaps + other.afterGaps
        afterMishaps = afterMishaps + other.afterMishaps
        baselineFixes += other.baselineFixes
        baselineTraces += other.baselineTraces
        blames += other.blames.prefix(max(0, Self.keptBlames - blames.count))
    }
}

extension Reasons {
    /// The codes in it, in wire order.
    var codes: [String] { Self.all.filter { contains($0.value) }.map { "\($0.code)" } }
}
