import Domain
import Support

/// One fix of a raw record; the slices are valid until the next call to the reader.
package struct RawFix: Equatable {
    package var fix: Fix
    /// Empty if absent.
    package var sessionID = ByteSlice.empty
    /// The trip that the device reports; empty if absent.
    package var tripID = ByteSlice.empty
    /// 0 to 100.
    package var batteryPercent: Int?
    /// Occupied share of the seats in percent; over 100 if passengers stand.
    package var occupancyPercent: Int?
    package var report = DeviceReport()
    /// Whether a later fix of the same batch is readable.
    package var hasLaterFix = false
    /// Why this element of a batch is unreadable; `fix` is then undefined.
    package var unreadable: DeadLetterReason?
    package var unreadableField = FieldName.none

    package init(fix: Fix) { self.fix = fix }
}

/// Size limits of raw records.
package enum RawLimits {
    package static let singleBytes = 64 * 1024
    /// Bytes of a batch upload: 500 fixes of 2 KiB, which is also Kafka's default limit for a record.
    package static let batchBytes = 1024 * 1024
    /// An event id has room for 65,534 fixes of one record.
    static let batchFixes = 500
}
