import Codec
import Support
import TestSupport

/// Random values for the fields of records.
extension SeededGenerator {
    /// Returns a number with at most `digits` decimals.
    mutating func decimal(in range: ClosedRange<Int>, digits: Int) -> Double {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let limits = Int(Double(range.lowerBound) * scale)...Int(Double(range.upperBound) * scale)
        return Double(Int.random(in: limits, using: &self)) / scale
    }

    mutating func maybe<Value>(_ value: (inout SeededGenerator) -> Value) -> Value? {
        Bool.random(using: &self) ? value(&self) : nil
    }

    /// Returns a text of 1 to 20 characters, some of which JSON escapes.
    mutating func text() -> String {
        let alphabet = Array("abcXYZ019_-.:\"\\/ éß漢🚌")
        return String(
            (0..<Int.random(in: 1...20, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "a" })
    }

    mutating func identifier() -> String {
        let alphabet = Array("abcXYZ019_-.:")
        return String(
            (0..<Int.random(in: 1...20, using: &self)).map { _ in alphabet.randomElement(using: &self) ?? "a" })
    }

    mutating func time() -> Timestamp {
        Timestamp(milliseconds: Int64.random(in: 0...253_402_300_799_999, using: &self))
    }
}
