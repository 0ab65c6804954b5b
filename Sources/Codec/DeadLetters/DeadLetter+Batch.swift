import Model
import Processing
import Support

extension DeadLetter {
    /// Runs of fixes that the header names; a batch of a malicious device must not make it long.
    static let maximumRuns = 64

    /// Neighbouring fixes of a batch that cannot be read for the same reason.
    private struct Run {
        var first: Int
        var last: Int
        var reason: DeadLetterReason
        var field: StaticString
    }

    /// Appends a batch some of whose fixes cannot be read, as one record: its bytes are there once, however many they
    /// are.
    ///
    /// `clock` is the record's own event. The reason is that of the first of them, and the
    /// ``RecordHeader/unreadableFixes`` header names them all, counted from 0:
    /// `{"unreadable":3,"of":500,"runs":[{"first":7,"last":9,"reason":"OUT_OF_RANGE","field":"latitude"}]}`.
    /// It names 64 runs at most; `unreadable` counts those of the others, too.
    /// - Returns: how many fixes cannot be read; nothing is appended where there are none.
    @discardableResult
    package func write(
        _ record: InputRecord, clock: EventID, batch fixes: [RawFix], form: RecordForm = .rawLocations,
        into outputs: inout OutputBatch
    ) -> Int {
        var runs: [Run] = []
        var count = 0
        for (index, fix) in fixes.enumerated() {
            guard let reason = fix.unreadable else { continue }
            count += 1
            if let run = runs.last, run.last == index - 1, run.reason == reason,
                Self.isSame(run.field, fix.unreadableField)
            {
                runs[runs.count - 1].last = index
            } else {
                runs.append(Run(first: index, last: index, reason: reason, field: fix.unreadableField))
            }
        }
        guard let first = runs.first else { return 0 }
        write(record, clock: clock, reason: first.reason, field: "\(first.field)", form: form, into: &outputs)
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
            // The name of a field, which has no character that JSON escapes.
            writer.append(run.field)
            writer.append("\"}")
        }
        writer.append("]}")
    }

    private static func isSame(_ one: StaticString, _ other: StaticString) -> Bool {
        one.withUTF8Buffer { one in other.withUTF8Buffer { one.elementsEqual($0) } }
    }
}
