import HTTPTypes
import Hummingbird

/// Answers requests that no route takes, in the form of all other errors.
struct UnknownRequestMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    /// The methods of the requests of a path; `nil` for a path that may have any, or none.
    let methods: @Sendable (_ path: String) -> [HTTPRequest.Method]?

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let allowed = methods(request.uri.path), !allowed.contains(request.method) {
            let list = allowed.map(\.rawValue).joined(separator: ", ")
            var response = try RequestError(
                .methodNotAllowed, .invalidMessage,
                "Requests of this path are made by \(list), and this one was by \(request.method)."
            ).response(from: request, context: context)
            response.headers[.allow] = list
            return response
        }
        do { return try await next(request, context) } catch let error as HTTPError where error.status == .notFound {
            throw RequestError(
                .notFound, .notFound, "There is nothing at this path; docs/gateway.md lists the requests.")
        }
    }
}
