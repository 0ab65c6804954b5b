/// Results of traces with labelled recorded attacks.
package struct RecordedAttackTally: Encodable, Sendable {
    package var name: String
    var traces = 0
    /// Labelled stretches, and those detected during the attack or within ten fixes after it.
    package var attacks = 0
    package var detected = 0
    package var flagged = 0
    package var baselineDetected = 0
    package var forgedFixes = 0
    package var rejectedForgedFixes = 0
    /// Forged fixes that were rejected or whose driver was suspect or flagged.
    package var rejectedOrMarkedForgedFixes = 0
    package var honestFixes = 0
    package var rejectedHonestFixes = 0
    /// Fixes from the start of each detected attack to its detection, and their median.
    private(set) var delaysFixes: [Int] = []
    package private(set) var medianDelayFixes: Int?

    init(name: String) { self.name = name }

    mutating func add(_ trace: ReceivedTrace, _ outcomes: [FixOutcome], _ baselineHits: [Bool]) {
        traces += 1
        for (outcome, isForged) in zip(outcomes, trace.isForged) {
            let rejected = outcome.isRejectedAsSpoofed ? 1 : 0
            if isForged {
                forgedFixes += 1
                rejectedForgedFixes += rejected
                rejectedOrMarkedForgedFixes += outcome.isSuspect || outcome.isFlagged ? 1 : rejected
            } else {
                honestFixes += 1
                rejectedHonestFixes += rejected
            }
        }
        var index = 0
        while let start = trace.isForged[index...].firstIndex(of: true) {
            index = trace.isForged[start...].firstIndex(of: false) ?? trace.isForged.count
            let counted = start..<min(trace.fixes.count, index + InjectedAttack.afterFixes)
            attacks += 1
            if let first = counted.first(where: { outcomes[$0].isRejectedAsSpoofed || outcomes[$0].isFlagged }) {
                detected += 1
                delaysFixes.append(first - start + 1)
            }
            if counted.contains(where: { outcomes[$0].isFlagged }) { flagged += 1 }
            if counted.contains(where: { baselineHits[$0] }) { baselineDetected += 1 }
        }
        medianDelayFixes = delaysFixes.sorted().quantile(0.5)
    }
}
