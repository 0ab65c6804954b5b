import Domain

struct AttackResult: Sendable {
    /// Number of fixes from the first forged fix to the detection, inclusive; `nil` for a miss.
    var delayFixes: Int?
    /// Whether the detection was before the end of the attack.
    var isDetectedDuring = false
    /// Signals that each detect the attack alone; empty if signals were not evaluated.
    var detectingSignals: [String] = []

    init(_ attack: InjectedAttack, _ outcomes: [FixOutcome]) {
        guard let index = attack.detection(in: outcomes, rejections: FixOutcome.spoofReasons) else { return }
        delayFixes = index - attack.range.lowerBound + 1
        isDetectedDuring = index < attack.range.upperBound
    }
}

extension InjectedAttack {
    /// Returns the first watched fix that is rejected for one of the reasons, or whose driver is newly flagged.
    func detection(in outcomes: [FixOutcome], rejections: Reasons) -> Int? {
        let start = range.lowerBound
        let wasFlagged = start > 0 && outcomes[start - 1].isFlagged
        return watched.first { index in
            outcomes[index].isRejected(for: rejections) || outcomes[index].isFlagged && !wasFlagged
        }
    }
}
