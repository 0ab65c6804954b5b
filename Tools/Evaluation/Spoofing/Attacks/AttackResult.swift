import Domain
import Support

/// Result of one attack.
struct AttackResult: Encodable, Sendable {
    var origin: String
    var trace: String
    var beganMs: Int64
    var forgedFixes: Int
    /// Fixes from the first forged one to the detection, inclusive; `nil` for a miss.
    var delayFixes: Int?
    /// Fixes until the driver becomes suspect or the attack is detected.
    var suspectDelayFixes: Int?
    /// Whether the detection was before the end of the attack.
    var isDetectedDuring = false
    var isFlagged = false
    var isSuspect = false
    /// Whether the driver was already suspect before the attack.
    var wasSuspect = false
    var highestRisk: Float = 0
    /// Reason codes of the watched fixes and their warnings.
    var codes: [String]
    var isBaselineHit = false
    /// Signals that detect it alone; empty unless they were evaluated.
    var detectingSignals: [String] = []

    init(_ attack: InjectedAttack, _ outcomes: [FixOutcome], _ baselineHits: [Bool]) {
        origin = attack.trace.origin
        trace = attack.trace.name
        let start = attack.range.lowerBound
        beganMs = outcomes[start].at.milliseconds
        forgedFixes = attack.range.count
        wasSuspect = start > 0 && outcomes[start - 1].isSuspect
        let wasFlagged = start > 0 && outcomes[start - 1].isFlagged
        var reasons: Reasons = []
        for index in attack.watched {
            let outcome = outcomes[index]
            let isNewFlag = outcome.isFlagged && !wasFlagged
            if delayFixes == nil, outcome.isRejectedAsSpoofed || isNewFlag {
                delayFixes = index - start + 1
                isDetectedDuring = index < attack.range.upperBound
            }
            let isNewSuspect = outcome.isSuspect && !wasSuspect
            if suspectDelayFixes == nil, isNewSuspect || delayFixes != nil { suspectDelayFixes = index - start + 1 }
            isFlagged = isFlagged || isNewFlag
            isSuspect = isSuspect || outcome.isSuspect
            highestRisk = max(highestRisk, outcome.risk)
            reasons.formUnion(outcome.reasons.union(outcome.warned))
            isBaselineHit = isBaselineHit || baselineHits[index]
        }
        codes = reasons.codes
    }
}
