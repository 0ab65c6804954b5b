/// Numbers as decimal text in memory given, without allocating.
package enum DecimalText {
    /// Room that any number written here fits in.
    package static let maximumByteCount = 32

    private static let powersOfTen: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// Writes a whole number.
    /// - Returns: how many bytes it took.
    @inline(__always)
    package static func write(_ number: Int64, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var cursor = 0
        if number < 0 {
            target[0] = UInt8(ascii: "-")
            cursor = 1
        }
        return cursor + writeDigits(number.magnitude, minimum: 1, into: target, at: cursor)
    }

    /// Writes a number with at most `decimals` places (0 to 9), rounded half away from zero, trailing zeros left out.
    ///
    /// What is not a number is written as 0, and what exceeds the range of a scaled 64-bit integer as its bound.
    /// - Returns: how many bytes it took.
    package static func write(
        _ value: Double, decimals: Int, into target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        precondition((0...9).contains(decimals), "A number is written with 0 to 9 decimal places.")
        let bound = 9.2e18
        let scaled = value.isNaN ? 0 : max(-bound, min(bound, value * powersOfTen[decimals]))
        var places = decimals
        var digits = Int64(scaled)
        // What the truncation took away, exact where there is any; `rounded()` would be a call of the C library.
        let rest = scaled - Double(digits)
        if rest >= 0.5 { digits += 1 } else if rest <= -0.5 { digits -= 1 }
        while places > 0, digits % 10 == 0 {
            digits /= 10
            places -= 1
        }
        guard places > 0 else { return write(digits, into: target) }
        var cursor = 0
        if digits < 0 {
            target[0] = UInt8(ascii: "-")
            cursor = 1
        }
        let length = writeDigits(digits.magnitude, minimum: places + 1, into: target, at: cursor)
        let point = cursor + length - places
        var index = cursor + length
        while index > point {
            target[index] = target[index - 1]
            index -= 1
        }
        target[point] = UInt8(ascii: ".")
        return cursor + length + 1
    }

    /// Writes digits with leading zeros up to `minimum`; returns how many.
    @inline(__always)
    private static func writeDigits(
        _ magnitude: UInt64, minimum: Int, into target: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Int {
        var length = 1
        var rest = magnitude
        while rest >= 10 {
            rest /= 10
            length += 1
        }
        length = max(length, minimum)
        rest = magnitude
        for index in stride(from: start + length - 1, through: start, by: -1) {
            target[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
            rest /= 10
        }
        return length
    }
}
