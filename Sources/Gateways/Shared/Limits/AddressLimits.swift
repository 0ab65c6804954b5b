import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// Rate limit of requests and WebSocket handshakes per client address.
struct AddressLimits: Sendable {
    private let limits: SharedLimits
    private let address: ClientAddress

    /// Creates the limits; in `header`, a proxy passes the client's address; `nil` uses the connection's address.
    init(_ limit: RateLimit?, header: String?) {
        limits = SharedLimits(limit, kind: "address")
        address = ClientAddress(header: header)
    }

    /// Counts a request.
    /// - Returns: the wait in milliseconds if the limit is exceeded, otherwise `nil`.
    func acquire(_ request: Request, _ context: ClientRequestContext) -> Int64? {
        acquire(context.channel.remoteAddress) { name in HTTPField.Name(name).map { request.headers[values: $0] } ?? []
        }
    }

    /// Counts a WebSocket handshake.
    /// - Returns: the wait in milliseconds if the limit is exceeded, otherwise `nil`.
    func acquire(_ head: HTTPRequestHead, from connection: SocketAddress?) -> Int64? {
        acquire(connection) { head.headers[$0] }
    }

    private func acquire(_ connection: SocketAddress?, headers: (String) -> [String]) -> Int64? {
        limits.acquire(address.of(headers: headers, connection: connection), at: ClientSession.now)
    }
}

/// Middleware that refuses HTTP requests over the rate limit of their address.
struct AddressLimitMiddleware: RouterMiddleware {
    typealias Context = ClientRequestContext

    let addresses: AddressLimits

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let wait = addresses.acquire(request, context) {
            throw RequestError.tooFast("requests from this address", wait)
        }
        return try await next(request, context)
    }
}
