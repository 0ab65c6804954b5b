/// What the judge says of traces with real attacks in them, which the recording labels.
struct RecordedAttackTally: Sendable {
    var traces = 0
    var honestFixes = 0
    var accusedHonestFixes = 0
    var forgedFixes = 0
    var accusedForgedFixes = 0
    var markedForgedFixes = 0
    /// Labelled stretches, and those detected in or within ten fixes after.
    var attacks = 0
    var detected = 0
    var flagged = 0
    var baselineDetected = 0
    var delaysFixes: [Int] = []

    mutating func add(_ trace: ReceivedTrace, _ outcomes: [FixOutcome], _ hits: [Bool]) {
        traces += 1
        for (outcome, isForged) in zip(outcomes, trace.isForged) {
            if isForged {
                forgedFixes += 1
                if outcome.isAccused { accusedForgedFixes += 1 }
                if outcome.isAccused || outcome.isSuspect || outcome.isFlagged { markedForgedFixes += 1 }
            } else {
                honestFixes += 1
                if outcome.isAccused { accusedHonestFixes += 1 }
            }
        }
        var index = 0
        while index < trace.isForged.count {
            guard trace.isForged[index] else {
                index += 1
                continue
            }
            let start = index
            while index < trace.isForged.count, trace.isForged[index] { index += 1 }
            let watched = start..<min(trace.fixes.count, index + InjectedAttack.afterFixes)
            attacks += 1
            if let first = watched.first(where: { outcomes[$0].isAccused || outcomes[$0].isFlagged }) {
                detected += 1
                delaysFixes.append(first - start + 1)
            }
            if watched.contains(where: { outcomes[$0].isFlagged }) { flagged += 1 }
            if watched.contains(where: { hits[$0] }) { baselineDetected += 1 }
        }
    }
}
