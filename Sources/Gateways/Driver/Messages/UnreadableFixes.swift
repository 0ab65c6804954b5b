import Codec

/// Run of adjacent fixes or trip events of a batch with the same fault.
struct UnreadableFixes: Sendable, Equatable {
    /// Indices in the batch, from 0.
    var range: ClosedRange<Int>
    var reason: DeadLetterReason
    /// Invalid field, as spelled by the sender; empty for the fix or event as a whole.
    var field: String

    /// Maximum runs reported for a batch, so that a malicious device cannot cause long responses.
    static let maximumRuns = 64

    /// Returns the runs of unreadable fixes, up to ``maximumRuns``.
    static func runs(among fixes: [RawFix]) -> [UnreadableFixes] {
        runs(fixes.lazy.map { fix in fix.unreadable.map { ($0, "\(fix.unreadableField)") } })
    }

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

extension MessageWriter {
    /// Writes the member `unreadable`: runs with the index of their first and last fix.
    mutating func unreadable(_ runs: [UnreadableFixes]) {
        list("unreadable", runs) { run, text in
            var writer = MessageWriter()
            writer.number("first", Int64(run.range.lowerBound))
            writer.number("last", Int64(run.range.upperBound))
            writer.text("code", "\(run.reason.code)")
            writer.text("field", run.field.isEmpty ? nil : run.field)
            text += writer.finished
        }
    }
}
