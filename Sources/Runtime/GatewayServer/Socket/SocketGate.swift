import Hummingbird
import NIOCore
import NIOHTTP1
import Observability
import Synchronization
import Tokens
import Tracking

/// Lets clients in that open a WebSocket at the gateway's path, with a token.
///
/// The socket is opened before its token is judged, since a browser cannot read why a handshake was refused: a client
/// whose token is refused is told so by a message and the close code.
final class SocketGate: Sendable {
    private let path: String
    /// The longest message that a client may send, in bytes.
    let maximumMessageBytes: Int
    private let hubs: [ObjectIdentifier: any SocketHub]
    private let tokens: any TokenJudging
    private let addresses: AddressLimits
    private let sessions = SessionIDs()
    private let open = OpenSockets()
    private let isClosing = Atomic<Bool>(false)

    init(
        path: String, maximumMessageBytes: Int, _ hubs: [any SocketHub], _ tokens: any TokenJudging,
        _ addresses: AddressLimits
    ) {
        self.path = path
        self.maximumMessageBytes = maximumMessageBytes
        self.hubs = Dictionary(uniqueKeysWithValues: hubs.map { (ObjectIdentifier($0.loop), $0) })
        self.tokens = tokens
        self.addresses = addresses
    }

    /// Whether a request is the handshake of a WebSocket at our path; a handshake has no body.
    func isSocket(_ head: HTTPRequestHead) -> Bool {
        head.uri.prefix { $0 != "?" } == path
            && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
            && head.headers.first(name: "Sec-WebSocket-Version") == "13"
            && head.headers["Sec-WebSocket-Key"].count == 1 && !head.headers.contains(name: "Transfer-Encoding")
            && head.headers["Content-Length"].allSatisfy { $0 == "0" }
    }

    /// The answer to a request at the path of WebSockets that is no handshake.
    static func refuseRequest() throws -> Response {
        throw RequestError(
            .badRequest, .invalidMessage,
            "This path is for handshakes of WebSockets of version 13, which have no body.")
    }

    /// Makes a socket's handlers once its token is judged.
    ///
    /// The address is counted first: computing a signature costs more than refusing a client.
    func open(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<Void> {
        guard let hub = hubs[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("A connection lies on an event loop of another group.")
        }
        if let wait = addresses.take(head, from: channel.remoteAddress) {
            return channel.eventLoop.makeCompletedFuture {
                try begin(channel, hub, head, .failure(.tooFast(wait: wait)))
            }
        }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        tokens.verify(Self.token(of: head), on: channel.eventLoop) { [self] verdict in
            promise.completeWith(
                Result { try begin(channel, hub, head, verdict.mapError(SocketRefusal.token)) })
        }
        return promise.futureResult
    }

    private func begin(
        _ channel: any Channel, _ hub: any SocketHub, _ head: HTTPRequestHead,
        _ verdict: Result<TokenClaims, SocketRefusal>
    ) throws {
        open.count(channel)
        let pipeline = channel.pipeline.syncOperations
        let writer = SocketWriter()
        try pipeline.addHandler(writer, position: .first)
        let session = hub.open(
            SocketHandshake(
                sessionID: sessions.next(), verdict: verdict, socket: writer, head: head))
        try pipeline.addHandler(SocketHandler(session, writer, maximumMessageBytes: maximumMessageBytes))
        // The gateway may have told the others before this token was judged.
        if isClosing.load(ordering: .sequentiallyConsistent) { session.tellClosing() }
    }

    /// Tells all clients that the gateway stops, and returns when their connections are closed.
    func close() async {
        isClosing.store(true, ordering: .sequentiallyConsistent)
        for hub in hubs.values { hub.loop.execute { hub.tellClosing() } }
        await open.allClosed()
    }

    /// The token of `?token=` or of `Authorization: Bearer`; empty where there is none.
    static func token(of head: HTTPRequestHead) -> String {
        RequestQuery.value(of: "token", in: head.uri) ?? BearerToken.of(head.headers.first(name: "Authorization"))
    }
}
