extension ByteSlice {
    /// Whether the last bytes are those of `text`.
    public func hasSuffix(_ text: StaticString) -> Bool {
        guard let start, count >= text.utf8CodeUnitCount else { return false }
        let tail = ByteSlice(start: start + (count - text.utf8CodeUnitCount), count: text.utf8CodeUnitCount)
        return tail == text
    }

    /// The text without the mark of UTF-8 that some programs put before it.
    public var withoutByteOrderMark: ByteSlice { dropping(prefix: "\u{FEFF}") ?? self }

    /// What comes after `prefix`; `nil` when the first bytes are others.
    public func dropping(prefix: StaticString) -> ByteSlice? {
        let length = prefix.utf8CodeUnitCount
        guard let start, count >= length, ByteSlice(start: start, count: length) == prefix else { return nil }
        return ByteSlice(start: start + length, count: count - length)
    }
}
