import Hummingbird
import NIOCore

/// An answer that says what is wrong with a request: `{"error":{"code":…,"message":…}}`.
struct RequestError: HTTPResponseError {
    let status: HTTPResponse.Status
    let code: GatewayErrorCode
    let message: String
    /// In whole seconds; `nil` where waiting does not help.
    var retryAfterSeconds: Int?

    init(_ status: HTTPResponse.Status, _ code: GatewayErrorCode, _ message: String, retryAfterSeconds: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var error = MessageWriter()
        error.text("code", code.rawValue)
        error.text("message", message)
        var body = MessageWriter()
        body.object("error", error)
        var response = JSONAnswer.response(body, status: status)
        if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
        return response
    }
}

extension RequestError {
    static var storeAway: RequestError {
        RequestError(
            .serviceUnavailable, .tryAgain, "The latest state cannot be read for now.", retryAfterSeconds: 1)
    }
}
