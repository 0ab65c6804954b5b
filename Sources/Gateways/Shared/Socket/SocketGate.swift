import Hummingbird
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// Lets clients in that open a WebSocket at the gateway's path, with a token.
///
/// The socket is opened before its token is judged, since a browser cannot read why a handshake was refused: a client
/// whose token is refused is told so by a message and the close code.
final class SocketGate: Sendable {
    private let path: String
    /// The longest message that a client may send, in bytes.
    let maximumMessageBytes: Int
    private let hubs: [ObjectIdentifier: any ConnectionRegistry]
    private let unfinished: [ObjectIdentifier: UnfinishedMessages]
    private let tokens: any TokenVerifying
    private let addresses: AddressLimits
    private let sessions = SessionIDs()
    private let open = OpenSockets()
    private let isClosing = Atomic<Bool>(false)

    init(
        path: String, maximumMessageBytes: Int, _ hubs: [any ConnectionRegistry], _ tokens: any TokenVerifying,
        _ addresses: AddressLimits
    ) {
        self.path = path
        self.maximumMessageBytes = maximumMessageBytes
        self.hubs = Dictionary(uniqueKeysWithValues: hubs.map { (ObjectIdentifier($0.loop), $0) })
        unfinished = self.hubs.mapValues { _ in UnfinishedMessages(loops: hubs.count) }
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

    /// Makes a socket's handlers once its token is judged; until then nothing more is read.
    ///
    /// The address is counted first: computing a signature costs more than refusing a client.
    /// - Returns: whether the client was let in.
    func open(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<Bool> {
        guard let hub = hubs[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("A connection lies on an event loop of another group.")
        }
        let writer = NIOLoopBound(SocketWriter(), eventLoop: channel.eventLoop)
        do { try channel.pipeline.syncOperations.addHandler(writer.value, position: .first) } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        if let wait = addresses.take(head, from: channel.remoteAddress) {
            return channel.eventLoop.makeCompletedFuture {
                try begin(channel, writer.value, hub, head, .failure(.tooFast(wait: wait)))
            }
        }
        let promise = channel.eventLoop.makePromise(of: Bool.self)
        writer.value.pauseReading()
        tokens.verify(Self.token(of: head), on: channel.eventLoop) { [self] verdict in
            promise.completeWith(
                Result { try begin(channel, writer.value, hub, head, verdict.mapError(SocketRefusal.token)) })
        }
        return promise.futureResult
    }

    private func begin(
        _ channel: any Channel, _ writer: SocketWriter, _ hub: any ConnectionRegistry, _ head: HTTPRequestHead,
        _ verdict: Result<TokenClaims, SocketRefusal>
    ) throws -> Bool {
        open.count(channel)
        writer.resumeReading()
        let session = hub.open(
            SocketHandshake(
                sessionID: sessions.next(), verdict: verdict, socket: writer, head: head))
        guard let messages = unfinished[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("A connection lies on an event loop of another group.")
        }
        let pipeline = channel.pipeline.syncOperations
        let meter = FrameMeter(session, messages)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
        try pipeline.addHandler(meter, position: .before(decoder))
        try pipeline.addHandler(SocketHandler(session, meter, maximumMessageBytes: maximumMessageBytes))
        // The gateway may have told the others before this token was judged.
        if isClosing.load(ordering: .sequentiallyConsistent) { session.tellClosing() }
        return !session.isClosed
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
