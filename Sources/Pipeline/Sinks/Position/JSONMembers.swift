import Bytes

/// Walks the members of one JSON object and hands out their values unread, as text.
///
/// For records that this project wrote itself and that are passed on as they are: it finds where a value ends by
/// brackets and quotes and does not check what is inside.
struct JSONMembers {
    struct Member {
        /// Without quotes; escapes are left as they are, which none of our names has.
        var name: ByteSlice
        /// The JSON text of the value.
        var value: ByteSlice

        /// The characters of a text value, with escapes left as they are; empty for anything else.
        var text: ByteSlice {
            guard let start = value.start, value.count >= 2, value[0] == UInt8(ascii: "\"") else { return .empty }
            return ByteSlice(start: start + 1, count: value.count - 2)
        }
    }

    private let bytes: UnsafeRawBufferPointer
    private var cursor = 0
    /// Whether the text turned out not to be an object.
    private(set) var isBroken = false
    private var hasEnded = false

    init(_ object: ByteSlice) {
        bytes = object.buffer
        skipBlanks()
        if !skip("{") { isBroken = true }
        skipBlanks()
        if skip("}") { hasEnded = true }
    }

    /// The next member; `nil` after the last, and when the text is not an object after all.
    mutating func next() -> Member? {
        guard !isBroken, !hasEnded else { return nil }
        skipBlanks()
        let nameStart = cursor
        guard skipText() else { return fail() }
        let name = slice(nameStart + 1..<cursor - 1)
        skipBlanks()
        guard skip(":") else { return fail() }
        skipBlanks()
        let valueStart = cursor
        guard skipValue() else { return fail() }
        let value = slice(valueStart..<cursor)
        skipBlanks()
        if skip("}") {
            hasEnded = true
        } else if !skip(",") {
            return fail()
        }
        return Member(name: name, value: value)
    }

    private mutating func fail() -> Member? {
        isBroken = true
        return nil
    }

    private func slice(_ range: Range<Int>) -> ByteSlice { ByteSlice(UnsafeRawBufferPointer(rebasing: bytes[range])) }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard cursor < bytes.count, bytes[cursor] == UInt8(ascii: character) else { return false }
        cursor += 1
        return true
    }

    private mutating func skipBlanks() {
        while cursor < bytes.count, bytes[cursor] == 32 || (9...13).contains(bytes[cursor]) { cursor += 1 }
    }

    private mutating func skipText() -> Bool {
        guard skip("\"") else { return false }
        while cursor < bytes.count {
            let byte = bytes[cursor]
            cursor += byte == UInt8(ascii: "\\") ? 2 : 1
            if byte == UInt8(ascii: "\"") { return true }
        }
        return false
    }

    /// Skips an object, array, text, number or word.
    private mutating func skipValue() -> Bool {
        var depth = 0
        let start = cursor
        while cursor < bytes.count {
            switch bytes[cursor] {
            case UInt8(ascii: "\""):
                guard skipText() else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // At depth 0 it closes the object around a number or word.
                if depth == 0 { return cursor > start }
                depth -= 1
                if depth == 0 {
                    cursor += 1
                    return true
                }
            case UInt8(ascii: ","):
                if depth == 0 { return cursor > start }
            default:
                break
            }
            cursor += 1
        }
        return false
    }
}
