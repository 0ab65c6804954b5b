import Hummingbird
import NIOCore
import NIOHTTP1
import Observability
import Synchronization
import Tokens
import Tracking

/// Lets clients in: `/realtime`, with a token.
///
/// The socket is opened before its token is judged, since a browser cannot read why a handshake was refused: a client
/// whose token is refused is told so by a message and the close code.
final class SocketGate: Sendable {
    static let path = "/realtime"

    private let hubs: [ObjectIdentifier: LoopHub]
    private let tokens: TokenGate
    private let sessions = Atomic<UInt64>(0)
    /// Differs from run to run, so that sessions of several runs are told apart.
    private let run = UInt32.random(in: 0...UInt32.max)

    init(_ hubs: [LoopHub], _ tokens: TokenGate) {
        self.hubs = Dictionary(uniqueKeysWithValues: hubs.map { (ObjectIdentifier($0.loop), $0) })
        self.tokens = tokens
    }

    /// Whether a request is the handshake of a WebSocket at our path.
    func isSocket(_ head: HTTPRequestHead) -> Bool {
        head.uri.prefix { $0 != "?" } == Self.path
            && head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
            && head.headers.first(name: "Sec-WebSocket-Version") == "13"
            && head.headers["Sec-WebSocket-Key"].count == 1
    }

    /// Makes a socket's handlers once its token is judged.
    func open(_ channel: any Channel, _ head: HTTPRequestHead) -> EventLoopFuture<Void> {
        guard let hub = hubs[ObjectIdentifier(channel.eventLoop)] else {
            preconditionFailure("A connection lies on an event loop of another group.")
        }
        let promise = channel.eventLoop.makePromise(of: Void.self)
        tokens.verify(Self.token(of: head), on: channel.eventLoop) { [self] result in
            promise.completeWith(Result { try begin(channel, hub, result) })
        }
        return promise.futureResult
    }

    private func begin(_ channel: any Channel, _ hub: LoopHub, _ result: Result<TokenClaims, TokenRejection>) throws {
        let pipeline = channel.pipeline.syncOperations
        let writer = SocketWriter()
        try pipeline.addHandler(writer, position: .first)
        let claims = (try? result.get()) ?? TokenClaims(expiresAt: Timestamp.latest)
        let number = sessions.wrappingAdd(1, ordering: .relaxed).newValue
        let session = RiderSession(
            id: "\(String(run, radix: 36))-\(number)", claims: claims, hub: hub, socket: writer)
        hub.open(session)
        if case .failure(let rejection) = result { return session.refuse(rejection) }
        try pipeline.addHandler(SocketHandler(session, writer))
    }

    /// The token of `?token=` or of `Authorization: Bearer`; empty where there is none.
    static func token(of head: HTTPRequestHead) -> String {
        if let query = head.uri.split(separator: "?", maxSplits: 1).dropFirst().first {
            for pair in query.split(separator: "&") where pair.hasPrefix("token=") {
                return String(pair.dropFirst("token=".count))
            }
        }
        return BearerToken.of(head.headers.first(name: "Authorization"))
    }
}
