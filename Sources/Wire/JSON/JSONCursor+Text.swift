import Lanes

extension JSONCursor {
    /// How many bytes ``text(_:)-(ByteSlice)`` writes at most: cheap and generous for identifiers, counted for long texts.
    static func maximumTextCount(_ bytes: ByteSlice) -> Int {
        guard bytes.count > 128 else { return bytes.count * 6 + 2 }
        var count = bytes.count + 2
        for byte in bytes.buffer where needsCare(byte) { count += 5 }
        return count
    }

    static func maximumTextCount(_ text: String) -> Int {
        let count = text.utf8.count
        return count <= 128 ? count * 6 + 2 : ByteSlice.withBytes(of: text) { maximumTextCount($0) }
    }

    static func maximumTextCount(_ text: String?) -> Int { text.map { maximumTextCount($0) } ?? 0 }

    /// A quoted string.
    ///
    /// Any bytes make valid JSON: what is not UTF-8 becomes U+FFFD.
    mutating func text(_ bytes: ByteSlice) {
        claim(1).pointee = UInt8(ascii: "\"")
        if let start = bytes.start, bytes.count > 0 {
            let characters = UnsafeBufferPointer(
                start: start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
            let plain = Self.plainPrefixCount(characters)
            if let base = characters.baseAddress { claim(plain).update(from: base, count: plain) }
            if plain < characters.count { escape(UnsafeBufferPointer(rebasing: characters[plain...])) }
        }
        claim(1).pointee = UInt8(ascii: "\"")
    }

    mutating func text(_ text: String) {
        ByteSlice.withBytes(of: text) { self.text($0) }
    }

    /// A quoted string of ASCII letters, digits and underscores.
    mutating func code(_ code: StaticString) {
        claim(1).pointee = UInt8(ascii: "\"")
        literal(code)
        claim(1).pointee = UInt8(ascii: "\"")
    }

    @inline(__always)
    private static func needsCare(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// How many bytes from the start need neither escape nor check; looks at eight at a time.
    @inline(__always)
    private static func plainPrefixCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let high: UInt64 = 0x8080_8080_8080_8080
        var index = 0
        while index + 8 <= bytes.count {
            let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // Each term sets a byte's high bit if the byte is below 0x20, a quote or a backslash (exact up to the first).
            let found =
                word | (word &- ones &* 0x20) | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
            if found & high != 0 { break }
            index += 8
        }
        while index < bytes.count, !needsCare(bytes[index]) { index += 1 }
        return index
    }

    @inline(never)
    private mutating func escape(_ bytes: UnsafeBufferPointer<UInt8>) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                escape(ascii: byte)
                index += 1
                continue
            }
            let count = Self.sequenceCount(UnsafeBufferPointer(rebasing: bytes[index...]))
            if count > 0, let base = bytes.baseAddress {
                claim(count).update(from: base + index, count: count)
                index += count
            } else {
                literal("\u{FFFD}")
                index += 1
            }
        }
    }

    private mutating func escape(ascii byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): literal("\\\"")
        case UInt8(ascii: "\\"): literal("\\\\")
        case UInt8(ascii: "\n"): literal("\\n")
        case UInt8(ascii: "\r"): literal("\\r")
        case UInt8(ascii: "\t"): literal("\\t")
        case 0..<0x20:
            literal(byte < 0x10 ? "\\u000" : "\\u001")
            let digit = byte & 0xF
            claim(1).pointee = digit < 10 ? digit + 48 : digit + 87
        default: claim(1).pointee = byte
        }
    }

    /// The bytes of the UTF-8 sequence at the start, 0 when it is none (RFC 3629, section 4).
    private static func sequenceCount(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        func continues(_ index: Int, from low: UInt8 = 0x80, through high: UInt8 = 0xBF) -> Bool {
            index < bytes.count && bytes[index] >= low && bytes[index] <= high
        }
        switch bytes[0] {
        case 0xC2...0xDF: return continues(1) ? 2 : 0
        case 0xE0: return continues(1, from: 0xA0) && continues(2) ? 3 : 0
        case 0xED: return continues(1, through: 0x9F) && continues(2) ? 3 : 0
        case 0xE1...0xEF: return continues(1) && continues(2) ? 3 : 0
        case 0xF0: return continues(1, from: 0x90) && continues(2) && continues(3) ? 4 : 0
        case 0xF1...0xF3: return continues(1) && continues(2) && continues(3) ? 4 : 0
        case 0xF4: return continues(1, through: 0x8F) && continues(2) && continues(3) ? 4 : 0
        default: return 0
        }
    }
}
