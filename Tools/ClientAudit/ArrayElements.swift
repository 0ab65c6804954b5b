import Codec
import Support

/// The elements of an array in valid JSON text, as the original bytes.
struct ArrayElements: Sequence, IteratorProtocol {
    private let json: ByteSlice
    /// Position after the opening bracket or the last returned element.
    private var cursor: Int

    /// Finds the first member with this name; there are no elements if it is not an array.
    init(named name: StaticString, in json: ByteSlice) {
        self.json = json
        let member = MemberScanner(json).first { $0.name == name && !$0.isString }
        cursor = json.count
        if let start = member?.range.lowerBound, start < json.count, json[start] == UInt8(ascii: "[") {
            cursor = start + 1
        }
    }

    mutating func next() -> ByteSlice? {
        while cursor < json.count, " \t\r\n,".utf8.contains(json[cursor]) { cursor += 1 }
        guard cursor < json.count, json[cursor] != UInt8(ascii: "]") else {
            cursor = json.count
            return nil
        }
        let start = cursor
        cursor = end(from: start)
        return json[start..<cursor]
    }

    /// Returns the end of the value that begins at `start`.
    private func end(from start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""): index = MemberScanner.closingQuote(in: json, from: index + 1)
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The array ends after a number, true, false or null.
                if depth == 0 { return index }
                depth -= 1
                if depth == 0 { return index + 1 }
            case UInt8(ascii: ","), UInt8(ascii: " "): if depth == 0 { return index }
            default: break
            }
            index += 1
        }
        return json.count
    }
}
