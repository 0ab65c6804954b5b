import Support

extension JSONCursor {
    /// Extra space for the last bytes, which are written as a whole word of eight bytes.
    private static var slack: Int { 8 }

    /// Returns an upper bound of the bytes of ``text(_:)-(ByteSlice)``, closer for over 128 bytes.
    static func maximumTextCount(_ bytes: ByteSlice) -> Int {
        guard bytes.count > 128 else { return bytes.count * 6 + 2 + slack }
        var count = bytes.count + 2 + slack
        for byte in bytes.buffer where needsEscapeOrCheck(byte) { count += 5 }
        return count
    }

    static func maximumTextCount(_ text: String) -> Int {
        let count = text.utf8.count
        return count <= 128 ? count * 6 + 2 + slack : ByteSlice.withBytes(of: text) { maximumTextCount($0) }
    }

    static func maximumTextCount(_ text: String?) -> Int { text.map { maximumTextCount($0) } ?? 0 }

    /// Writes a quoted string; bytes that are not UTF-8 become U+FFFD.
    mutating func text(_ bytes: ByteSlice) {
        claim(1).pointee = UInt8(ascii: "\"")
        content(bytes)
        claim(1).pointee = UInt8(ascii: "\"")
    }

    /// Writes two texts as one quoted string, with a slash between them.
    mutating func path(_ first: String, _ second: String) {
        claim(1).pointee = UInt8(ascii: "\"")
        ByteSlice.withBytes(of: first) { content($0) }
        claim(1).pointee = UInt8(ascii: "/")
        ByteSlice.withBytes(of: second) { content($0) }
        claim(1).pointee = UInt8(ascii: "\"")
    }

    @inline(__always) private mutating func content(_ bytes: ByteSlice) {
        let plain = plainPrefix(of: bytes.buffer)
        if plain < bytes.count { escape(UnsafeRawBufferPointer(rebasing: bytes.buffer[plain...])) }
    }

    /// Appends bytes in steps of eight, up to the first step that needs an escape; returns the number appended.
    @inline(__always) private mutating func plainPrefix(of bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var index = 0
        while index + 8 <= bytes.count {
            let word = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard Self.isPlain(word) else { return index }
            store(word, count: 8)
            index += 8
        }
        let rest = bytes.count - index
        guard rest > 0 else { return index }
        let word = Self.load(start + index, count: rest)
        guard Self.isPlain(word | (0x2020_2020_2020_2020 << UInt64(rest * 8))) else { return index }
        store(word, count: rest)
        return bytes.count
    }

    /// Loads 1 to 7 bytes into the lowest bytes of a word, without reading beyond them.
    @inline(__always) private static func load(_ start: UnsafeRawPointer, count: Int) -> UInt64 {
        if count >= 4 {
            let lower = UInt64(start.loadUnaligned(as: UInt32.self))
            let upper = UInt64(start.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
            return lower | upper << UInt64((count - 4) * 8)
        }
        let middle = count / 2
        let first = UInt64(start.load(as: UInt8.self))
        let second = UInt64(start.load(fromByteOffset: middle, as: UInt8.self))
        let last = UInt64(start.load(fromByteOffset: count - 1, as: UInt8.self))
        return first | second << UInt64(middle * 8) | last << UInt64((count - 1) * 8)
    }

    /// Returns whether all eight bytes are ASCII that needs no escape.
    @inline(__always) private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        // Each term sets the high bit of the first byte that is below 0x20, a quote or a backslash.
        // A borrow may also set higher bits, which does not change the result.
        let found = word | (word &- ones &* 0x20) | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return found & 0x8080_8080_8080_8080 == 0
    }

    mutating func text(_ text: String) {
        // Native strings have contiguous storage.
        let written: Void? = text.utf8.withContiguousStorageIfAvailable {
            self.text(ByteSlice(UnsafeRawBufferPointer($0)))
        }
        if written == nil { ByteSlice.withBytes(of: text) { self.text($0) } }
    }

    /// Writes a quoted string of ASCII letters, digits and underscores.
    mutating func code(_ code: StaticString) {
        let count = code.utf8CodeUnitCount
        let start = claim(count + 2)
        start[0] = UInt8(ascii: "\"")
        Self.copyWord(code.utf8Start, to: start + 1, count: count)
        start[count + 1] = UInt8(ascii: "\"")
    }

    /// Copies a few bytes in two parts that may overlap, which is cheaper than a copy of variable length.
    @inline(__always)
    private static func copyWord(_ source: UnsafePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, count: Int) {
        let (from, to) = (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        switch count {
        case 8...16:
            let last = from.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            to.storeBytes(of: from.loadUnaligned(as: UInt64.self), as: UInt64.self)
            to.storeBytes(of: last, toByteOffset: count - 8, as: UInt64.self)
        case 4..<8:
            let last = from.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
            to.storeBytes(of: from.loadUnaligned(as: UInt32.self), as: UInt32.self)
            to.storeBytes(of: last, toByteOffset: count - 4, as: UInt32.self)
        default: to.copyMemory(from: from, byteCount: count)
        }
    }

    @inline(__always) private static func needsEscapeOrCheck(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    @inline(never) private mutating func escape(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if byte < 0x80 {
                escape(ascii: byte)
                index += 1
                continue
            }
            let count = Self.sequenceCount(UnsafeRawBufferPointer(rebasing: bytes[index...]))
            if count > 0 {
                json(ByteSlice(UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])))
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

    /// Returns the length of the UTF-8 sequence at the start; 0 if it is invalid (RFC 3629, section 4).
    private static func sequenceCount(_ bytes: UnsafeRawBufferPointer) -> Int {
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
