import Support

/// Search for values by name in records that may not be valid JSON.
enum MemberText {
    /// Returns the JSON text of the first value with this name for which `matches` is true.
    ///
    /// For an object or array, returns only its first byte.
    static func first(
        of name: String, in value: ByteSlice, where matches: (ByteSlice) -> Bool = { _ in true }
    ) -> ByteSlice? {
        let members = MemberScanner(value)
        for member in members where member.name.buffer.elementsEqual(name.utf8) {
            let text = members.text(of: member)
            if matches(text) { return text }
        }
        return nil
    }

    /// Counts the elements of the first array with this name; `nil` without such an array.
    static func elementCount(of name: String, in value: ByteSlice) -> Int? {
        let members = MemberScanner(value)
        let array = members.first { $0.name.buffer.elementsEqual(name.utf8) && members.text(of: $0) == "[" }
        return array.map { elementCount(in: value, from: $0.range.upperBound) }
    }

    private static func elementCount(in value: ByteSlice, from start: Int) -> Int {
        var (count, depth, cursor, isElementBegun) = (0, 0, start, false)
        while cursor < value.count {
            let byte = value[cursor]
            switch byte {
            case UInt8(ascii: "\""): cursor = MemberScanner.closingQuote(in: value, from: cursor + 1)
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
}
