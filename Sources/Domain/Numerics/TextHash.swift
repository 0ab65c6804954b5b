/// Hash of a text, equal in every process, so that it can be stored.
package enum TextHash {
    /// Returns the 64-bit FNV-1a hash of the UTF-8 bytes.
    package static func of(_ text: String) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        return hash
    }
}
