import Pipeline

/// Numbers in fixed notation, rounded half away from zero on the exact value, trailing zeros cut off, never `-0`.
/// What is not finite is written as `null`, since JSON has no word for it.
extension JSONCursor {
    /// The room that any of these needs: the longest number, and what is written beyond it for a moment.
    static var maximumNumberCount: Int { 32 }

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
    mutating func integer(_ value: Int64) {
        if value < 0 { claim(1).pointee = UInt8(ascii: "-") }
        unsigned(value.magnitude)
    }

    /// The digits of `value`.
    @inline(__always)
    mutating func unsigned(_ value: UInt64) {
        if value < 10 {
            claim(1).pointee = UInt8(truncatingIfNeeded: value) &+ 48
        } else if value < 100 {
            Self.writePair(value, at: claim(2))
        } else {
            let count = Self.digitCount(value)
            Self.writeDigits(value, count: count, at: claim(count))
        }
    }

    @inline(__always)
    private mutating func decimal(_ value: Double, scale: UInt64, digits: Int) {
        guard let scaled = Self.rounded(value, times: Double(scale)) else { return literal("null") }
        if scaled < 0 { claim(1).pointee = UInt8(ascii: "-") }
        let (whole, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: scale)
        unsigned(whole)
        guard fraction > 0 else { return }
        let start = claim(digits + 1)
        start.pointee = UInt8(ascii: ".")
        Self.writeDigits(fraction, count: digits, at: start + 1)
        var used = digits
        while start[used] == 48 { used &-= 1 }
        unclaim(digits &- used)
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

    /// How many digits a number of at least three has.
    @inline(__always)
    private static func digitCount(_ value: UInt64) -> Int {
        var count = 0
        var rest = value
        while rest >= 10000 {
            rest /= 10000
            count &+= 4
        }
        return count &+ (rest >= 1000 ? 4 : rest >= 100 ? 3 : rest >= 10 ? 2 : 1)
    }

    /// Writes exactly `count` digits, with leading zeros.
    @inline(__always)
    static func writeDigits(_ value: UInt64, count: Int, at start: UnsafeMutablePointer<UInt8>) {
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

    /// Writes both digits of a number below 100.
    @inline(__always)
    static func writePair(_ value: UInt64, at start: UnsafeMutablePointer<UInt8>) {
        let pairs: StaticString = """
            00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354\
            555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
            """
        let pair = UnsafeRawPointer(pairs.utf8Start + 2 * Int(truncatingIfNeeded: value)).loadUnaligned(as: UInt16.self)
        UnsafeMutableRawPointer(start).storeBytes(of: pair, as: UInt16.self)
    }
}

extension ByteWriter {
    /// Appends the digits of a whole number, without allocating.
    package mutating func append(decimal value: Int64) {
        appendJSON(atMost: JSONCursor.maximumNumberCount) { $0.integer(value) }
    }
}
