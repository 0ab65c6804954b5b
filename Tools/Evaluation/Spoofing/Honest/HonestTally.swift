import Domain
import Support

/// Results of honest drivers.
struct HonestTally: Sendable {
    /// Counts that are summed over traces and reported.
    struct Counts: Encodable, Sendable {
        var traces = 0
        var fixes = 0
        var hours = 0.0
        /// Fixes rejected as spoofed or as `CLOCK_SKEW`, and the latter alone.
        var rejectedFixes = 0
        var clockSkewFixes = 0
        /// Rejected fixes, except those with a simulated error of 0.3 to 10 km.
        var rejectedGoodFixes = 0
        /// Traces and separate occasions with a risk above the limits for suspects and for flags.
        var suspectTraces = 0
        var flaggedTraces = 0
        var suspectOnsets = 0
        var flaggedOnsets = 0
        var highestRisk = 0.0
        /// Alarms within 60 s after a gap of more than 10 s.
        var withinMinuteOfGap = Alarms()
        /// Alarms within 60 s after a tunnel ended or a cold start began; simulations only.
        var withinMinuteOfTunnelOrColdStart = Alarms()
        /// Fixes and traces that match a baseline rule.
        var baselineFixes = 0
        var baselineTraces = 0
        /// Rejected fixes and raised warnings by reason code.
        var rejections: [String: Int] = [:]
        var warnings: [String: Int] = [:]
    }

    /// Rejected good fixes, and occasions on which a driver became suspect or was flagged.
    struct Alarms: Encodable, Sendable {
        var rejections = 0
        var suspects = 0
        var flags = 0

        static func += (left: inout Alarms, right: Alarms) {
            left.rejections += right.rejections
            left.suspects += right.suspects
            left.flags += right.flags
        }
    }

    /// Rejected fixes of one driver of a recording.
    struct DriverLoss: Encodable, Sendable, Equatable {
        var origin: String
        var driver: String
        var fixes = 0
        var rejectedFixes = 0
        var clockSkewFixes = 0

        /// Maximum share of an honest driver's fixes that should be rejected.
        static let target = 0.001

        var rejectedShare: Double { rejectedFixes.share(of: fixes) }
    }

    /// An occasion on which an honest driver became suspect or was flagged.
    struct FalseAlarm: Encodable, Sendable {
        var origin: String
        var trace: String
        var atMs: Int64
        var isFlag: Bool
        var risk: Double
        /// Reason codes of the two minutes before the alarm.
        var reasons: [String]
        var secondsAfterTunnelOrColdStart: Double?
    }

    private(set) var counts = Counts()
    /// Rejected fixes by recording and driver.
    private(set) var drivers: [[String]: DriverLoss] = [:]
    private(set) var falseAlarms: [FalseAlarm] = []

    private static let maximumFalseAlarms = 100
    private static let gapSeconds = 10.0
    private static let afterSeconds = 60.0

    mutating func add(_ trace: ReceivedTrace, _ outcomes: [FixOutcome], _ baselineHits: [Bool]) {
        guard let first = outcomes.first, let last = outcomes.last else { return }
        counts.traces += 1
        counts.fixes += outcomes.count
        counts.hours += max(0, last.at.seconds(since: first.at)) / 3600
        let hits = baselineHits.count { $0 }
        counts.baselineFixes += hits
        if hits > 0 { counts.baselineTraces += 1 }
        if outcomes.contains(where: \.isSuspect) { counts.suspectTraces += 1 }
        if outcomes.contains(where: \.isFlagged) { counts.flaggedTraces += 1 }
        var (gapEnd, signalReturn): (Timestamp?, Timestamp?)
        var returns = trace.signalReturns[...]
        let driver = [trace.origin, trace.driver]
        var loss = drivers[driver] ?? DriverLoss(origin: trace.origin, driver: trace.driver)
        for (index, outcome) in outcomes.enumerated() {
            let before = index > 0 ? outcomes[index - 1] : nil
            if let before, outcome.at.seconds(since: before.at) > Self.gapSeconds { gapEnd = outcome.at }
            while let next = returns.first, next <= outcome.at { signalReturn = returns.removeFirst() }
            count(outcome, &loss)
            let alarms = Alarms(
                rejections: outcome.isLost && !trace.glitches.contains(index) ? 1 : 0,
                suspects: outcome.isSuspect && before?.isSuspect != true ? 1 : 0,
                flags: outcome.isFlagged && before?.isFlagged != true ? 1 : 0)
            counts.rejectedGoodFixes += alarms.rejections
            counts.suspectOnsets += alarms.suspects
            counts.flaggedOnsets += alarms.flags
            if let gapEnd, outcome.at.seconds(since: gapEnd) <= Self.afterSeconds { counts.withinMinuteOfGap += alarms }
            let sinceReturn = signalReturn.map { outcome.at.seconds(since: $0) }
            if let sinceReturn, sinceReturn <= Self.afterSeconds { counts.withinMinuteOfTunnelOrColdStart += alarms }
            if alarms.suspects + alarms.flags > 0, falseAlarms.count < Self.maximumFalseAlarms {
                falseAlarms.append(Self.falseAlarm(trace, outcomes, at: index, sinceReturn))
            }
        }
        drivers[driver] = loss
    }

    private static func falseAlarm(
        _ trace: ReceivedTrace, _ outcomes: [FixOutcome], at index: Int, _ secondsAfterReturn: Double?
    ) -> FalseAlarm {
        let outcome = outcomes[index]
        let reasons = outcomes[...index].reversed().prefix(while: { outcome.at.seconds(since: $0.at) <= 120 })
            .reduce(into: Reasons()) { $0.formUnion($1.reasons.union($1.warned)) }
        return FalseAlarm(
            origin: trace.origin, trace: trace.name, atMs: outcome.at.milliseconds, isFlag: outcome.isFlagged,
            risk: Double(outcome.risk), reasons: reasons.codes, secondsAfterTunnelOrColdStart: secondsAfterReturn)
    }

    private mutating func count(_ outcome: FixOutcome, _ loss: inout DriverLoss) {
        counts.highestRisk = max(counts.highestRisk, Double(outcome.risk))
        loss.fixes += 1
        if outcome.isLost {
            counts.rejectedFixes += 1
            loss.rejectedFixes += 1
            if outcome.reasons.contains(.clockSkew) {
                counts.clockSkewFixes += 1
                loss.clockSkewFixes += 1
            }
            for code in outcome.reasons.intersection(FixOutcome.lossReasons).codes {
                counts.rejections[code, default: 0] += 1
            }
        }
        if outcome.warned != [] { for code in outcome.warned.codes { counts.warnings[code, default: 0] += 1 } }
    }
}

extension Reasons {
    /// The codes in wire order.
    var codes: [String] { Self.all.filter { contains($0.value) }.map { "\($0.code)" } }
}

extension Int {
    /// Returns the quotient of two counts; 0 if `whole` is 0.
    func share(of whole: Int) -> Double { whole == 0 ? 0 : Double(self) / Double(whole) }
}
