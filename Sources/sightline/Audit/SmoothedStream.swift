import Codec
import Domain
import HistoryWorker
import Postgres
import Processing
import Support

/// The fixes of a partition, smoothed with later ones as by history-worker.
///
/// Use on one thread only.
final class SmoothedStream {
    struct Fix {
        var driver: String
        var label: SmoothedLabel
        /// The offset of the fix.
        var offset: Int64
        /// The offset of the record that completed the smoothing; `nil` if none has.
        var emittedAt: Int64?
        /// `nil` if unknown: until the smoothing is complete, and at the start of a partition that lacks older records.
        var row: SmoothedRow?
    }

    private let changelog: ChangelogReader
    private let reader = VerdictReader()
    private let smoothing = PartitionSmoothing(after: nil)
    /// Fixes that are not complete, in order.
    private var waiting: ArraySlice<Fix> = []
    private var emitted: ArraySlice<Fix> = []
    private var isAtEnd = false
    /// Fixes received before this time may have been smoothed with records that are deleted; `nil` before the first record.
    private var certainFrom: Timestamp?

    init(_ source: any RecordSource) {
        // Dropped records are counted where the topic is compared.
        changelog = ChangelogReader(source, check: AuditCheck("", "", exampleLimit: 0))
    }

    /// Returns the next fix; at the end of the topic the incomplete ones, then `nil`.
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

/// A row of `smoothed_locations`, read or derived from the fixes.
struct SmoothedRow: Equatable {
    var receivedAt: Int64
    var fixedAt: Int64
    var latitude: Double
    var longitude: Double
    var heading: Float?
    var speed: Float
    var accuracy: Float
    var driverID: String

    /// Derives the row from a fix.
    init(_ fix: SmoothedFix, of driver: String, _ label: SmoothedLabel) {
        receivedAt = label.receivedAt.milliseconds
        fixedAt = label.fixedAt.milliseconds
        latitude = fix.coordinate.latitude
        longitude = fix.coordinate.longitude
        heading = fix.headingDegrees.map { Float($0) }
        speed = Float(fix.speedMetersPerSecond)
        accuracy = Float(fix.accuracyMeters)
        driverID = driver
    }

    /// The columns in the order of ``init(_:at:)``.
    static let columns = """
        (extract(epoch FROM received_at) * 1000)::bigint, (extract(epoch FROM fixed_at) * 1000)::bigint, latitude,
        longitude, heading, speed_mps, accuracy_meters, driver_id
        """

    /// Reads ``columns``, the first of them at `start`.
    init(_ row: PostgresRow, at start: Int) throws {
        receivedAt = try row.integer(start)
        fixedAt = try row.integer(start + 1)
        latitude = try row.double(start + 2)
        longitude = try row.double(start + 3)
        heading = row.string(start + 4).flatMap { Float($0) }
        speed = row.string(start + 5).flatMap { Float($0) } ?? .nan
        accuracy = row.string(start + 6).flatMap { Float($0) } ?? .nan
        driverID = try row.text(start + 7)
    }
}
