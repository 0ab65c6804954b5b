import Support

/// Members of JSON text at any depth, in order, even of invalid text; reads each byte once.
package struct MemberScanner: Sequence, IteratorProtocol {
    /// A name and its value.
    package struct Member {
        /// The name as written, without its quotes.
        package let name: ByteSlice
        /// Indices of the value: the inside of a string, a number or word, or the first byte of an object or array.
        package let range: Range<Int>
        package let isString: Bool
    }

    private let json: ByteSlice
    private var cursor = 0

    package init(_ json: ByteSlice) { self.json = json }

    package mutating func next() -> Member? {
        while cursor < json.count {
            guard json[cursor] == UInt8(ascii: "\"") else {
                cursor += 1
                continue
            }
            let name = cursor + 1..<Self.closingQuote(in: json, from: cursor + 1)
            cursor = name.upperBound + 1
            skipSpace()
            // A string without a colon after it is a value.
            guard cursor < json.count, json[cursor] == UInt8(ascii: ":") else { continue }
            cursor += 1
            skipSpace()
            let (range, isString) = value()
            return Member(name: json[name], range: range, isString: isString)
        }
        return nil
    }

    /// Returns the value as written; a string includes its quotes.
    package func text(of member: Member) -> ByteSlice {
        guard member.isString else { return json[member.range] }
        return json[member.range.lowerBound - 1..<Swift.min(member.range.upperBound + 1, json.count)]
    }

    /// Returns the index of a string's closing quote, or the text's length; `start` is after the opening quote.
    package static func closingQuote(in json: ByteSlice, from start: Int) -> Int {
        var cursor = start
        while cursor < json.count, json[cursor] != UInt8(ascii: "\"") {
            cursor += json[cursor] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(cursor, json.count)
    }

    /// Moves past the value that begins at the cursor, and returns its range.
    private mutating func value() -> (range: Range<Int>, isString: Bool) {
        let start = cursor
        guard start < json.count else { return (start..<start, false) }
        switch json[start] {
        case UInt8(ascii: "\""):
            let inside = start + 1..<Self.closingQuote(in: json, from: start + 1)
            cursor = inside.upperBound + 1
            return (inside, true)
        case UInt8(ascii: "{"), UInt8(ascii: "["): cursor += 1
        default:
            // Stops at every byte that can end a number or word, so that no byte of invalid JSON is read twice.
            while cursor < json.count, !",]}[{:\"".utf8.contains(json[cursor]), json[cursor] > UInt8(ascii: " ") {
                cursor += 1
            }
        }
        return (start..<cursor, false)
    }

    private mutating func skipSpace() {
        while cursor < json.count, json[cursor] <= UInt8(ascii: " ") { cursor += 1 }
    }
}
