import Domain
import Support

/// One record of `driver.warnings`.
///
/// The slices are valid until the next call to the reader.
package struct WarningRecord {
    package var eventID: EventID
    package var driverID: ByteSlice
    package var warning: LocationWarning
    /// In [0, 1].
    package var risk: Double
    /// A sentence for the operator.
    package var message: ByteSlice
    /// Receipt of the fix that raised or ended it; stream time if it ended because no fix came.
    package var at: Timestamp
}

/// Writes records of `driver.warnings`.
package enum WarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning, with a sentence made from its evidence.
    ///
    /// `at` is the receipt of the fix that raised it, `risk` the driver's, in [0, 1].
    package static func write(
        event: EventID, driverID: ByteSlice, warning: LocationWarning, risk: Double, at: Timestamp,
        into writer: inout ByteWriter
    ) {
        var record = WarningRecord(
            eventID: event, driverID: driverID, warning: warning, risk: risk, message: .empty, at: at)
        RecordWriter.append(
            &record, event: event, atMost: fixedByteCount + JSONCursor.maximumTextCount(driverID), to: &writer)
    }
}

/// Reads records of `driver.warnings`; use one per thread.
package final class WarningReader {
    private let reader = RecordDecoder()

    package init() {}

    /// Reads one record; `nil` if it is invalid.
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
