import Lanes

extension ByteSlice {
    /// Whether the last bytes are those of `text`.
    func hasSuffix(_ text: StaticString) -> Bool {
        guard let start, count >= text.utf8CodeUnitCount else { return false }
        let tail = ByteSlice(start: start + (count - text.utf8CodeUnitCount), count: text.utf8CodeUnitCount)
        return tail == text
    }

    /// Whether the first bytes are those of `text`.
    func hasPrefix(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount && ByteSlice(start: start, count: text.utf8CodeUnitCount) == text
    }
}
