import Support

/// Rules for identifiers, which become Kafka keys, Redis keys and parts of channel names.
package enum Identifier {
    package static let maximumByteCount = 128

    /// Returns whether `bytes` are 1 to 128 ASCII letters, digits, or any of `_`, `-`, `.` and `:`.
    @inline(__always) package static func isValid(_ bytes: ByteSlice) -> Bool {
        guard bytes.count > 0, bytes.count <= maximumByteCount else { return false }
        for byte in bytes.buffer where !isAllowed(byte) { return false }
        return true
    }

    /// Returns whether `bytes` are 1 to 128 bytes without control characters.
    static func isName(_ bytes: ByteSlice) -> Bool {
        (1...maximumByteCount).contains(bytes.count) && bytes.buffer.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    /// Returns whether a character is allowed, by its bit: in `letters` for 64 to 127, in `others` for 0 to 63.
    @inline(__always) private static func isAllowed(_ byte: UInt8) -> Bool {
        let letters: UInt64 = 0x07FF_FFFE_87FF_FFFE
        let others: UInt64 = 0x07FF_6000_0000_0000
        guard byte < 128 else { return false }
        return (byte < 64 ? others >> UInt64(byte) : letters >> UInt64(byte - 64)) & 1 == 1
    }
}
