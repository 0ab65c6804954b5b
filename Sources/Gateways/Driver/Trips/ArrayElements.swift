import Codec
import Support

/// Takes a JSON array apart.
enum ArrayElements {
    /// The text of each element, up to `limit` and one more; `nil` where the text is no array of objects.
    ///
    /// Whether an element is valid JSON, its own reader says.
    static func of(_ json: ByteSlice, limit: Int) -> [ByteSlice]? {
        var cursor = blanks(json, from: 0)
        guard cursor < json.count, json[cursor] == UInt8(ascii: "[") else { return nil }
        var elements: [ByteSlice] = []
        repeat {
            cursor = blanks(json, from: cursor + 1)
            guard cursor < json.count, json[cursor] == UInt8(ascii: "{"), let end = objectEnd(json, from: cursor)
            else { return nil }
            elements.append(json[cursor..<end])
            cursor = blanks(json, from: end)
        } while cursor < json.count && json[cursor] == UInt8(ascii: ",") && elements.count <= limit
        if elements.count > limit { return elements }
        guard cursor < json.count, json[cursor] == UInt8(ascii: "]"), blanks(json, from: cursor + 1) == json.count
        else { return nil }
        return elements
    }

    /// The place after the bracket that closes the object.
    private static func objectEnd(_ json: ByteSlice, from start: Int) -> Int? {
        var (cursor, depth) = (start, 0)
        while cursor < json.count {
            switch json[cursor] {
            case UInt8(ascii: "\""): cursor = MemberScanner.closingQuote(in: json, from: cursor + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return cursor + 1 }
            default: break
            }
            cursor += 1
        }
        return nil
    }

    private static func blanks(_ json: ByteSlice, from start: Int) -> Int {
        var cursor = start
        while cursor < json.count, [0x20, 0x09, 0x0A, 0x0D].contains(json[cursor]) { cursor += 1 }
        return cursor
    }
}
