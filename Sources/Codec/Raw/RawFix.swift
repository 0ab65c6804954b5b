import Domain
import Support

/// One fix of a raw record; the slices are valid until the next call to the reader.
package struct RawFix: Equatable {
    package var fix: Fix
    /// The device's session; empty if absent.
    package var sessionID = ByteSlice.empty
    /// The trip that the device reports; empty if absent.
    package var tripID = ByteSlice.empty
    /// Battery charge, 0 to 100.
    package var batteryPercent: Int?
    /// Occupied share of the seats in percent; over 100 with standing passengers.
    package var occupancyPercent: Int?
    package var report = DeviceReport()
    /// Whether a later fix of the same batch is readable.
    package var hasLaterFix = false
    /// Reason why this element of a batch is unreadable; `fix` is then undefined.
    package var unreadable: DeadLetterReason?
    package var unreadableField = FieldName.none

    package init(fix: Fix) { self.fix = fix }
}

package enum RawLimits {
    package static let singleBytes = 64 * 1024
    /// Bytes of a batch upload: 500 fixes of 2 KiB, which is also Kafka's default limit for a record.
    package static let batchBytes = 1024 * 1024
    /// Maximum fixes of a batch; an event id has room for 65,534.
    static let batchFixes = 500
}
