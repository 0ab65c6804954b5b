import Hummingbird

/// Lets pages of other sites read the answers, where SIGHTLINE_RIDER_ORIGINS names them (CORS).
///
/// Tokens come in a header or the address and never as a cookie, so no page can use those of another. Not Hummingbird's
/// `CORSMiddleware`, since that tells only the answer to OPTIONS which headers may be read, so that pages would not see
/// the `ETag`.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    /// Such as `https://app.example.com`; `*` for every page.
    let origins: Set<String>

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin], origins.contains(origin) || origins.contains("*") else {
            return try await next(request, context)
        }
        var response: Response
        if request.method == .options {
            response = Response(status: .noContent)
            response.headers[.accessControlAllowMethods] = "GET, PUT, DELETE"
            response.headers[.accessControlAllowHeaders] = "Authorization, Content-Type, If-None-Match, Last-Event-ID"
            response.headers[.accessControlMaxAge] = "600"
        } else {
            do { response = try await next(request, context) } catch let error as any HTTPResponseError {
                response = try error.response(from: request, context: context)
            }
            response.headers[.accessControlExposeHeaders] = "ETag, Retry-After"
        }
        response.headers[.accessControlAllowOrigin] = origins.contains("*") ? "*" : origin
        response.headers[.vary] = "Origin"
        return response
    }
}
