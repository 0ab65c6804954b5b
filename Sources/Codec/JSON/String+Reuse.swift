import CSimdJSON
import Support

extension String {
    /// Becomes the text of `bytes`, keeping its storage when it has that text already.
    mutating func become(_ bytes: ByteSlice) {
        if !hasBytes(bytes) { self = bytes.string }
    }

    private func hasBytes(_ bytes: ByteSlice) -> Bool {
        guard utf8.count == bytes.count, let start = bytes.start else { return isEmpty && bytes.isEmpty }
        return utf8.withContiguousStorageIfAvailable { text in
            text.baseAddress.map { sl_same_bytes($0, start, bytes.count) } ?? false
        } ?? false
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
