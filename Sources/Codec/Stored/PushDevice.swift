/// A phone that is registered for notifications about a trip.
package struct PushDevice: Sendable, Hashable {
    package static let maximumPerTrip = 8
    /// Maximum bytes of a token; APNs tokens have 64 to 200, FCM tokens about 160.
    package static let maximumTokenBytes = 512
    /// Maximum bytes of a language tag (BCP 47).
    package static let maximumLanguageBytes = 35

    package let platform: PushPlatform
    /// The push service's id of the device, which becomes part of a request.
    package let token: String
    /// A language tag such as `de` or `pt-BR`.
    package let language: String

    /// - Returns: `nil` for an invalid token or language tag.
    package init?(platform: PushPlatform, token: String, language: String) {
        guard Self.isToken(token, of: platform), Self.isLanguage(language) else { return nil }
        (self.platform, self.token, self.language) = (platform, token, language)
    }

    /// Field of the device in the trip's Redis hash: `apns:` or `fcm:` and the token.
    package var field: String { "\(platform.rawValue):\(token)" }

    /// Reads a registration from the hash: a ``field``, whose value is the language.
    package init?(field: String, language: String) {
        guard let colon = field.firstIndex(of: ":"), let platform = PushPlatform(rawValue: String(field[..<colon]))
        else { return nil }
        self.init(platform: platform, token: String(field[field.index(after: colon)...]), language: language)
    }

    package static func key(prefix: String, trip: String) -> String { "\(prefix)devices:\(trip)" }

    /// Returns whether a token is valid: hexadecimal (APNs), or letters, digits and `-_:.` (FCM).
    package static func isToken(_ token: String, of platform: PushPlatform) -> Bool {
        guard (1...maximumTokenBytes).contains(token.utf8.count) else { return false }
        switch platform {
        case .apns: return token.utf8.allSatisfy(isHexadecimal)
        case .fcm: return token.utf8.allSatisfy { isLetterOrDigit($0) || "-_:.".utf8.contains($0) }
        }
    }

    /// Returns whether `language` consists of letters and digits, separated by hyphens.
    package static func isLanguage(_ language: String) -> Bool {
        (2...maximumLanguageBytes).contains(language.utf8.count)
            && language.split(separator: "-", omittingEmptySubsequences: false)
                .allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isLetterOrDigit) }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20)
    }
}

package enum PushPlatform: String, Sendable, CaseIterable {
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
}
