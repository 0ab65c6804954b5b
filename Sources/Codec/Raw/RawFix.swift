import Model
import Support

/// One fix of a raw record.
///
/// The slices are valid until the reader's next call.
package struct RawFix {
    package var fix: Fix
    /// Empty when there is none.
    package var sessionID = ByteSlice.empty
    /// The trip that the device says it is on; empty when there is none.
    package var tripID = ByteSlice.empty
    /// 0 to 100.
    package var batteryPercent: Int?
    /// How full the vehicle is; over 100 where people stand.
    package var occupancyPercent: Int?
    package var report = DeviceReport()
    /// A later fix of the same batch can be read.
    package var isFollowed = false
    /// Why this element of a batch cannot be read; `fix` then means nothing.
    package var unreadable: DeadLetterReason?
    /// The field at fault when `unreadable`.
    package var unreadableField: StaticString = ""

    package init(fix: Fix) { self.fix = fix }
}
