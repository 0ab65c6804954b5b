import Domain
import Support

/// Reads records of `driver.locations`; use one per thread.
///
/// Allocates nothing once its buffers fit the records.
package final class VerdictReader {
    private let reader = RecordDecoder()
    private var record = VerdictReader.blank
    /// See ``RecordDecoder/isCanonical``.
    var isCanonical: Bool { reader.isCanonical }

    package init() {}

    /// Reads one record; `nil` if it is invalid.
    ///
    /// Unknown reasons of a newer writer are ignored.
    package func read(_ value: ByteSlice) -> VerdictRecord? {
        var event = record.eventID
        guard reader.read(value, event: &event, into: &record), event.origin == .raw, event.punctuation == 0,
            event.message == 0, !record.driverID.isEmpty
        else { return nil }
        record.eventID = event
        switch record.verdict {
        case .accepted: if record.estimate == nil { return nil }
        // Has an estimate if the fix was evaluated.
        case .throttled: break
        case .late, .duplicate, .rejected: record.estimate = nil
        }
        return record
    }

    private static var blank: VerdictRecord {
        VerdictRecord(
            eventID: EventID(partition: 0, offset: 0), driverID: .empty, sessionID: .empty, tripID: .empty,
            verdict: .rejected, reasons: Reasons(rawValue: 0), risk: 0,
            raw: VerdictRecord.Raw(coordinate: Coordinate(latitude: 0, longitude: 0)),
            fixedAt: Timestamp(milliseconds: 0), receivedAt: Timestamp(milliseconds: 0))
    }
}
