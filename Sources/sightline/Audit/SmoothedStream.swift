import Codec
import HistoryWorker
import Model
import Processing
import Support

/// The fixes of a partition of verdicts, smoothed with later ones as the history worker does it.
///
/// Belongs to one thread.
final class SmoothedStream {
    struct Fix {
        var driver: String
        var label: SmoothedLabel
        /// Of the fix's own record.
        var offset: Int64
        /// Of the record that ended the wait; `nil` while none has.
        var emittedAt: Int64?
        /// `nil` where the values are not known: while the fix waits, and where the audit begins in the middle of the
        /// partition, as a period may have begun before.
        var row: SmoothedRow?
    }

    private let changelog: ChangelogReader
    private let reader = VerdictReader()
    private let smoothing = PartitionSmoothing(after: nil)
    /// Fixes that wait, in their order.
    private var waiting: ArraySlice<Fix> = []
    private var emitted: ArraySlice<Fix> = []
    private var isAtEnd = false
    /// Fixes that came before this time of receipt may be smoothed with others than here; `nil` before the first record.
    private var certainFrom: Timestamp?

    init(_ source: any RecordSource) {
        // What readers drop is noted where the topic is compared.
        changelog = ChangelogReader(source, check: AuditCheck("", "", exampleLimit: 0))
    }

    /// The next fix; at the end of the topic those that still wait, and then `nil`.
    func next() throws -> Fix? {
        while emitted.isEmpty, !isAtEnd {
            guard let (record, _) = try changelog.next() else {
                isAtEnd = true
                break
            }
            record.withRecord(0) { record, _ in take(record) }
        }
        return emitted.popFirst() ?? waiting.popFirst()
    }

    private func take(_ record: InputRecord) {
        // Two periods: by then the window has the state that it has in a worker that never stopped.
        let certainFrom =
            certainFrom ?? (record.offset == 0 ? record.timestamp : record.timestamp.advanced(bySeconds: 30))
        self.certainFrom = certainFrom
        smoothing.advance(to: record) { driver, label, fix in
            guard var found = waiting.popFirst() else { return }
            found.emittedAt = record.offset
            if label.receivedAt >= certainFrom { found.row = SmoothedRow(fix, of: found.driver, label) }
            emitted.append(found)
        }
        smoothing.commit()
        guard let verdict = record.value.flatMap(reader.read),
            let label = smoothing.append(verdict, of: record, isKept: true)
        else { return }
        waiting.append(Fix(driver: verdict.driverID.string, label: label, offset: record.offset))
    }
}
