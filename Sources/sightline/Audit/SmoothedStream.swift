import Codec
import Domain
import HistoryWorker
import Processing
import Support

/// The fixes of a partition, smoothed with later fixes as in history-worker.
///
/// Use on one thread only.
final class SmoothedStream {
    struct Fix {
        var driver: String
        var label: SmoothedLabel
        /// The offset of the fix's verdict.
        var offset: Int64
        /// The offset of the record that completed the smoothing; `nil` if it is incomplete.
        var emittedAt: Int64?
        /// The row in the order of ``SmoothedStream/columns``.
        ///
        /// `nil` if unknown: until the smoothing is complete, and at the start of a partition that lacks older records.
        var values: [StoredValue?]?
    }

    /// The columns of `smoothed_locations`.
    static let columns: [StoredColumn<(fix: SmoothedFix, driver: String, label: SmoothedLabel)>] = [
        .time("received_at") { $0.label.receivedAt }, .time("fixed_at") { $0.label.fixedAt },
        .double("latitude") { $0.fix.coordinate.latitude }, .double("longitude") { $0.fix.coordinate.longitude },
        .real("heading") { $0.fix.headingDegrees }, .real("speed_mps") { $0.fix.speedMetersPerSecond },
        .real("accuracy_meters") { $0.fix.accuracyMeters }, .text("driver_id") { $0.driver },
    ]

    private let changelog: ChangelogReader
    private let reader = VerdictReader()
    private let smoothing = PartitionSmoothing(after: nil)
    /// Fixes whose smoothing is not complete, in topic order.
    private var waiting: ArraySlice<Fix> = []
    private var emitted: ArraySlice<Fix> = []
    private var isAtEnd = false
    /// Receipt time before which fixes may have been smoothed with deleted records; `nil` before the first record.
    private var certainFrom: Timestamp?

    init(_ source: any RecordSource) {
        changelog = ChangelogReader(source)
    }

    /// Returns the next fix, incompletely smoothed ones last; `nil` at the end.
    func next() throws -> Fix? {
        while emitted.isEmpty, !isAtEnd {
            guard let (record, _) = try changelog.next() else {
                isAtEnd = true
                break
            }
            record.withRecord(0) { record, _ in process(record) }
        }
        return emitted.popFirst() ?? waiting.popFirst()
    }

    private func process(_ record: InputRecord) {
        // After two smoothing periods the window has the same state as in a worker that never stopped.
        let certainFrom =
            certainFrom ?? (record.offset == 0 ? record.timestamp : record.timestamp.advanced(bySeconds: 30))
        self.certainFrom = certainFrom
        smoothing.advance(to: record) { driver, label, fix in
            guard var oldest = waiting.popFirst() else { return }
            oldest.emittedAt = record.offset
            if label.receivedAt >= certainFrom {
                let source = (fix: fix, driver: oldest.driver, label: label)
                oldest.values = Self.columns.map { $0.value(source) }
            }
            emitted.append(oldest)
        }
        smoothing.commit()
        guard let verdict = record.value.flatMap(reader.read),
            let label = smoothing.append(verdict, of: record, isKept: true)
        else { return }
        waiting.append(Fix(driver: verdict.driverID.string, label: label, offset: record.offset))
    }
}
