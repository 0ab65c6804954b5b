/// A phone that is to be told of a trip, as its app registers it.
package struct PushDevice: Sendable, Hashable {
    /// Devices of one trip at most.
    package static let maximumPerTrip = 8
    /// Bytes of a token at most; Apple's have 64 to 200, Google's about 160.
    package static let maximumTokenBytes = 512
    /// Bytes of a language tag at most (BCP 47).
    package static let maximumLanguageBytes = 35

    package let platform: PushPlatform
    /// What the service calls the device; it goes into the path of a request, so its characters are few.
    package let token: String
    /// Such as `de` or `pt-BR`.
    package let language: String

    /// - Returns: `nil` for a token that the service cannot have given, and for a language that is no tag.
    package init?(platform: PushPlatform, token: String, language: String) {
        guard Self.isToken(token, of: platform), Self.isLanguage(language) else { return nil }
        self.platform = platform
        self.token = token
        self.language = language
    }

    /// The name under which a trip's registrations have the device: `apns:` or `fcm:` and the token.
    package var field: String { "\(platform.rawValue):\(token)" }

    /// Reads a registration: a ``field``, and the language as its value.
    package init?(field: String, language: String) {
        guard let colon = field.firstIndex(of: ":"), let platform = PushPlatform(rawValue: String(field[..<colon]))
        else { return nil }
        self.init(platform: platform, token: String(field[field.index(after: colon)...]), language: language)
    }

    /// Where Redis has the registrations of a trip.
    package static func key(prefix: String, trip: String) -> String { "\(prefix)devices:\(trip)" }

    /// Whether `token` may be one: hexadecimal digits of Apple, and of Google the characters of its tokens.
    package static func isToken(_ token: String, of platform: PushPlatform) -> Bool {
        guard (1...maximumTokenBytes).contains(token.utf8.count) else { return false }
        switch platform {
        case .apns: return token.utf8.allSatisfy(isHexadecimal)
        case .fcm: return token.utf8.allSatisfy { isLetterOrDigit($0) || "-_:.".utf8.contains($0) }
        }
    }

    /// Whether `language` may be a tag: letters and digits with hyphens between.
    package static func isLanguage(_ language: String) -> Bool {
        (2...maximumLanguageBytes).contains(language.utf8.count)
            && language.split(separator: "-", omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isLetterOrDigit) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default: false
        }
    }
}
