import Model
import Support

/// Reads records of `driver.warnings`; one per thread.
package final class WarningReader {
    private let reader = RecordDecoder()

    package init() {}

    /// Reads one record; `nil` when it is not one that ``WarningWriter`` could have written.
    package func read(_ value: ByteSlice) -> WarningRecord? {
        var event = EventID(partition: 0, offset: 0)
        var record = WarningRecord(
            eventID: event, driverID: .empty, warning: LocationWarning(reason: .suspect, action: .none), risk: 0,
            message: .empty, at: Timestamp(milliseconds: 0))
        guard reader.read(value, event: &event, into: &record), Identifier.isValid(record.driverID) else { return nil }
        record.eventID = event
        return record
    }
}
