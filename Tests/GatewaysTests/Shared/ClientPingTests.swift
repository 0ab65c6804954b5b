import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Gateways
@testable import Support

@Suite("A client's pings", .blocking)
struct ClientPingTests {
    /// A session whose test decides how many messages are granted.
    private final class Session: ClientSession {
        var grants = Int.max

        override func countMessage() -> Bool {
            guard grants > 0 else { return false }
            grants -= 1
            return true
        }
    }

    private let opening = ScriptedOpening()
    private let session: Session

    init() async throws {
        let tokens = try await TokenVerifier(TokenConfiguration(secret: .init(String(repeating: "s", count: 32))))
        var settings = ConnectionSettings(port: 0, portKey: "")
        settings.patience = .zero
        settings.pingInterval = .zero
        session = Session(
            opening, loop: EmbeddedEventLoop(), tokens: TokenGate(tokens), connections: settings,
            metrics: SocketMetrics())
    }

    private var writer: ScriptedWriter { opening.scripted }

    private func ping(_ text: String) { session.receivePing(ByteBuffer(string: text)) }

    private static func pong(_ text: String) -> ByteBuffer {
        ByteBuffer(bytes: [0x8A, UInt8(text.utf8.count)] + Array(text.utf8))
    }

    @Test("are answered with their data, which has 125 bytes at most")
    func answered() {
        ping("a")
        ping("")
        session.receivePing(ByteBuffer(repeating: 7, count: 200))
        #expect(writer.frames.prefix(2) == [Self.pong("a"), Self.pong("")])
        #expect(writer.frames.last?.readableBytes == 127)
    }

    @Test("of those that come while the client takes nothing, the last one alone is answered once it does")
    func unread() {
        writer.isWritable = false
        for number in 0..<10_000 { ping("\(number)") }
        #expect(writer.frames.isEmpty)
        writer.isWritable = true
        session.becameWritable()
        session.becameWritable()
        #expect(writer.frames == [Self.pong("9999")])
    }

    @Test("of those beyond the rate of messages, the last one alone is answered, within a second")
    func rate() {
        session.grants = 2
        for number in 0..<10_000 { ping("\(number)") }
        #expect(writer.frames == [Self.pong("0"), Self.pong("1")])
        session.tick(Timestamp(milliseconds: 0))
        session.tick(Timestamp(milliseconds: 0))
        #expect(writer.frames == [Self.pong("0"), Self.pong("1"), Self.pong("9999")])
    }

    @Test("close a connection whose client takes no answer, as any message does")
    func slowReader() async throws {
        writer.isWritable = false
        ping("a")
        try await eventually("the session is closed") {
            session.tick(Timestamp(milliseconds: 0))
            return session.isClosed
        }
        #expect(writer.closeCode == .slowReader)
    }

    @Test("of a client that sends messages as fast as it may are answered, and close nothing")
    func busy() {
        session.grants = 0
        for number in 0..<3 {
            ping("\(number)")
            session.tick(Timestamp(milliseconds: 0))
        }
        #expect(writer.frames == ["0", "1", "2"].map(Self.pong) && !session.isClosed)
    }

    @Test("do not come from the gateway to a client that takes nothing, which is closed as a slow one")
    func gatewayPings() async throws {
        session.tick(Timestamp(milliseconds: 0))
        #expect(writer.pingCount == 1)
        writer.isWritable = false
        try await eventually("the session is closed") {
            session.tick(Timestamp(milliseconds: 0))
            return session.isClosed
        }
        #expect(writer.pingCount == 1 && writer.closeCode == .slowReader)
    }
}
