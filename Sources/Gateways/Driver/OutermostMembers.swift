import Codec
import Support

/// Finds members of the outermost object of JSON text that has been found to be valid.
///
/// Names that are written with escapes are not found.
enum OutermostMembers {
    /// The JSON text of the last member that has one of these names and is not null; `nil` when there is none.
    static func last(_ names: [StaticString], in json: ByteSlice) -> ByteSlice? {
        var found: ByteSlice?
        var cursor = skipped(" \t\r\n{", in: json, from: 0)
        while cursor < json.count, json[cursor] == UInt8(ascii: "\"") {
            let name = cursor + 1..<MemberScanner.closingQuote(in: json, from: cursor + 1)
            let start = skipped(" \t\r\n:", in: json, from: name.upperBound + 1)
            let end = endOfValue(in: json, from: start)
            guard start < end else { return nil }
            let value = json[start..<end]
            if names.contains(where: { json[name] == $0 }), !(value == "null") { found = value }
            cursor = skipped(" \t\r\n,", in: json, from: end)
        }
        return found
    }

    /// Whether valid JSON text, with white space around it, is one array and nothing behind it.
    static func isWholeArray(_ json: ByteSlice) -> Bool {
        let start = skipped(" \t\r\n", in: json, from: 0)
        guard start < json.count, json[start] == UInt8(ascii: "[") else { return false }
        return skipped(" \t\r\n", in: json, from: endOfValue(in: json, from: start)) == json.count
    }

    private static func skipped(_ characters: StaticString, in json: ByteSlice, from start: Int) -> Int {
        let skipped = ByteSlice(characters).buffer
        var cursor = start
        while cursor < json.count, skipped.contains(json[cursor]) { cursor += 1 }
        return cursor
    }

    private static func endOfValue(in json: ByteSlice, from start: Int) -> Int {
        var (cursor, depth) = (start, 0)
        while cursor < json.count {
            switch json[cursor] {
            case UInt8(ascii: "\""):
                cursor = MemberScanner.closingQuote(in: json, from: cursor + 1)
                if depth == 0 { return min(cursor + 1, json.count) }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // Of the object around it, where the value is a number or word.
                if depth == 0 { return cursor }
                depth -= 1
                if depth == 0 { return cursor + 1 }
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
                if depth == 0 { return cursor }
            default: break
            }
            cursor += 1
        }
        return json.count
    }
}
