import Pipeline
import Tracking

extension ByteWriter {
    /// Appends a whole number in decimal.
    mutating func appendNumber(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        appendDigits(value.magnitude, atLeast: 1)
    }

    /// Appends `value` with at most this many decimals, without trailing zeros; values beyond ±10⁹ do not occur.
    mutating func appendNumber(_ value: Double, decimals: Int) {
        precondition(value.isFinite && abs(value) < 1e9 && decimals <= 9, "A simulated number is small and finite.")
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        var scaled = UInt64((abs(value) * Double(scale)).rounded())
        if value < 0, scaled > 0 { append(UInt8(ascii: "-")) }
        appendDigits(scaled / scale, atLeast: 1)
        scaled %= scale
        guard scaled > 0 else { return }
        var places = decimals
        while scaled % 10 == 0 {
            scaled /= 10
            places -= 1
        }
        append(UInt8(ascii: "."))
        appendDigits(scaled, atLeast: places)
    }

    /// Appends text in quotes, escaping what JSON wants escaped.
    mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(UInt8(ascii: "\\"))
                append(byte)
            } else if byte < 0x20 {
                append("\\u00")
                append(Self.hexDigit(byte >> 4))
                append(Self.hexDigit(byte & 15))
            } else {
                append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends `2025-03-14T18:32:15.123Z`, by the days-to-date formula of Howard Hinnant.
    mutating func appendISO8601(_ time: Timestamp) {
        let day: Int64 = 86_400_000
        let millisecondOfDay = ((time.milliseconds % day) + day) % day
        let days = (time.milliseconds - millisecondOfDay) / day + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        appendDigits(UInt64(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)), atLeast: 4)
        append("-")
        appendDigits(UInt64(month), atLeast: 2)
        append("-")
        appendDigits(UInt64(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1), atLeast: 2)
        append("T")
        appendDigits(UInt64(millisecondOfDay / 3_600_000), atLeast: 2)
        append(":")
        appendDigits(UInt64(millisecondOfDay / 60_000 % 60), atLeast: 2)
        append(":")
        appendDigits(UInt64(millisecondOfDay / 1000 % 60), atLeast: 2)
        append(".")
        appendDigits(UInt64(millisecondOfDay % 1000), atLeast: 3)
        append("Z")
    }

    /// Appends a UUID, marked as random (version 4).
    mutating func appendUUID(_ bits: UInt128) {
        let cleared: UInt128 = 0xf000_c000_0000_0000_0000
        let version: UInt128 = 0x4000_8000_0000_0000_0000
        let marked = (bits & ~cleared) | version
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { append(UInt8(ascii: "-")) }
            append(Self.hexDigit(UInt8(truncatingIfNeeded: marked >> UInt128(124 - index * 4)) & 15))
        }
    }

    private mutating func appendDigits(_ value: UInt64, atLeast places: Int) {
        var divisor: UInt64 = 1
        var digits = 1
        while value / divisor >= 10 {
            divisor *= 10
            digits += 1
        }
        for _ in 0..<max(0, places - digits) { append(UInt8(ascii: "0")) }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }

    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }
}
