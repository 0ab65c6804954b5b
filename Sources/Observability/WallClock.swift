#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The machine's clock, for the shell only: nothing of the pure core reads it.
package enum WallClock {
    /// Milliseconds since the Unix epoch.
    package static let milliseconds: @Sendable () -> Int64 = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// RFC 3339 in UTC with milliseconds, such as `2026-03-14T18:32:15.123Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let (days, inDay) = milliseconds.quotientFlooring(by: 86_400_000)
        let (year, month, day) = civilDate(daysSinceEpoch: days)
        let (seconds, fraction) = inDay.quotientAndRemainder(dividingBy: 1000)
        let time = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0, 2) }.joined(separator: ":")
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(time).\(padded(fraction, 3))Z"
    }

    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days: years start in March,
    /// so that the leap day is the last, and 400 years make an era of 146,097 days.
    private static func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSinceEpoch + 719_468).quotientFlooring(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Int64 {
    /// Quotient rounded down, and the remainder, which is never negative.
    fileprivate func quotientFlooring(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
