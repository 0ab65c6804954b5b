import Model
import Support

/// Writes records of `trip.warnings`.
package enum TripWarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning, with a sentence for people; `at` is stream time of the event that raised or ended it.
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
