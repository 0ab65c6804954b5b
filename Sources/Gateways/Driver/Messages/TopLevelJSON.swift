import Codec
import Support

/// Finds members and elements at the top level of JSON text without parsing it.
enum TopLevelJSON {
    /// Returns the JSON text of the last member with one of these names that is not null; `nil` if absent.
    ///
    /// The text must be valid JSON. Does not match names with escapes.
    static func lastMember(_ names: [StaticString], in json: ByteSlice) -> ByteSlice? {
        var found: ByteSlice?
        var cursor = skipped(" \t\r\n{", in: json, from: 0)
        while cursor < json.count, json[cursor] == UInt8(ascii: "\"") {
            let name = cursor + 1..<MemberScanner.closingQuote(in: json, from: cursor + 1)
            let start = skipped(" \t\r\n:", in: json, from: name.upperBound + 1)
            let end = endOfValue(in: json, from: start) ?? json.count
            guard start < end else { return nil }
            let value = json[start..<end]
            if names.contains(where: { json[name] == $0 }), !(value == "null") { found = value }
            cursor = skipped(" \t\r\n,", in: json, from: end)
        }
        return found
    }

    /// Whether valid JSON text is a single array, apart from white space.
    static func isWholeArray(_ json: ByteSlice) -> Bool {
        let start = skipped(" \t\r\n", in: json, from: 0)
        guard start < json.count, json[start] == UInt8(ascii: "[") else { return false }
        return skipped(" \t\r\n", in: json, from: endOfValue(in: json, from: start) ?? json.count) == json.count
    }

    /// Returns the text of each element, up to `limit` + 1; `nil` if the text is not an array of objects.
    ///
    /// Does not validate the elements.
    static func elements(of json: ByteSlice, limit: Int) -> [ByteSlice]? {
        var cursor = skipped(" \t\r\n", in: json, from: 0)
        guard cursor < json.count, json[cursor] == UInt8(ascii: "[") else { return nil }
        var elements: [ByteSlice] = []
        repeat {
            cursor = skipped(" \t\r\n", in: json, from: cursor + 1)
            guard cursor < json.count, json[cursor] == UInt8(ascii: "{"), let end = endOfValue(in: json, from: cursor)
            else { return nil }
            elements.append(json[cursor..<end])
            cursor = skipped(" \t\r\n", in: json, from: end)
        } while cursor < json.count && json[cursor] == UInt8(ascii: ",") && elements.count <= limit
        if elements.count > limit { return elements }
        guard cursor < json.count, json[cursor] == UInt8(ascii: "]"),
            skipped(" \t\r\n", in: json, from: cursor + 1) == json.count
        else { return nil }
        return elements
    }

    private static func skipped(_ characters: StaticString, in json: ByteSlice, from start: Int) -> Int {
        let skipped = ByteSlice(characters).buffer
        var cursor = start
        while cursor < json.count, skipped.contains(json[cursor]) { cursor += 1 }
        return cursor
    }

    /// Returns the index after a value; `nil` if the text ends within it.
    private static func endOfValue(in json: ByteSlice, from start: Int) -> Int? {
        var (cursor, depth) = (start, 0)
        while cursor < json.count {
            switch json[cursor] {
            case UInt8(ascii: "\""):
                cursor = MemberScanner.closingQuote(in: json, from: cursor + 1)
                if depth == 0 { return min(cursor + 1, json.count) }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // End of the enclosing object, after a number or literal.
                if depth == 0 { return cursor }
                depth -= 1
                if depth == 0 { return cursor + 1 }
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                if depth == 0 { return cursor }
            default: break
            }
            cursor += 1
        }
        return nil
    }
}
