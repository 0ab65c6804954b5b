import Codec

/// Run of adjacent fixes or trip events of a batch with the same fault.
struct FaultRun: Sendable, Equatable {
    /// Indices in the batch, from 0.
    var range: ClosedRange<Int>
    var reason: DeadLetterReason
    /// Invalid field, as spelled by the sender; empty for the fix or event as a whole.
    var field: String

    /// Maximum number of runs reported for a batch; limits the response to a malicious device.
    static let maximumRuns = 64

    /// Returns the first ``maximumRuns`` runs of unreadable fixes.
    static func runs(among fixes: [RawFix]) -> [FaultRun] {
        runs(fixes.lazy.map { fix in fix.unreadable.map { ($0, "\(fix.unreadableField)") } })
    }

    static func runs(among faults: [MessageFault?]) -> [FaultRun] {
        runs(faults.lazy.map { fault in fault.map { ($0.reason, $0.field) } })
    }

    private static func runs(_ problems: some Sequence<(DeadLetterReason, String)?>) -> [FaultRun] {
        var runs: [FaultRun] = []
        for (index, problem) in problems.enumerated() {
            guard let (reason, field) = problem else { continue }
            if let run = runs.last, run.range.upperBound == index - 1, run.reason == reason, run.field == field {
                runs[runs.count - 1].range = run.range.lowerBound...index
            } else if runs.count < maximumRuns {
                runs.append(FaultRun(range: index...index, reason: reason, field: field))
            } else {
                break
            }
        }
        return runs
    }
}

extension MessageWriter {
    /// Writes the member `unreadable`: the index range, code and field of each run.
    mutating func unreadable(_ runs: [FaultRun]) {
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
