import Codec

/// Neighbouring fixes, or events of trips, of a batch that cannot be read for the same reason.
package struct UnreadableFixes: Sendable, Equatable {
    /// Where in the batch they are, counted from 0.
    package var range: ClosedRange<Int>
    package var reason: DeadLetterReason
    /// The field at fault, as the sender spells it; empty when it is the fix or event as a whole.
    package var field: String

    /// How many runs a device is told of one batch, so that a malicious one does not make the answer long.
    static let maximumRuns = 64

    /// The runs among `fixes`, ``maximumRuns`` at most.
    static func runs(among fixes: [RawFix]) -> [UnreadableFixes] {
        runs(fixes.lazy.map { fix in fix.unreadable.map { ($0, "\(fix.unreadableField)") } })
    }

    /// The runs among the events of a batch, by what is wrong with each.
    static func runs(among faults: [MessageFault?]) -> [UnreadableFixes] {
        runs(faults.lazy.map { fault in fault.map { ($0.reason, $0.field) } })
    }

    private static func runs(_ problems: some Sequence<(DeadLetterReason, String)?>) -> [UnreadableFixes] {
        var runs: [UnreadableFixes] = []
        for (index, problem) in problems.enumerated() {
            guard let (reason, field) = problem else { continue }
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
