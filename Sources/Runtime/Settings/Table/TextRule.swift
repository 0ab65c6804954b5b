import Foundation

/// Validation rule of a text setting.
package struct TextRule: Sendable {
    /// Description of allowed values that completes "must be …".
    package let allowed: String
    package let example: String
    package let accepts: @Sendable (String) -> Bool

    static let servers = TextRule(
        allowed: "host:port, several separated by commas", example: "kafka-1:9092,kafka-2:9092"
    ) { $0.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(isServer) }

    static let host = TextRule(allowed: "a host name or address", example: "127.0.0.1") {
        !$0.isEmpty && $0.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ":") }
    }

    /// Prefix of topic names; may be empty.
    ///
    /// A topic name has at most 249 characters, and the longest of Sightline has 28.
    static let topicPrefix = TextRule(
        allowed: "at most 200 letters, digits, dots, underscores and hyphens", example: "staging."
    ) { $0.utf8.count <= 200 && $0.utf8.allSatisfy(isNameByte) }

    /// Name of an HTTP header; may be empty.
    static let headerName = TextRule(
        allowed: topicPrefix.allowed, example: "X-Forwarded-For", accepts: topicPrefix.accepts)

    /// Prefix of Redis keys; may be empty.
    static let keyPrefix = TextRule(allowed: "at most 64 visible characters without spaces", example: "staging:") {
        $0.utf8.count <= 64 && $0.utf8.allSatisfy(isVisible)
    }

    static let name = TextRule(
        allowed: "1 to 200 letters, digits, dots, underscores and hyphens", example: "sightline-blue"
    ) { (1...200).contains($0.utf8.count) && $0.utf8.allSatisfy(isNameByte) }

    /// Returns the rule for the path of a readable file or folder; may be empty.
    static func readable(example: String) -> TextRule {
        TextRule(allowed: "the path of a file that exists and is readable", example: example) {
            $0.isEmpty || FileManager.default.isReadableFile(atPath: $0)
        }
    }

    static let login = claim(example: "location-worker")

    /// Returns the rule for a claim of a token; may be empty.
    static func claim(example: String) -> TextRule {
        TextRule(allowed: "at most 1024 bytes without control characters", example: example, accepts: isLine)
    }

    /// Secret key; may be empty.
    ///
    /// The example contains no key, because users would copy it. HMAC-SHA256 needs a key of at least its output's
    /// length, because a shorter one could be guessed from a token.
    static let secretKey = TextRule(
        allowed: "32 to 1024 bytes without control characters", example: "what `sightline token --new-secret` prints"
    ) { isLine($0) && ($0.isEmpty || $0.utf8.count >= 32) }

    /// Origins as sent by browsers; may be empty.
    static let origins = TextRule(
        allowed: "https://host or http://host, with the port unless it is the default, comma-separated, or *",
        example: "https://app.example.com"
    ) {
        $0.isEmpty || $0 == "*" || $0.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(isOrigin)
    }

    static func url(schemes: [String], example: String) -> TextRule {
        let starts = schemes.map { "\($0)://" }
        let allowed = "a URL that begins with \(starts.joined(separator: " or "))"
        return TextRule(allowed: allowed, example: example) { text in
            guard let start = starts.first(where: text.hasPrefix) else { return false }
            return text.utf8.count > start.utf8.count && !text.utf8.contains { $0 <= UInt8(ascii: " ") }
        }
    }

    static func optionalURL(schemes: [String], example: String) -> TextRule {
        let rule = url(schemes: schemes, example: example)
        return TextRule(allowed: rule.allowed, example: example) { $0.isEmpty || rule.accepts($0) }
    }

    /// Accepts `host:port` and `[IPv6]:port`, optionally with a protocol, like librdkafka.
    private static func isServer(_ text: Substring) -> Bool {
        let trimmed = text.drop { $0 == " " }
        let address = trimmed.firstRange(of: "://").map { trimmed[$0.upperBound...] } ?? trimmed
        guard let colon = address.lastIndex(of: ":"), colon > address.startIndex else { return false }
        guard let port = Int(address[address.index(after: colon)...]), (1...65_535).contains(port)
        else { return false }
        return address[..<colon].utf8.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "/") }
    }

    /// Accepts a scheme, a lower-case host and an optional port, because origins are compared byte by byte.
    private static func isOrigin(_ text: Substring) -> Bool {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
        let host = text.dropFirst(scheme.count)
        return !host.isEmpty && host == host.lowercased()
            && host.utf8.allSatisfy { isNameByte($0) || ":[]".utf8.contains($0) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func isLine(_ text: String) -> Bool {
        text.utf8.count <= 1_024 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7e).contains(byte) }
}
