import Support

/// Numbers in fixed notation, rounded half away from zero on the exact value, trailing zeros cut off, never `-0`.
/// What is not finite is written as `null`, since JSON has no word for it.
extension JSONCursor {
    /// Degrees of latitude or longitude: 7 decimals, 1.1 cm on the ground.
    @inline(never)
    mutating func degrees(_ value: Double) { decimal(value, scale: 10_000_000, digits: 7) }

    /// 3 decimals: probabilities.
    @inline(never)
    mutating func thousandths(_ value: Double) { decimal(value, scale: 1000, digits: 3) }

    /// 2 decimals: metres, m/s, degrees of heading.
    @inline(never)
    mutating func hundredths(_ value: Double) { decimal(value, scale: 100, digits: 2) }

    /// A heading in [0, 360) with 2 decimals; what rounds to 360 is written as 0.
    @inline(__always)
    mutating func heading(_ degrees: Double) { hundredths(degrees >= 359.995 ? 0 : degrees) }

    /// 1 decimal: long distances, seconds.
    @inline(never)
    mutating func tenths(_ value: Double) { decimal(value, scale: 10, digits: 1) }

    mutating func integer(_ value: Int) { integer(Int64(value)) }

    @inline(never)
    mutating func integer(_ value: Int64) { number { DecimalText.write(value, at: $0) } }

    @inline(__always)
    private mutating func decimal(_ value: Double, scale: UInt64, digits: Int) {
        guard let scaled = Self.rounded(value, times: Double(scale)) else { return literal("null") }
        number { DecimalText.write(scaled, scale: scale, places: digits, at: $0) }
    }

    /// Appends a number with room for the longest; `write` returns how much it used.
    @inline(__always)
    private mutating func number(_ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        let start = claim(DecimalText.maximumByteCount)
        unclaim(DecimalText.maximumByteCount &- write(start))
    }

    /// Appends the lowest `count` bytes of `word`; room for all eight is needed.
    @inline(__always)
    mutating func store(_ word: UInt64, count: Int) {
        UnsafeMutableRawPointer(claim(8)).storeBytes(of: word.littleEndian, as: UInt64.self)
        unclaim(8 &- count)
    }

    /// `value * scale` to the nearest integer, judged on the exact product; `nil` when `value` is not finite.
    ///
    /// Magnitudes beyond 9e15 are cut to it: there a double has no decimals left, and nothing here is that large.
    @inline(__always)
    static func rounded(_ value: Double, times scale: Double) -> Int64? {
        let product = value * scale
        guard abs(product) < 9e15 else {
            return value.isNaN || value.isInfinite ? nil : (value < 0 ? -1 : 1) * Int64(9e15)
        }
        let whole = Int64(product)
        let rest = abs(product - Double(whole))
        guard rest >= 0.5 else { return whole }
        // A product that rounds to a tie may lie below it; what was rounded away tells.
        if rest == 0.5 {
            let error = (-product).addingProduct(value, scale)
            if product < 0 ? error > 0 : error < 0 { return whole }
        }
        return product < 0 ? whole - 1 : whole + 1
    }
}
