import Tracking

/// SplitMix64: the same numbers from the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number that is exactly one with `digits` decimals.
    mutating func decimal(in range: ClosedRange<Int>, digits: Int) -> Double {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let limits = Int(Double(range.lowerBound) * scale)...Int(Double(range.upperBound) * scale)
        return Double(Int.random(in: limits, using: &self)) / scale
    }

    mutating func maybe<Value>(_ value: (inout SeededGenerator) -> Value) -> Value? {
        Bool.random(using: &self) ? value(&self) : nil
    }

    /// Text of 1 to 20 characters, with some that JSON escapes.
    mutating func text() -> String {
        let alphabet = Array("abcXYZ019_-.:\"\\/ éß漢🚌")
        return String(
            (0..<Int.random(in: 1...20, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "a" })
    }

    /// Text that may be an identifier.
    mutating func identifier() -> String {
        let alphabet = Array("abcXYZ019_-.:")
        return String(
            (0..<Int.random(in: 1...20, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "a" })
    }

    mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: 0...253_402_300_799_999, using: &self))
    }
}
