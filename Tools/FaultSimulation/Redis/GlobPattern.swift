/// Patterns of `SCAN`: `*`, `?`, `[abc]`, `[^a-c]` and `\` before a special character.
enum GlobPattern {
    static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool { matches(text[...], pattern[...]) }

    private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (text, pattern) = (text, pattern)
        while let mark = pattern.popFirst() {
            if mark == UInt8(ascii: "*") {
                return (text.startIndex...text.endIndex).contains { matches(text[$0...], pattern) }
            }
            guard let byte = text.popFirst() else { return false }
            switch mark {
            case UInt8(ascii: "?"): break
            case UInt8(ascii: "["):
                guard isInClass(byte, &pattern) else { return false }
            case UInt8(ascii: "\\"):
                guard byte == pattern.popFirst() ?? mark else { return false }
            default:
                guard byte == mark else { return false }
            }
        }
        return text.isEmpty
    }

    /// Consumes a class up to its closing bracket; returns whether it contains the byte.
    private static func isInClass(_ byte: UInt8, _ pattern: inout ArraySlice<UInt8>) -> Bool {
        let isNegated = pattern.first == UInt8(ascii: "^")
        if isNegated { pattern.removeFirst() }
        var isFound = false
        while var start = pattern.popFirst(), start != UInt8(ascii: "]") {
            if start == UInt8(ascii: "\\"), let escaped = pattern.popFirst() { start = escaped }
            var end = start
            if pattern.first == UInt8(ascii: "-"), pattern.count > 1 {
                end = pattern[pattern.startIndex + 1]
                pattern.removeFirst(2)
            }
            if (min(start, end)...max(start, end)).contains(byte) { isFound = true }
        }
        return isFound != isNegated
    }
}
