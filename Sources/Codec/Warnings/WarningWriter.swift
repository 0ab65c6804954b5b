import Model
import Support

/// Writes records of `driver.warnings`.
package enum WarningWriter {
    private static let fixedByteCount = 1024

    /// Appends one warning, with a sentence for people made from its evidence.
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
