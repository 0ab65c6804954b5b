import Support

extension JSONCursor {
    /// The bytes that ``timestamp(_:)`` writes.
    static var timestampCount: Int { TimeText.byteCount + 2 }

    /// A quoted ISO 8601 time in UTC with milliseconds; outside the years 1970 to 9999 the nearest one within.
    ///
    /// Most times of a record are of one day, whose date is worked out once.
    @inline(never)
    mutating func timestamp(_ time: Timestamp) {
        let milliseconds = min(max(time.milliseconds, 0), 253_402_300_799_999)
        let (days, millisecondOfDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let start = claim(Self.timestampCount)
        start.pointee = UInt8(ascii: "\"")
        if days == day {
            UnsafeMutableRawPointer(start + 1).copyMemory(from: date, byteCount: TimeText.dateByteCount)
        } else {
            TimeText.writeDate(daysSinceEpoch: Int(days), at: start + 1)
            day = days
            date = start + 1
        }
        TimeText.writeTime(
            millisecondOfDay: UInt32(truncatingIfNeeded: millisecondOfDay), at: start + 1 + TimeText.dateByteCount)
        start[1 + TimeText.byteCount] = UInt8(ascii: "\"")
    }
}
