/// Reason why a token is rejected; contains no part of the token, so it can be logged.
enum TokenRejection: Error, Sendable, Hashable {
    case missing
    /// The token is invalid or meant for another service.
    case invalid(reason: Reason)
    /// The token is valid but expired; the client needs a new one.
    case expired

    /// Fixed text for logs and error messages.
    enum Reason: String, Sendable, CaseIterable {
        case tooLong = "longer than 8192 bytes"
        case format = "not three parts in base64url"
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
    }
}
