import HTTPTypes
import Hummingbird

/// Answers requests that no route takes, in the form of all other errors.
struct UnknownRequestMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard [.get, .head].contains(request.method) else {
            var response = try RequestError(
                .methodNotAllowed, .invalidMessage, "Requests are made by GET, and this one was by \(request.method)."
            ).response(from: request, context: context)
            response.headers[.allow] = "GET, HEAD"
            return response
        }
        do { return try await next(request, context) } catch let error as HTTPError where error.status == .notFound {
            throw RequestError(
                .notFound, .notFound, "There is nothing at this path; docs/gateway.md lists the requests.")
        }
    }
}
