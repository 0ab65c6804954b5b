/// Functions that write times as ISO 8601 text in UTC with milliseconds: `2026-03-14T18:32:15.123Z`.
public enum TimeText {
    /// Number of bytes of a time.
    @inlinable public static var byteCount: Int { 24 }
    /// Number of bytes of a date, such as `2026-03-14`.
    @inlinable public static var dateByteCount: Int { 10 }

    private static let millisecondsPerDay: Int64 = 86_400_000
    /// Times from 0000-01-01 to 9999-12-31, in milliseconds since the Unix epoch.
    private static let writable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Writes ``byteCount`` bytes; times outside the years 0 to 9999 are clamped.
    public static func write(milliseconds: Int64, at start: UnsafeMutablePointer<UInt8>) {
        let clamped = min(max(milliseconds, writable.lowerBound), writable.upperBound)
        let (days, millisecondOfDay) = clamped.quotientRoundedDown(by: millisecondsPerDay)
        writeDate(daysSinceEpoch: Int(days), at: start)
        writeTime(millisecondOfDay: UInt32(millisecondOfDay), at: start + dateByteCount)
    }

    /// Returns the text of a time.
    public static func text(milliseconds: Int64) -> String {
        String(unsafeUninitializedCapacity: byteCount) { buffer in
            write(milliseconds: milliseconds, at: buffer.baseAddress.unsafelyUnwrapped)
            return byteCount
        }
    }

    /// Writes the date of a day number (0 is 1970-01-01), which must be within the years 0 to 9999.
    public static func writeDate(daysSinceEpoch days: Int, at start: UnsafeMutablePointer<UInt8>) {
        let date = CivilDate(daysSinceEpoch: days)
        precondition((0...9999).contains(date.year), "The year must be within 0 to 9999.")
        DecimalText.writeDigits(UInt64(date.year), count: 4, at: start)
        start[4] = UInt8(ascii: "-")
        DecimalText.writePair(UInt64(date.month), at: start + 5)
        start[7] = UInt8(ascii: "-")
        DecimalText.writePair(UInt64(date.day), at: start + 8)
    }

    /// Writes the part after the date, such as `T18:32:15.123Z`.
    @inlinable @inline(__always)
    public static func writeTime(millisecondOfDay: UInt32, at start: UnsafeMutablePointer<UInt8>) {
        let seconds = millisecondOfDay / 1000
        UnsafeMutableRawPointer(start).copyMemory(
            from: ("T00:00:00.000Z" as StaticString).utf8Start, byteCount: byteCount - dateByteCount)
        DecimalText.writePair(UInt64(seconds / 3600), at: start + 1)
        DecimalText.writePair(UInt64(seconds / 60 % 60), at: start + 4)
        DecimalText.writePair(UInt64(seconds % 60), at: start + 7)
        DecimalText.writeDigits(UInt64(millisecondOfDay % 1000), count: 3, at: start + 10)
    }
}
