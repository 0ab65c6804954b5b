import Hummingbird
import NIOCore

/// An answer that says what is wrong with a request: `{"error":{"code":…,"message":…}}`.
struct RequestError: HTTPResponseError {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// In whole seconds; `nil` where waiting does not help.
    var retryAfterSeconds: Int?
    /// What is wrong with a device's message; `nil` for other errors.
    private var fault: MessageFault?

    init(_ status: HTTPResponse.Status, _ code: GatewayErrorCode, _ message: String, retryAfterSeconds: Int? = nil) {
        self.status = status
        self.code = code.rawValue
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The error of a device's message, with the code of a dead letter.
    init(_ fault: MessageFault) {
        status = fault.reason == .tooLarge ? .contentTooLarge : .badRequest
        code = "\(fault.code)"
        message = fault.text
        self.fault = fault
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var error = MessageWriter()
        error.text("code", code)
        error.text("message", message)
        if let fault {
            error.text("field", fault.field.isEmpty ? nil : fault.field)
            error.unreadable(fault.unreadable)
        }
        var body = MessageWriter()
        body.object("error", error)
        var response = JSONResponse.response(body, status: status)
        // RFC 9110, 12.5.3: which codings the client may use instead.
        if status == .unsupportedMediaType { response.headers[.acceptEncoding] = "identity" }
        if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
        return response
    }
}

extension RequestError {
    static var storeAway: RequestError {
        RequestError(
            .serviceUnavailable, .tryAgain, "The latest state cannot be read for now.", retryAfterSeconds: 1)
    }

    /// For a user who holds as many requests open as allowed.
    static var tooManyHeld: RequestError {
        RequestError(
            .tooManyRequests, .rateLimited,
            "Too many requests of this user wait for their answers; end one of them first.", retryAfterSeconds: 5)
    }

    /// `what`: such as `Requests from this address`; `wait`: in milliseconds.
    static func tooFast(_ what: String, _ wait: Int64) -> RequestError {
        RequestError(
            .tooManyRequests, .rateLimited, "\(what) come too fast; wait before the next one.",
            retryAfterSeconds: Int((wait + 999) / 1000))
    }
}
