import Domain
import Support

/// One fix of a raw record.
///
/// The slices are valid until the next call to the reader.
package struct RawFix {
    package var fix: Fix
    /// Empty if absent.
    package var sessionID = ByteSlice.empty
    /// The trip that the device reports; empty if absent.
    package var tripID = ByteSlice.empty
    /// 0 to 100.
    package var batteryPercent: Int?
    /// Occupied share of the seats; over 100 if passengers stand.
    package var occupancyPercent: Int?
    package var report = DeviceReport()
    /// Whether a later fix of the same batch is readable.
    package var hasLaterFix = false
    /// Why this element of a batch is unreadable; `fix` is then undefined.
    package var unreadable: DeadLetterReason?
    /// The field that made the element unreadable.
    package var unreadableField = FieldName.none

    package init(fix: Fix) { self.fix = fix }
}
