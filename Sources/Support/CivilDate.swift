/// A date of the proleptic Gregorian calendar.
struct CivilDate: Hashable, Sendable {
    var year: Int
    /// From 1 to 12.
    var month: Int
    /// From 1 to 31.
    var day: Int

    /// Creates the date of a day number; day 0 is 1970-01-01.
    ///
    /// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years start in March, so that
    /// the leap day is the last, and 400 years are an era of 146,097 days. `CSimdJSON` implements the inverse in C++.
    init(daysSinceEpoch days: Int) {
        let (era, dayOfEra) = (days + 719_468).quotientRoundedDown(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    }
}

extension FixedWidthInteger {
    /// Divides by a positive number and rounds down, so that the remainder is not negative.
    public func quotientRoundedDown(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
