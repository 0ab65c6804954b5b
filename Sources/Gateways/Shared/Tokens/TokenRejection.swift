/// Why a token is refused; it holds nothing of the token, so that it may be logged.
package enum TokenRejection: Error, Sendable, Hashable {
    /// There is none.
    case missing
    /// It was never right, or is not for us.
    case invalid(reason: Reason)
    /// All is right but the time: a new one helps.
    case expired

    /// What is wrong: a few words that stay the same, for logs and metrics.
    package enum Reason: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        case tooLong = "longer than 8192 bytes"
        case form = "not three parts in base64url"
        case header = "unreadable header"
        case critical = "unknown extension in crit"
        case algorithm = "algorithm is not HS256, RS256 or ES256"
        case unknownKey = "unknown key"
        case otherAlgorithm = "algorithm is not that of the key"
        case signature = "wrong signature"
        case claims = "unreadable claims"
        case noExpiry = "no exp"
        case time = "exp or nbf is not in seconds of the years 1970 to 9999"
        case early = "nbf is in the future"
        case issuer = "wrong iss"
        case audience = "wrong aud"

        package var description: String { rawValue }
    }
}

extension TokenRejection: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing: "no token"
        case .invalid(let reason): reason.rawValue
        case .expired: "expired"
        }
    }
}
