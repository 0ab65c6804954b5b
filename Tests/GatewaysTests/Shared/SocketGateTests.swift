import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOWebSocket
import Synchronization
import Testing

@testable import Gateways

@Suite("Admission of WebSockets")
struct SocketGateTests {
    /// Verifier that rejects and counts all tokens.
    private final class RejectingVerifier: TokenVerifying {
        private let verifications = Mutex(0)

        var count: Int { verifications.withLock { $0 } }

        func verify(
            _ token: String, on loop: any EventLoop,
            _ answer: @escaping @Sendable (Result<TokenClaims, TokenRejection>) -> Void
        ) {
            verifications.withLock { $0 += 1 }
            answer(.failure(.invalid(reason: .signature)))
        }
    }

    /// Verifier that accepts a token when the test calls the answer.
    private final class WaitingVerifier: TokenVerifying {
        typealias Answer = @Sendable (Result<TokenClaims, TokenRejection>) -> Void
        private let answers = Mutex<[Answer]>([])

        func verify(_ token: String, on loop: any EventLoop, _ answer: @escaping Answer) {
            answers.withLock { $0.append(answer) }
        }

        func accept() {
            for answer in answers.withLock({ $0 }) { answer(.success(TokenClaims(subject: "s", expiresAt: .latest))) }
        }
    }

    private final class Session: ClientSession, ClientMessageHandler {
        func start() {}
        func receive(_ text: ByteBuffer) {}
    }

    /// Registry that records the reasons of refusals.
    private final class Registry: ConnectionRegistry, @unchecked Sendable {
        // @unchecked: used on one thread.
        let loop: any EventLoop
        let tokens: TokenVerifier
        var refusals: [String] = []
        private(set) var opened = 0

        init(_ loop: any EventLoop, _ tokens: TokenVerifier) {
            self.loop = loop
            self.tokens = tokens
        }

        func open(_ handshake: SocketHandshake) -> any ClientMessageHandler {
            opened += 1
            if case .failure(let refusal) = handshake.verification { refusals.append("\(refusal)") }
            return Session(
                handshake.sessionID, handshake.claims, handshake.socket, loop: loop, tokens: tokens,
                connections: ConnectionSettings(port: 0, portKey: ""), metrics: SocketMetrics())
        }

        func tick() {}
        func notifyShutdown() {}
    }

    @Test("an address over its rate is refused before its token is verified")
    func addresses() async throws {
        let (loop, tokens) = (EmbeddedEventLoop(), RejectingVerifier())
        let registry = Registry(loop, try TokenVerifier())
        let limit = RateLimit(count: 1, periodMilliseconds: 3_600_000, burst: 2)
        let gate = SocketGate(
            path: "/realtime", maximumMessageBytes: 4096, [registry], tokens, AddressLimits(limit, header: "X-Client"))
        func open(_ address: String) throws {
            let channel = EmbeddedChannel(loop: loop)
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/realtime?token=x", headers: ["X-Client": address])
            // An upgraded connection has a frame decoder.
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(WebSocketFrameDecoder()))
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.9", port: 1)).wait()
            _ = try gate.open(channel, head).wait()
            _ = try channel.finish(acceptAlreadyClosed: true)
        }
        for _ in 0..<4 { try open("192.0.2.1") }
        try open("192.0.2.2")
        #expect(tokens.count == 3)
        #expect(registry.refusals.map { $0.hasPrefix("tooFast") } == [false, false, true, true, false])
    }

    @Test("a client that disconnects while its token is verified gets no session", arguments: [true, false])
    func disconnected(disconnects: Bool) throws {
        let (loop, tokens) = (EmbeddedEventLoop(), WaitingVerifier())
        let registry = Registry(loop, try TokenVerifier())
        let limit = RateLimit(count: 1, periodMilliseconds: 1000, burst: 1)
        let gate = SocketGate(
            path: "/realtime", maximumMessageBytes: 4096, [registry], tokens, AddressLimits(limit, header: nil))
        let channel = EmbeddedChannel(loop: loop)
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(WebSocketFrameDecoder()))
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.9", port: 1)).wait()
        let isAdmitted = gate.open(channel, HTTPRequestHead(version: .http1_1, method: .GET, uri: "/realtime?token=x"))
        if disconnects { try channel.close().wait() }
        tokens.accept()
        #expect(try isAdmitted.wait() == !disconnects)
        #expect(registry.opened == (disconnects ? 0 : 1))
        _ = try channel.finish(acceptAlreadyClosed: true)
    }
}
