import CSimdJSON
import Support

extension String {
    /// Assigns the text of `bytes`; keeps the storage if the text is the same.
    mutating func assign(_ bytes: ByteSlice) {
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
    mutating func assign(_ bytes: ByteSlice?) {
        guard let bytes else {
            self = nil
            return
        }
        if self == nil { self = bytes.string } else { self?.assign(bytes) }
    }
}
