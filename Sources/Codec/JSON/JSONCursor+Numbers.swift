import Support

/// Writes numbers in fixed notation without trailing zeros, never `-0`.
///
/// The exact value is rounded half away from zero. NaN and infinity are written as `null`.
extension JSONCursor {
    /// Writes a latitude or longitude in degrees with 7 decimals, 1.1 cm on the ground.
    @inline(never) mutating func degrees(_ value: Double) { decimal(value, scale: 10_000_000, digits: 7) }

    /// Writes a probability with 3 decimals.
    @inline(never) mutating func thousandths(_ value: Double) { decimal(value, scale: 1000, digits: 3) }

    /// Writes metres, m/s or degrees of heading with 2 decimals.
    @inline(never) mutating func hundredths(_ value: Double) { decimal(value, scale: 100, digits: 2) }

    /// Writes a heading in [0, 360) with 2 decimals; a value that rounds to 360 becomes 0.
    @inline(__always) mutating func heading(_ degrees: Double) { hundredths(degrees >= 359.995 ? 0 : degrees) }

    /// Writes a long distance or seconds with 1 decimal.
    @inline(never) mutating func tenths(_ value: Double) { decimal(value, scale: 10, digits: 1) }

    mutating func integer(_ value: Int) { integer(Int64(value)) }

    @inline(never) mutating func integer(_ value: Int64) { number { DecimalText.write(value, at: $0) } }

    @inline(__always) private mutating func decimal(_ value: Double, scale: UInt64, digits: Int) {
        guard let scaled = Self.rounded(value, times: Double(scale)) else { return literal("null") }
        number { DecimalText.write(scaled, scale: scale, places: digits, at: $0) }
    }

    /// Appends a number; `write` returns the number of bytes it used.
    @inline(__always) private mutating func number(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        let start = claim(DecimalText.maximumByteCount)
        unclaim(DecimalText.maximumByteCount &- write(start))
    }

    /// Appends the lowest `count` bytes of `word`; the buffer must have room for all eight.
    @inline(__always) mutating func store(_ word: UInt64, count: Int) {
        UnsafeMutableRawPointer(claim(8)).storeBytes(of: word.littleEndian, as: UInt64.self)
        unclaim(8 &- count)
    }

    /// Rounds the exact product `value * scale` to an integer, halves away from zero.
    ///
    /// The result is limited to ±9e15; `nil` if `value` is not finite.
    @inline(__always) static func rounded(_ value: Double, times scale: Double) -> Int64? {
        let product = value * scale
        guard abs(product) < 9e15 else {
            return value.isNaN || value.isInfinite ? nil : (value < 0 ? -1 : 1) * Int64(9e15)
        }
        let whole = Int64(product)
        let rest = abs(product - Double(whole))
        guard rest >= 0.5 else { return whole }
        // `product` may be a tie due to rounding; the error shows on which side the exact one is.
        if rest == 0.5 {
            let error = (-product).addingProduct(value, scale)
            if product < 0 ? error > 0 : error < 0 { return whole }
        }
        return product < 0 ? whole - 1 : whole + 1
    }
}

extension JSONCursor {
    /// Number of bytes that ``timestamp(_:)`` writes.
    static var timestampCount: Int { TimeText.byteCount + 2 }

    /// Writes a quoted ISO 8601 time in UTC with milliseconds.
    ///
    /// Times are clamped to 1970 to 9999. Copies the date from the previous time if it is the same.
    @inline(never) mutating func timestamp(_ time: Timestamp) {
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
