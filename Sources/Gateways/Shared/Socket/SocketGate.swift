import Hummingbird
import NIOCore
import NIOHTTP1
import NIOWebSocket
import Synchronization

/// Gate for clients that open a WebSocket at the gateway's path with a valid token.
///
/// The socket is opened before its token is verified, because a browser cannot read why a handshake failed. A refused
/// client receives an error message and a close code.
final class SocketGate: Sendable {
    private let path: String
    let maximumMessageBytes: Int
    private let registries: [ObjectIdentifier: any ConnectionRegistry]
    private let unfinished: [ObjectIdentifier: UnfinishedMessages]
    private let tokens: any TokenVerifying
    private let addresses: AddressLimits
    private let sessions = SessionIDs()
    private let openSockets = Atomic(0)
    private let isClosing = Atomic<Bool>(false)

    init(
        path: String, maximumMessageBytes: Int, _ registries: [any ConnectionRegistry], _ tokens: any TokenVerifying,
        _ addresses: AddressLimits
    ) {
        self.path = path
        self.maximumMessageBytes = maximumMessageBytes
        self.registries = Dictionary(uniqueKeysWithValues: registries.map { (ObjectIdentifier($0.loop), $0) })
        unfinished = self.registries.mapValues { _ in UnfinishedMessages(loops: registries.count) }
        self.tokens = tokens
        self.addresses = addresses
    }

    /// Returns whether a request is a WebSocket handshake at the gateway's path; a handshake has no body.
    func isHandshake(_ head: HTTPRequestHead) -> Bool {
        head.uri.prefix { $0 != "?" } == path
            && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
            && head.headers.first(name: "Sec-WebSocket-Version") == "13"
            && head.headers["Sec-WebSocket-Key"].count == 1 && !head.headers.contains(name: "Transfer-Encoding")
            && head.headers["Content-Length"].allSatisfy { $0 == "0" }
    }

    /// Throws the error for requests at the WebSocket path that are not handshakes.
    static func refuseRequest() throws -> Response {
        throw RequestError(
            .badRequest, .invalidMessage,
            "This path accepts only version 13 WebSocket handshakes without a body.")
    }

    /// Verifies the token of a socket and then adds the socket's handlers; reading is paused until then.
    ///
    /// The rate limit per address is checked first, because verifying a signature costs more than refusing a client.
    /// - Returns: whether the client was admitted.
    func open(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<Bool> {
        guard let registry = registries[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("The connection belongs to an unknown event loop.")
        }
        let writer = NIOLoopBound(SocketWriter(), eventLoop: channel.eventLoop)
        do { try channel.pipeline.syncOperations.addHandler(writer.value, position: .first) } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        if let wait = addresses.acquire(head, from: channel.remoteAddress) {
            return channel.eventLoop.makeCompletedFuture {
                try begin(channel, writer.value, registry, head, .failure(.tooFast(wait: wait)))
            }
        }
        let promise = channel.eventLoop.makePromise(of: Bool.self)
        writer.value.pauseReading()
        tokens.verify(Self.token(of: head), on: channel.eventLoop) { [self] verification in
            promise.completeWith(
                Result { try begin(channel, writer.value, registry, head, verification.mapError(SocketRefusal.token)) })
        }
        return promise.futureResult
    }

    private func begin(
        _ channel: any Channel, _ writer: SocketWriter, _ registry: any ConnectionRegistry, _ head: HTTPRequestHead,
        _ verification: Result<TokenClaims, SocketRefusal>
    ) throws -> Bool {
        // The client may have disconnected while its token was being verified. A closed channel sends no further
        // events, so the session of this client would stay open until its ping fails.
        guard channel.isActive else { return false }
        openSockets.add(1, ordering: .sequentiallyConsistent)
        channel.closeFuture.whenComplete { [self] _ in openSockets.subtract(1, ordering: .relaxed) }
        writer.resumeReading()
        let session = registry.open(
            SocketHandshake(
                sessionID: sessions.next(), verification: verification, socket: writer, head: head))
        guard let messages = unfinished[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("The connection belongs to an unknown event loop.")
        }
        let pipeline = channel.pipeline.syncOperations
        let meter = FrameMeter(session, messages)
        let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
        try pipeline.addHandler(meter, position: .before(decoder))
        try pipeline.addHandler(SocketHandler(session, meter, maximumMessageBytes: maximumMessageBytes))
        // The shutdown may have begun while this token was being verified.
        if isClosing.load(ordering: .sequentiallyConsistent) { session.notifyShutdown() }
        return !session.isClosed
    }

    /// Disconnects all clients, and waits until their sockets are closed.
    func close() async {
        isClosing.store(true, ordering: .sequentiallyConsistent)
        for registry in registries.values { registry.loop.execute { registry.notifyShutdown() } }
        guard let loop = registries.values.first?.loop else { return }
        // Not `Task.sleep`, which would return at once if the task is cancelled.
        while openSockets.load(ordering: .sequentiallyConsistent) > 0 {
            try? await loop.scheduleTask(in: .milliseconds(10)) {}.futureResult.get()
        }
    }

    /// Returns the token of `?token=` or `Authorization: Bearer`; an empty string if absent.
    static func token(of head: HTTPRequestHead) -> String {
        RequestQuery.value(of: "token", in: head.uri) ?? BearerToken.of(head.headers.first(name: "Authorization"))
    }
}

/// Verifier of the tokens of handshakes.
protocol TokenVerifying: Sendable {
    /// Verifies a token off the event loop; calls `answer` on `loop`.
    func verify(
        _ token: String, on loop: any EventLoop,
        _ answer: @escaping @Sendable (Result<TokenClaims, TokenRejection>) -> Void)
}

/// Source of session ids, which are unique across restarts.
final class SessionIDs: Sendable {
    private let count = Atomic<UInt64>(0)
    private let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)

    func next() -> String { "\(run)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)" }
}
