import Lanes
import Tracking

/// Reads the times that raw records carry.
enum ISO8601Time {
    /// Reads `2025-03-14T18:32:15.123Z`, with any number of decimals or none, and `Z` or an offset such as `+01:00`.
    /// - Returns: `nil` when the text is none.
    static func parse(_ text: ByteSlice) -> Timestamp? {
        var cursor = 0
        func digits(_ count: Int) -> Int64? {
            guard cursor + count <= text.count else { return nil }
            var value: Int64 = 0
            for _ in 0..<count {
                let digit = text[cursor] &- UInt8(ascii: "0")
                guard digit < 10 else { return nil }
                value = value * 10 + Int64(digit)
                cursor += 1
            }
            return value
        }
        func skip(_ character: Unicode.Scalar) -> Bool {
            guard cursor < text.count, text[cursor] == UInt8(ascii: character) else { return false }
            cursor += 1
            return true
        }
        guard let year = digits(4), skip("-"), let month = digits(2), (1...12).contains(month), skip("-"),
            let day = digits(2), (1...31).contains(day), skip("T") || skip(" "), let hour = digits(2), hour < 24,
            skip(":"), let minute = digits(2), minute < 60, skip(":"), let second = digits(2), second < 61
        else { return nil }
        var milliseconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60_000 + second * 1000
        if skip(".") {
            var scale: Int64 = 100
            while let digit = digits(1) {
                milliseconds += digit * scale
                scale /= 10
            }
        }
        if !skip("Z") {
            let isAhead = skip("+")
            guard isAhead || skip("-"), let hours = digits(2), skip(":") || true, let minutes = digits(2) else {
                return nil
            }
            milliseconds -= (isAhead ? 1 : -1) * (hours * 60 + minutes) * 60_000
        }
        return cursor == text.count ? Timestamp(milliseconds: milliseconds) : nil
    }

    /// Days since 1970-01-01 (Howard Hinnant, days_from_civil).
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
