import Support

/// What the judge made of drivers whose receivers were jammed together, or of as many cheaters who were not.
struct JammingTally: Sendable {
    var towns = 0
    /// Drivers with a fix that was put elsewhere.
    var drivers = 0
    var blamed = 0
    var suspects = 0
    var flagged = 0
    /// Drivers with a fix labelled as a disturbance of the satellites' signals.
    var labelled = 0
    /// Fixes that were put elsewhere, and those of them that were believed.
    var misplaced = 0
    var believed = 0
    /// True fixes after the jamming, and those of them that were rejected.
    var afterwards = 0
    var rejectedAfterwards = 0
    /// From the onset to the first label in a town, in seconds; towns without one have none.
    var delays: [Int] = []

    mutating func add(_ traces: [ReceivedTrace], _ outcomes: [[FixOutcome]]) {
        towns += 1
        var onset: Timestamp?
        var firstLabel: Timestamp?
        for (trace, outcomes) in zip(traces, outcomes) {
            guard let first = trace.isForged.firstIndex(of: true), let last = trace.isForged.lastIndex(of: true)
            else { continue }
            drivers += 1
            let rest = outcomes[first...]
            onset = min(onset ?? outcomes[first].at, outcomes[first].at)
            if rest.contains(where: \.isAccused) { blamed += 1 }
            if rest.contains(where: \.isSuspect) { suspects += 1 }
            if rest.contains(where: \.isFlagged) { flagged += 1 }
            if let label = rest.first(where: { $0.reasons.contains(.gnssDisturbance) }) {
                labelled += 1
                firstLabel = min(firstLabel ?? label.at, label.at)
            }
            for index in first..<outcomes.count {
                if trace.isForged[index] {
                    misplaced += 1
                    if !outcomes[index].isRejected { believed += 1 }
                } else if index > last {
                    afterwards += 1
                    if outcomes[index].isRejected { rejectedAfterwards += 1 }
                }
            }
        }
        if let onset, let firstLabel { delays.append(Int(firstLabel.seconds(since: onset).rounded())) }
    }
}
