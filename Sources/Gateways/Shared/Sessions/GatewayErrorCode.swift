/// The codes of errors that clients are told; they never change their meaning.
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
    /// One sentence for the client's developer.
    var advice: String {
        switch self {
        case .missing: "Connect with ?token= or with an Authorization header that has a bearer token."
        case .invalid(let reason): "The token is not accepted: \(reason)."
        case .expired: "The token has expired; connect again with a new one."
        }
    }
}
