import Domain
import Support

/// What the judge and the baseline made of one attack.
struct AttackResult: Sendable {
    var kind: AttackKind
    /// Origin and name of the host, and when the attack began.
    var origin: String
    var trace: String
    var began: Timestamp
    var forgedFixes: Int
    /// Fixes from the first forged one to the one that gave it away, that one included; `nil` for a miss.
    var delayFixes: Int?
    /// The same to the first fix at which the driver is a suspect who was none before, or detected.
    var suspectDelayFixes: Int?
    /// As ``delayFixes``, and not only after the attack was over.
    var isDetectedDuring = false
    var isFlagged = false
    var isSuspect = false
    /// Whether the driver was a suspect before it began, which proves nothing then.
    var wasSuspect = false
    var highestRisk: Float = 0
    /// Codes seen on its fixes or in warnings.
    var reasons: Reasons = []
    var isBaselineHit = false
    /// Signals that detect it alone; empty unless they were tried.
    var detectingSignals: Set<SpoofSignal> = []

    init(_ attack: InjectedAttack, _ outcomes: [FixOutcome], _ hits: [Bool]) {
        kind = attack.kind
        origin = attack.trace.origin
        trace = attack.trace.name
        let start = attack.range.lowerBound
        began = outcomes[start].at
        forgedFixes = attack.range.count
        wasSuspect = start > 0 && outcomes[start - 1].isSuspect
        let wasFlagged = start > 0 && outcomes[start - 1].isFlagged
        for index in attack.watched {
            let outcome = outcomes[index]
            let flags = outcome.isFlagged && !wasFlagged
            if delayFixes == nil, outcome.isAccused || flags {
                delayFixes = index - start + 1
                isDetectedDuring = index < attack.range.upperBound
            }
            let isNewSuspect = outcome.isSuspect && !wasSuspect
            if suspectDelayFixes == nil, isNewSuspect || delayFixes != nil { suspectDelayFixes = index - start + 1 }
            isFlagged = isFlagged || flags
            isSuspect = isSuspect || outcome.isSuspect
            highestRisk = max(highestRisk, outcome.risk)
            reasons.formUnion(outcome.reasons)
            reasons.formUnion(outcome.warned)
            isBaselineHit = isBaselineHit || hits[index]
        }
    }
}
