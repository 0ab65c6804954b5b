import Foundation

/// Base64 with the alphabet for URLs and without padding (RFC 4648, section 5; RFC 7515, section 2).
package enum Base64URL {
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        let text = Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") }
        return String(decoding: text.map(translated), as: UTF8.self)
    }

    /// Decodes `text`; `nil` if it is not the canonical encoding.
    ///
    /// Strict, so that each token has exactly one spelling. Lenient decoders accept unused bits, padding and the
    /// standard alphabet, and therefore several spellings of one token.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
        guard let bytes = Data(base64Encoded: Data(text.map(translated) + padding.utf8)),
            encode(bytes).utf8.elementsEqual(text)
        else { return nil }
        return Array(bytes)
    }

    /// Converts a digit of the standard alphabet to the URL alphabet, and vice versa.
    private static func translated(_ digit: UInt8) -> UInt8 {
        switch digit {
        case UInt8(ascii: "+"): UInt8(ascii: "-")
        case UInt8(ascii: "-"): UInt8(ascii: "+")
        case UInt8(ascii: "/"): UInt8(ascii: "_")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: digit
        }
    }
}
