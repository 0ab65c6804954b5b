import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// How many requests and handshakes may come from one address.
struct AddressLimits: Sendable {
    private let limits: SharedLimits
    private let address: ClientAddress

    /// - Parameters:
    ///   - limit: of each address; `nil` for none.
    ///   - header: in which a proxy names its client; `nil` where the address of the connection counts.
    init(_ limit: RateLimit?, header: String?) {
        limits = SharedLimits(limit, .address)
        address = ClientAddress(header: header)
    }

    /// Counts a request.
    /// - Returns: `nil` when it may be answered, otherwise the wait in milliseconds.
    func take(_ request: Request, _ context: ClientRequestContext) -> Int64? {
        take(context.channel.remoteAddress) { name in HTTPField.Name(name).map { request.headers[values: $0] } ?? [] }
    }

    /// Counts the handshake of a WebSocket.
    /// - Returns: `nil` when the client may stay, otherwise the wait in milliseconds.
    func take(_ head: HTTPRequestHead, from connection: SocketAddress?) -> Int64? {
        take(connection) { head.headers[$0] }
    }

    private func take(_ connection: SocketAddress?, headers: (String) -> [String]) -> Int64? {
        limits.take(address.of(headers: headers, connection: connection), at: ClientSession.now)
    }
}
