import Model
import Support

/// Reads records of `trip.warnings`; one per thread.
package final class TripWarningReader {
    private let reader = RecordDecoder()

    package init() {}

    /// Reads one record; `nil` when it is not one that ``TripWarningWriter`` could have written.
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
