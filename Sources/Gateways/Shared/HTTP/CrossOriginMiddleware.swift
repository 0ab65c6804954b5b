import Hummingbird

/// Middleware that adds CORS headers for the origins in `SIGHTLINE_RIDER_ORIGINS`.
///
/// Tokens are sent in a header or in the URL, never as a cookie, so a page cannot use the token of another page.
/// Hummingbird's `CORSMiddleware` is not used, because it sends `Access-Control-Expose-Headers` only in responses to
/// OPTIONS, so pages could not read the `ETag`.
struct CrossOriginMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    /// Allowed origins, such as `https://app.example.com`; `*` allows every page.
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
