/// Functions that write numbers as decimal text to a buffer, without allocating.
public enum DecimalText {
    /// Sufficient buffer size, in bytes, for any number.
    @inlinable public static var maximumByteCount: Int { 32 }

    private static let powersOfTen: [UInt64] = [
        1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    ]

    /// Writes an integer and returns the number of bytes.
    @inlinable public static func write(_ value: Int64, at start: UnsafeMutablePointer<UInt8>) -> Int {
        guard value < 0 else { return write(value.magnitude, at: start) }
        start.pointee = UInt8(ascii: "-")
        return 1 + write(value.magnitude, at: start + 1)
    }

    /// Writes a number with up to `places` decimal places (0 to 9) and returns the number of bytes.
    ///
    /// Rounds half away from zero and omits trailing zeros. NaN is written as 0; numbers beyond ±9.2e18 / 10^places are
    /// clamped.
    public static func write(_ value: Double, places: Int, at start: UnsafeMutablePointer<UInt8>) -> Int {
        precondition((0...9).contains(places), "places must be within 0 to 9.")
        let scale = powersOfTen[places]
        let bound = 9.2e18
        let scaled = value.isNaN ? 0 : max(-bound, min(bound, value * Double(scale)))
        var number = Int64(scaled)
        // The subtraction is exact; `rounded()` would call the C library.
        let rest = scaled - Double(number)
        if rest >= 0.5 { number += 1 } else if rest <= -0.5 { number -= 1 }
        return write(number, scale: scale, places: places, at: start)
    }

    /// Writes `number / scale`, with `scale` = 10^`places`, without trailing zeros, and returns the number of bytes.
    @inlinable @inline(__always)
    public static func write(
        _ number: Int64, scale: UInt64, places: Int, at start: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var count = 0
        if number < 0 {
            start.pointee = UInt8(ascii: "-")
            count = 1
        }
        let (whole, fraction) = number.magnitude.quotientAndRemainder(dividingBy: scale)
        count &+= write(whole, at: start + count)
        guard fraction > 0 else { return count }
        start[count] = UInt8(ascii: ".")
        writeDigits(fraction, count: places, at: start + count + 1)
        count &+= places
        while start[count] == UInt8(ascii: "0") { count &-= 1 }
        return count &+ 1
    }

    /// Writes the digits of `value` and returns their number.
    @inlinable @inline(__always)
    public static func write(_ value: UInt64, at start: UnsafeMutablePointer<UInt8>) -> Int {
        if value < 10 {
            start.pointee = UInt8(truncatingIfNeeded: value) &+ 48
            return 1
        }
        if value < 100 {
            writePair(value, at: start)
            return 2
        }
        let count = digitCount(value)
        writeDigits(value, count: count, at: start)
        return count
    }

    /// Returns the number of digits of `value`.
    @inlinable @inline(__always)
    public static func digitCount(_ value: UInt64) -> Int {
        var count = 0
        var rest = value
        while rest >= 10000 {
            rest /= 10000
            count &+= 4
        }
        return count &+ (rest >= 1000 ? 4 : rest >= 100 ? 3 : rest >= 10 ? 2 : 1)
    }

    /// Writes the last `count` digits, with leading zeros.
    @inlinable @inline(__always)
    public static func writeDigits(_ value: UInt64, count: Int, at start: UnsafeMutablePointer<UInt8>) {
        var rest = value
        var position = count
        while position >= 2 {
            let quotient = rest / 100
            position &-= 2
            writePair(rest &- quotient &* 100, at: start + position)
            rest = quotient
        }
        if position == 1 { start[0] = UInt8(truncatingIfNeeded: rest) &+ 48 }
    }

    /// Writes two digits of a number below 100.
    @inlinable @inline(__always)
    public static func writePair(_ value: UInt64, at start: UnsafeMutablePointer<UInt8>) {
        let pairs: StaticString = """
            00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354\
            555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
            """
        let pair = UnsafeRawPointer(pairs.utf8Start + 2 * Int(truncatingIfNeeded: value)).loadUnaligned(as: UInt16.self)
        UnsafeMutableRawPointer(start).storeBytes(of: pair, as: UInt16.self)
    }
}
