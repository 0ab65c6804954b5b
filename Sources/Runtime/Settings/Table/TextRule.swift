import Foundation

/// Validation rule of a text setting.
package enum TextRule: Sendable, Hashable {
    /// `host:port`, several separated by commas.
    case servers
    case host
    /// Letters, digits, dot, underscore and hyphen, as in topic names; may be empty.
    case topicPrefix
    /// Visible ASCII characters without spaces, at most 64; may be empty.
    case keyPrefix
    /// Like ``topicPrefix``, but not empty.
    case name
    /// A readable file or folder; may be empty.
    case readable(example: String)
    /// At most 1,024 bytes without control characters; may be empty.
    case login
    /// 32 to 1,024 bytes without control characters; may be empty.
    case secretKey
    /// Claim of a token: at most 1,024 bytes without control characters; may be empty.
    case claim(example: String)
    /// Origins as sent by browsers, comma-separated, or `*`; may be empty.
    case origins
    /// A URL with one of the schemes.
    case url(schemes: [String], example: String)
    /// Like ``url(schemes:example:)``, or empty.
    case optionalURL(schemes: [String], example: String)

    package func accepts(_ text: String) -> Bool {
        switch self {
        case .servers:
            return text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(Self.isServer)
        case .host:
            return !text.isEmpty
                && text.utf8.allSatisfy { Self.isNameByte($0) || $0 == UInt8(ascii: ":") }
        case .topicPrefix:
            // A topic name has at most 249 characters; the longest of ours has 28.
            return text.utf8.count <= 200 && text.utf8.allSatisfy(Self.isNameByte)
        case .keyPrefix:
            return text.utf8.count <= 64 && text.utf8.allSatisfy(Self.isVisible)
        case .name:
            return (1...200).contains(text.utf8.count) && text.utf8.allSatisfy(Self.isNameByte)
        case .readable:
            return text.isEmpty || FileManager.default.isReadableFile(atPath: text)
        case .login, .claim:
            return Self.isLine(text)
        case .secretKey:
            // HMAC-SHA256 needs a key of at least its output's length: a shorter one could be guessed from a token.
            return Self.isLine(text) && (text.isEmpty || text.utf8.count >= 32)
        case .origins:
            return text.isEmpty || text == "*"
                || text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy(Self.isOrigin)
        case .optionalURL(let schemes, let example):
            return text.isEmpty || Self.url(schemes: schemes, example: example).accepts(text)
        case .url(let schemes, _):
            guard let scheme = schemes.first(where: { text.hasPrefix("\($0)://") }) else { return false }
            return text.utf8.count > scheme.utf8.count + 3
                && !text.utf8.contains { $0 <= UInt8(ascii: " ") }
        }
    }

    /// Description of allowed values that completes "must be …".
    package var allowed: String {
        switch self {
        case .servers: "host:port, several separated by commas"
        case .host: "a host name or address"
        case .topicPrefix: "at most 200 letters, digits, dots, underscores and hyphens"
        case .keyPrefix: "at most 64 visible characters without spaces"
        case .name: "1 to 200 letters, digits, dots, underscores and hyphens"
        case .readable: "a file that exists and that we may read"
        case .login, .claim: "at most 1024 bytes without control characters"
        case .secretKey: "32 to 1024 bytes without control characters"
        case .origins:
            "https://host or http://host, with the port unless it is the default, comma-separated, or *"
        case .url(let schemes, _), .optionalURL(let schemes, _):
            "a URL that begins with \(schemes.map { "\($0)://" }.joined(separator: " or "))"
        }
    }

    package var example: String {
        switch self {
        case .servers: "kafka-1:9092,kafka-2:9092"
        case .host: "127.0.0.1"
        case .topicPrefix: "staging."
        case .keyPrefix: "staging:"
        case .name: "sightline-blue"
        case .readable(let example): example
        case .login: "location-worker"
        // An example secret would end up in use.
        case .secretKey: "what `sightline token --new-secret` prints"
        case .claim(let example): example
        case .origins: "https://app.example.com"
        case .url(_, let example), .optionalURL(_, let example): example
        }
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
