/// Error codes that clients receive; part of the protocol.
enum GatewayErrorCode: String, CaseIterable, Sendable {
    case tokenMissing = "TOKEN_MISSING"
    case tokenInvalid = "TOKEN_INVALID"
    case tokenExpired = "TOKEN_EXPIRED"
    case notAllowed = "NOT_ALLOWED"
    case invalidMessage = "INVALID_MESSAGE"
    case invalidSubscription = "INVALID_SUBSCRIPTION"
    case tripNotFound = "TRIP_NOT_FOUND"
    case rateLimited = "RATE_LIMITED"
    case tryAgain = "TRY_AGAIN"
    case slowReader = "SLOW_READER"
    case notAcknowledged = "NOT_ACKNOWLEDGED"
    case serverClosing = "SERVER_CLOSING"
    case notFound = "NOT_FOUND"
    case notWritten = "NOT_WRITTEN"
    case tooLarge = "TOO_LARGE"
    case tooManyDevices = "TOO_MANY_DEVICES"
    case unsupportedEncoding = "UNSUPPORTED_ENCODING"
}

extension TokenRejection {
    /// Error code, and message for the client's developer.
    var answer: (code: GatewayErrorCode, text: String) {
        switch self {
        case .missing: (.tokenMissing, "No token; send it as ?token= or as Authorization: Bearer.")
        case .invalid(let reason): (.tokenInvalid, "The token is invalid: \(reason.rawValue).")
        case .expired: (.tokenExpired, "The token has expired; reconnect with a new one.")
        }
    }
}
