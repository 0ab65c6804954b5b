import Lanes

extension String {
    /// Becomes the text of `bytes`, keeping its storage when it has that text already.
    mutating func become(_ bytes: ByteSlice) {
        if !hasBytes(bytes) { self = bytes.string }
    }

    private func hasBytes(_ bytes: ByteSlice) -> Bool {
        guard utf8.count == bytes.count else { return false }
        return utf8.withContiguousStorageIfAvailable { UnsafeRawBufferPointer($0).elementsEqual(bytes.buffer) } ?? false
    }
}

extension Optional<String> {
    /// As ``Swift/String/become(_:)``; `nil` for `nil`.
    mutating func become(_ bytes: ByteSlice?) {
        guard let bytes else {
            self = nil
            return
        }
        if self == nil { self = bytes.string } else { self?.become(bytes) }
    }
}
