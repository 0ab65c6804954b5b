import Domain
import Support

/// One record of `trip.warnings`.
///
/// The slices are valid until the next call to the reader.
package struct TripWarningRecord {
    package var eventID: EventID
    package var tripID: ByteSlice
    package var driverID: ByteSlice
    package var warning: TripWarning
    /// A sentence for the operator.
    package var message: ByteSlice
    /// Stream time of the event that raised or ended it.
    package var at: Timestamp
}

/// Writes records of `trip.warnings`.
package enum TripWarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning, with a sentence; `at` is stream time of the event that raised or ended it.
    package static func write(
        event: EventID, tripID: ByteSlice, driverID: ByteSlice, warning: TripWarning, at: Timestamp,
        into writer: inout ByteWriter
    ) {
        let maximum = fixedByteCount + JSONCursor.maximumTextCount(tripID) + JSONCursor.maximumTextCount(driverID)
        var record = TripWarningRecord(
            eventID: event, tripID: tripID, driverID: driverID, warning: warning, message: .empty, at: at)
        RecordWriter.append(&record, event: event, atMost: maximum, to: &writer)
    }
}

/// Reads records of `trip.warnings`; use one per thread.
package final class TripWarningReader {
    private let reader = RecordDecoder()

    package init() {}

    /// Reads one record; `nil` if it is invalid.
    package func read(_ value: ByteSlice) -> TripWarningRecord? {
        var event = EventID(partition: 0, offset: 0)
        let start = Timestamp(milliseconds: 0)
        var record = TripWarningRecord(
            eventID: event, tripID: .empty, driverID: .empty,
            warning: TripWarning(code: .routeDeviation, beganAt: start, greatestMeters: 0), message: .empty, at: start)
        guard reader.read(value, event: &event, into: &record), Identifier.isValid(record.tripID),
            Identifier.isValid(record.driverID)
        else { return nil }
        record.eventID = event
        return record
    }
}
