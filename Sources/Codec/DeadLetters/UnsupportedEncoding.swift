import Support

/// Detects unsupported encodings of JSON by the first bytes of a value.
enum UnsupportedEncoding {
    case byteOrderMark, utf16, gzip

    init?(_ value: ByteSlice) {
        guard value.count >= 2 else { return nil }
        switch (value[0], value[1]) {
        case (0xEF, 0xBB) where value.count >= 3 && value[2] == 0xBF: self = .byteOrderMark
        case (0xFE, 0xFF), (0xFF, 0xFE): self = .utf16
        // Without a byte order mark, UTF-16 is recognised by the zero byte of the first character.
        case (0, UInt8(ascii: "{")), (UInt8(ascii: "{"), 0), (0, UInt8(ascii: "[")), (UInt8(ascii: "["), 0):
            self = .utf16
        case (0x1F, 0x8B): self = .gzip
        default: return nil
        }
    }

    var sentence: String {
        switch self {
        case .byteOrderMark: "The value begins with a byte order mark; expected UTF-8 without one"
        case .utf16: "The value is UTF-16; expected UTF-8"
        case .gzip: "The value is compressed by gzip; expected JSON in UTF-8"
        }
    }
}
