import Codec
import Support

/// Scanner of JSON text for the members or elements at the top level.
///
/// ``Codec/MemberScanner`` finds members at any depth. Escapes in names are not decoded. For invalid JSON, the results
/// are arbitrary parts of the text.
package struct TopLevelJSON {
    private static let space: StaticString = " \t\r\n"

    private let json: ByteSlice

    package init(_ json: ByteSlice) { self.json = json }

    package var isArray: Bool { json.buffer.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "[") }

    /// Whether the text is a single array, possibly surrounded by white space.
    var isWholeArray: Bool {
        isArray && skip(Self.space, from: endOfValue(from: skip(Self.space, from: 0)) ?? json.count) == json.count
    }

    /// Calls `body` with the name and the JSON text of each member that is not null.
    package func forEachMember(_ body: (_ name: ByteSlice, _ value: ByteSlice) -> Void) {
        var cursor = skip(" \t\r\n{", from: 0)
        while cursor < json.count, json[cursor] == UInt8(ascii: "\"") {
            let name = cursor + 1..<MemberScanner.closingQuote(in: json, from: cursor + 1)
            let start = skip(" \t\r\n:", from: name.upperBound + 1)
            let end = endOfValue(from: start) ?? json.count
            guard start < end else { return }
            if !(json[start..<end] == "null") { body(json[name], json[start..<end]) }
            cursor = skip(" \t\r\n,", from: end)
        }
    }

    /// Returns the text of each element, up to `limit` + 1; `nil` unless the text is an array of one or more objects.
    ///
    /// Does not validate the elements.
    package func elements(limit: Int) -> [ByteSlice]? {
        var cursor = skip(Self.space, from: 0)
        guard isArray else { return nil }
        var elements: [ByteSlice] = []
        repeat {
            cursor = skip(Self.space, from: cursor + 1)
            guard cursor < json.count, json[cursor] == UInt8(ascii: "{"), let end = endOfValue(from: cursor)
            else { return nil }
            elements.append(json[cursor..<end])
            cursor = skip(Self.space, from: end)
        } while cursor < json.count && json[cursor] == UInt8(ascii: ",") && elements.count <= limit
        if elements.count > limit { return elements }
        guard cursor < json.count, json[cursor] == UInt8(ascii: "]"), skip(Self.space, from: cursor + 1) == json.count
        else { return nil }
        return elements
    }

    private func skip(_ characters: StaticString, from start: Int) -> Int {
        let skipped = ByteSlice(characters).buffer
        var cursor = start
        while cursor < json.count, skipped.contains(json[cursor]) { cursor += 1 }
        return cursor
    }

    /// Returns the index after a value; `nil` if the text ends within it.
    private func endOfValue(from start: Int) -> Int? {
        var (cursor, depth) = (start, 0)
        while cursor < json.count {
            switch json[cursor] {
            case UInt8(ascii: "\""):
                cursor = MemberScanner.closingQuote(in: json, from: cursor + 1)
                if depth == 0 { return min(cursor + 1, json.count) }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // End of the enclosing object or array, after a number or literal.
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
