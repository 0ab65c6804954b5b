import Wire

/// Neighbouring fixes of a batch that cannot be read for the same reason.
package struct UnreadableFixes: Sendable, Equatable {
    /// Where in the batch they are, counted from 0.
    package var range: ClosedRange<Int>
    package var reason: DeadLetterReason
    /// The field at fault, as the device spells it; empty when it is the fix as a whole.
    package var field: String

    /// How many runs a device is told of one batch, so that a malicious one does not make the answer long.
    static let maximumRuns = 64

    /// The runs among `fixes`, ``maximumRuns`` at most.
    static func runs(among fixes: [RawFix]) -> [UnreadableFixes] {
        var runs: [UnreadableFixes] = []
        for (index, fix) in fixes.enumerated() {
            guard let reason = fix.unreadable else { continue }
            let field = "\(fix.unreadableField)"
            if let run = runs.last, run.range.upperBound == index - 1, run.reason == reason, run.field == field {
                runs[runs.count - 1].range = run.range.lowerBound...index
            } else if runs.count < maximumRuns {
                runs.append(UnreadableFixes(range: index...index, reason: reason, field: field))
            } else {
                break
            }
        }
        return runs
    }
}
