import Tracking

extension JSONCursor {
    /// The bytes that ``timestamp(_:)`` writes.
    static var timestampCount: Int { 26 }

    /// The bytes from the quote to the T.
    private static var dateCount: Int { 12 }

    /// A quoted ISO 8601 time in UTC with milliseconds; outside the years 1970 to 9999 the nearest one within.
    ///
    /// Most times of a record are of one day, whose date is worked out once.
    @inline(never)
    mutating func timestamp(_ time: Timestamp) {
        let milliseconds = min(max(time.milliseconds, 0), 253_402_300_799_999)
        let (days, millisecondOfDay) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        let rest = UInt32(truncatingIfNeeded: millisecondOfDay)
        let seconds = rest / 1000
        let start = claim(Self.timestampCount)
        if days == day {
            UnsafeMutableRawPointer(start).copyMemory(from: date, byteCount: Self.dateCount)
        } else {
            Self.writeDate(UInt32(truncatingIfNeeded: days), at: start)
            day = days
            date = start
        }
        UnsafeMutableRawPointer(start + Self.dateCount).copyMemory(
            from: ("00:00:00.000Z\"" as StaticString).utf8Start, byteCount: Self.timestampCount - Self.dateCount)
        Self.writePair(UInt64(seconds / 3600), at: start + 12)
        Self.writePair(UInt64(seconds / 60 % 60), at: start + 15)
        Self.writePair(UInt64(seconds % 60), at: start + 18)
        Self.writeDigits(UInt64(rest % 1000), count: 3, at: start + 21)
    }

    /// Writes the quote, the date of a day counted from 1970-01-01, and the T.
    private static func writeDate(_ days: UInt32, at start: UnsafeMutablePointer<UInt8>) {
        let date = civilDate(daysSinceEpoch: days)
        UnsafeMutableRawPointer(start).copyMemory(
            from: ("\"0000-00-00T" as StaticString).utf8Start, byteCount: dateCount)
        writePair(UInt64(date.year / 100), at: start + 1)
        writePair(UInt64(date.year % 100), at: start + 3)
        writePair(UInt64(date.month), at: start + 6)
        writePair(UInt64(date.day), at: start + 9)
    }

    /// The Gregorian date of a day counted from 1970-01-01.
    ///
    /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    @inline(__always)
    private static func civilDate(daysSinceEpoch days: UInt32) -> (year: UInt32, month: UInt32, day: UInt32) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
