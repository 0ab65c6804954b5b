import Bytes

/// What stands in a record under a name, found without a reader: in dead letters the record could not be read.
enum MemberText {
    /// The first value of a member with this name, at any depth, that `isWanted` takes; its JSON text.
    ///
    /// - Returns: `nil` when there is none. Of an object or array, the text is its first byte alone.
    static func first(
        of name: String, in value: ByteSlice, where isWanted: (ByteSlice) -> Bool = { _ in true }
    ) -> ByteSlice? {
        var cursor = 0
        while let found = nextName(in: value, from: &cursor) {
            guard found.buffer.elementsEqual(name.utf8) else { continue }
            let text = scalar(in: value, at: cursor)
            if isWanted(text) { return text }
        }
        return nil
    }

    /// How many elements the array has that is the first member with this name; `nil` when there is none.
    static func elementCount(of name: String, in value: ByteSlice) -> Int? {
        var cursor = 0
        while let found = nextName(in: value, from: &cursor) {
            guard found.buffer.elementsEqual(name.utf8), cursor < value.count, value[cursor] == UInt8(ascii: "[") else {
                continue
            }
            return elementCount(in: value, from: cursor + 1)
        }
        return nil
    }

    /// The next text of `value`, which is JSON, that a colon follows.
    ///
    /// `cursor` is then where the member's value begins.
    static func nextName(in value: ByteSlice, from cursor: inout Int) -> ByteSlice? {
        while cursor < value.count {
            guard value[cursor] == UInt8(ascii: "\"") else {
                cursor += 1
                continue
            }
            let start = cursor + 1
            let end = closingQuote(in: value, from: start)
            cursor = end + 1
            skipSpace(value, &cursor)
            guard cursor < value.count, value[cursor] == UInt8(ascii: ":") else { continue }
            cursor += 1
            skipSpace(value, &cursor)
            return slice(value, start..<end)
        }
        return nil
    }

    private static func elementCount(in value: ByteSlice, from start: Int) -> Int {
        var (count, depth, cursor, isElementBegun) = (0, 0, start, false)
        while cursor < value.count {
            let byte = value[cursor]
            switch byte {
            case UInt8(ascii: "\""): cursor = closingQuote(in: value, from: cursor + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0: isElementBegun = false
            default: break
            }
            if depth < 0 { return count }
            if !isElementBegun, byte > UInt8(ascii: " "), byte != UInt8(ascii: ",") || depth > 0 {
                isElementBegun = true
                count += 1
            }
            cursor += 1
        }
        return count
    }

    private static func scalar(in value: ByteSlice, at start: Int) -> ByteSlice {
        guard start < value.count else { return .empty }
        switch value[start] {
        case UInt8(ascii: "\""):
            return slice(value, start..<min(closingQuote(in: value, from: start + 1) + 1, value.count))
        case UInt8(ascii: "{"), UInt8(ascii: "["): return slice(value, start..<start + 1)
        default:
            var end = start
            // All that ends a number or word, so that broken JSON, too, is looked at once.
            while end < value.count, !",]}[{:\"".utf8.contains(value[end]), value[end] > UInt8(ascii: " ") { end += 1 }
            return slice(value, start..<end)
        }
    }

    private static func closingQuote(in value: ByteSlice, from start: Int) -> Int {
        var cursor = start
        while cursor < value.count, value[cursor] != UInt8(ascii: "\"") {
            cursor += value[cursor] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(cursor, value.count)
    }

    private static func skipSpace(_ value: ByteSlice, _ cursor: inout Int) {
        while cursor < value.count, value[cursor] <= UInt8(ascii: " ") { cursor += 1 }
    }

    private static func slice(_ value: ByteSlice, _ range: Range<Int>) -> ByteSlice {
        ByteSlice(UnsafeRawBufferPointer(rebasing: value.buffer[range]))
    }
}
