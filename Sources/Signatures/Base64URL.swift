/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> bitCount & 63)])
            }
            bits &= (1 << bitCount) - 1
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << (6 - bitCount))]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`; `nil` if it is not the canonical encoding.
    ///
    /// Strict, so that each token has exactly one spelling. Other decoders accept unused bits, padding and the other
    /// alphabet, and so several spellings of one token.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        for character in text {
            guard let value = value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            bits &= (1 << UInt32(bitCount)) - 1
        }
        return bits == 0 ? bytes : nil
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
