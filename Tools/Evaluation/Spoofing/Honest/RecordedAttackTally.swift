/// Results of traces with labelled recorded attacks.
package struct RecordedAttackTally: Encodable, Sendable {
    package let name: String
    /// Labelled stretches, and how many of these are detected during the attack or within ten fixes after it.
    package private(set) var attacks = 0
    package private(set) var detected = 0
    package private(set) var flagged = 0
    package private(set) var rejectedForgedFixes = 0
    package private(set) var rejectedHonestFixes = 0

    init(name: String) { self.name = name }

    mutating func add(_ trace: ReceivedTrace, _ outcomes: [FixOutcome]) {
        for (outcome, isForged) in zip(outcomes, trace.isForged) where outcome.isRejectedAsSpoofed {
            if isForged { rejectedForgedFixes += 1 } else { rejectedHonestFixes += 1 }
        }
        var index = 0
        while let start = trace.isForged[index...].firstIndex(of: true) {
            index = trace.isForged[start...].firstIndex(of: false) ?? trace.isForged.count
            let counted = outcomes[start..<min(trace.fixes.count, index + InjectedAttack.afterFixes)]
            attacks += 1
            if counted.contains(where: { $0.isRejectedAsSpoofed || $0.isFlagged }) { detected += 1 }
            if counted.contains(where: \.isFlagged) { flagged += 1 }
        }
    }
}
