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

extension GatewayErrorCode {
    init(_ rejection: TokenRejection) {
        switch rejection {
        case .missing: self = .tokenMissing
        case .invalid: self = .tokenInvalid
        case .expired: self = .tokenExpired
        }
    }
}

extension TokenRejection {
    /// Error message for the client's developer.
    var advice: String {
        switch self {
        case .missing: "No token; send it as ?token= or as Authorization: Bearer."
        case .invalid(let reason): "The token is invalid: \(reason)."
        case .expired: "The token has expired; reconnect with a new one."
        }
    }
}
