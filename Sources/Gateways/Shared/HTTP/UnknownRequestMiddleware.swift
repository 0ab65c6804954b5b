import HTTPTypes
import Hummingbird

/// Middleware that returns JSON errors for unknown paths (404) and disallowed methods (405).
struct UnknownRequestMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    /// Returns the allowed methods of a path; `nil` for an unknown path or a path that allows any method.
    let methods: @Sendable (_ path: String) -> [HTTPRequest.Method]?

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let allowed = methods(request.uri.path), !allowed.contains(request.method) {
            let list = allowed.map(\.rawValue).joined(separator: ", ")
            var response = try RequestError(
                .methodNotAllowed, .invalidMessage,
                "This path accepts \(list), not \(request.method)."
            ).response(from: request, context: context)
            response.headers[.allow] = list
            return response
        }
        do { return try await next(request, context) } catch let error as HTTPError where error.status == .notFound {
            throw RequestError(
                .notFound, .notFound, "Unknown path; docs/gateway.md and docs/driver-gateway.md list the paths.")
        }
    }
}
