import Domain
import Processing
import Support

extension DeadLetter {
    /// Maximum number of runs in the header, which limits its size if a malicious device sends the batch.
    static let maximumRuns = 64

    /// Consecutive fixes of a batch with the same reason and field.
    private struct Run {
        var first: Int
        var last: Int
        var reason: DeadLetterReason
        var field: FieldName
    }

    /// Appends one dead letter for a batch, if any of its fixes is unreadable.
    ///
    /// `event` identifies the batch, not one of its fixes. The reason is the reason of the first
    /// unreadable fix, and the ``Processing/RecordHeader/unreadableFixes`` header lists up to 64
    /// runs of unreadable fixes; `first` and `last` are indices from 0:
    /// `{"unreadable":3,"of":500,"runs":[{"first":7,"last":9,"reason":"OUT_OF_RANGE","field":"latitude"}]}`.
    /// - Returns: the number of unreadable fixes.
    @discardableResult package func write(
        _ record: InputRecord, event: EventID, batch fixes: [RawFix], format: RecordFormat = .rawLocations,
        into outputs: inout OutputBatch
    ) -> Int {
        var runs: [Run] = []
        var count = 0
        for (index, fix) in fixes.enumerated() {
            guard let reason = fix.unreadable else { continue }
            count += 1
            if let run = runs.last, run.last == index - 1, run.reason == reason, run.field == fix.unreadableField {
                runs[runs.count - 1].last = index
            } else {
                runs.append(Run(first: index, last: index, reason: reason, field: fix.unreadableField))
            }
        }
        guard let first = runs.first else { return 0 }
        write(record, event: event, reason: first.reason, field: "\(first.field)", format: format, into: &outputs)
        outputs.writeHeader(RecordHeader.unreadableFixes) {
            Self.append(runs.prefix(Self.maximumRuns), count, of: fixes.count, to: &$0)
        }
        return count
    }

    private static func append(_ runs: ArraySlice<Run>, _ count: Int, of total: Int, to writer: inout ByteWriter) {
        writer.append("{\"unreadable\":\(count),\"of\":\(total),\"runs\":[")
        for run in runs {
            if run.first != runs[runs.startIndex].first { writer.append(",") }
            writer.append("{\"first\":\(run.first),\"last\":\(run.last),\"reason\":\"")
            writer.append(run.reason.code)
            writer.append("\",\"field\":\"")
            // Field names need no escapes.
            writer.append(run.field.description)
            writer.append("\"}")
        }
        writer.append("]}")
    }
}
