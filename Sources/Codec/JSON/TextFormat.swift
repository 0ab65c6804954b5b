import Support

/// Which texts are read.
enum TextFormat {
    case any
    /// 1 to 128 bytes without control characters.
    case name
    /// As ``Identifier`` allows.
    case identifier

    @inline(__always)
    func allows(_ text: ByteSlice) -> Bool {
        switch self {
        case .any: true
        case .name: Identifier.isName(text)
        case .identifier: Identifier.isValid(text)
        }
    }
}
