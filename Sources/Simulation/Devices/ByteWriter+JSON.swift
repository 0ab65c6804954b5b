import Support

extension ByteWriter {
    /// Appends `value`, which must be within ±10⁹, with at most `decimals` decimals and without trailing zeros.
    mutating func appendNumber(_ value: Double, decimals: Int) {
        precondition(
            value.isFinite && abs(value) < 1e9 && decimals <= 9, "A simulated number must be finite and within ±10⁹.")
        append(decimal: value, places: decimals)
    }

    /// Appends a quoted and escaped text.
    mutating func appendQuoted(_ text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                append(UInt8(ascii: "\\"))
                append(byte)
            } else if byte < 0x20 {
                append("\\u00")
                append(hexadecimalDigit: byte >> 4)
                append(hexadecimalDigit: byte & 15)
            } else {
                append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }

    /// Appends a random UUID (version 4).
    mutating func appendUUID(_ bits: UInt128) {
        let cleared: UInt128 = 0xf000_c000_0000_0000_0000
        let version: UInt128 = 0x4000_8000_0000_0000_0000
        let marked = (bits & ~cleared) | version
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { append(UInt8(ascii: "-")) }
            append(hexadecimalDigit: UInt8(truncatingIfNeeded: marked >> UInt128(124 - index * 4)) & 15)
        }
    }
}
