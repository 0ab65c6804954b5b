import Hummingbird
import NIOCore

/// Error response to a request: `{"error":{"code":…,"message":…}}`.
struct RequestError: HTTPResponseError {
    let status: HTTPResponse.Status
    let code: String
    let message: String
    /// Value of `Retry-After` in seconds; `nil` if a retry does not help.
    var retryAfterSeconds: Int?
    /// Fault of a device's message or a trip event; `nil` for other errors.
    private var fault: MessageFault?

    init(_ status: HTTPResponse.Status, _ code: GatewayErrorCode, _ message: String, retryAfterSeconds: Int? = nil) {
        self.status = status
        self.code = code.rawValue
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// Creates the error of a device's message or a trip event, with the code of a dead letter.
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
        // Lists the content codings that the client may use instead (RFC 9110, section 12.5.3).
        if status == .unsupportedMediaType { response.headers[.acceptEncoding] = "identity" }
        if let retryAfterSeconds { response.headers[.retryAfter] = String(retryAfterSeconds) }
        return response
    }
}

extension RequestError {
    static var storeUnavailable: RequestError {
        RequestError(
            .serviceUnavailable, .tryAgain, "The latest state is temporarily unavailable; try again.",
            retryAfterSeconds: 1)
    }

    /// Error for a user who has reached the limit for pending requests.
    static var tooManyPendingRequests: RequestError {
        RequestError(
            .tooManyRequests, .rateLimited,
            "This user has too many pending requests; wait for one of them to finish.", retryAfterSeconds: 5)
    }

    /// Returns the error of a rate limit for `items`, such as "requests with this token"; `wait` is in milliseconds.
    static func tooFast(_ items: String, _ wait: Int64) -> RequestError {
        RequestError(
            .tooManyRequests, .rateLimited, "Too many \(items); retry later.",
            retryAfterSeconds: Int((wait + 999) / 1000))
    }
}

/// Responses with a JSON body.
enum JSONResponse {
    static func response(_ body: MessageWriter, status: HTTPResponse.Status = .ok) -> Response {
        response(body.buffer, status: status)
    }

    static func response(_ body: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }
}
