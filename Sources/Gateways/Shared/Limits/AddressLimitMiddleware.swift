import Hummingbird

/// Answers requests of an address that sends too many with 429.
struct AddressLimitMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    let addresses: AddressLimits

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let wait = addresses.take(request, context) {
            throw RequestError.tooFast("Requests from this address", wait)
        }
        return try await next(request, context)
    }
}
