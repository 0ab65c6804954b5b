import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import Gateways
@testable import Support

@Suite("Pings of clients", .blocking)
struct ClientPingTests {
    /// A session with a configurable number of permitted messages.
    private final class Session: ClientSession {
        var grants = Int.max

        override func countMessage() -> Bool {
            guard grants > 0 else { return false }
            grants -= 1
            return true
        }
    }

    private let writer = ScriptedWriter()
    private let session: Session

    init() async throws {
        var settings = ConnectionSettings(port: 0, portKey: "")
        settings.slowReaderTimeout = .zero
        settings.pingInterval = .zero
        session = Session(
            "s", TokenClaims(expiresAt: .latest), writer, loop: EmbeddedEventLoop(), tokens: try TokenVerifier(),
            connections: settings, metrics: SocketMetrics())
    }

    private func ping(_ text: String) { session.receivePing(ByteBuffer(string: text)) }

    private static func pong(_ text: String) -> ByteBuffer {
        ByteBuffer(bytes: [0x8A, UInt8(text.utf8.count)] + Array(text.utf8))
    }

    @Test("a pong has the data of its ping, up to 125 bytes")
    func answered() {
        ping("a")
        ping("")
        session.receivePing(ByteBuffer(repeating: 7, count: 200))
        #expect(writer.frames.prefix(2) == [Self.pong("a"), Self.pong("")])
        #expect(writer.frames.last?.readableBytes == 127)
    }

    @Test("while the connection is not writable, only the last ping is kept, and it is answered later")
    func notWritable() {
        writer.isWritable = false
        for number in 0..<10_000 { ping("\(number)") }
        #expect(writer.frames.isEmpty)
        writer.isWritable = true
        session.becameWritable()
        session.becameWritable()
        #expect(writer.frames == [Self.pong("9999")])
    }

    @Test("if pings exceed the message rate, only the last is answered, at the next check")
    func rate() {
        session.grants = 2
        for number in 0..<10_000 { ping("\(number)") }
        #expect(writer.frames == [Self.pong("0"), Self.pong("1")])
        session.checkConnection(at: Timestamp(milliseconds: 0))
        session.checkConnection(at: Timestamp(milliseconds: 0))
        #expect(writer.frames == [Self.pong("0"), Self.pong("1"), Self.pong("9999")])
    }

    @Test("a client that does not read the pong is closed as a slow reader")
    func slowReader() async throws {
        writer.isWritable = false
        ping("a")
        try await eventually("the session is closed") {
            session.checkConnection(at: Timestamp(milliseconds: 0))
            return session.isClosed
        }
        #expect(writer.closeCode == .slowReader)
    }

    @Test("a client that has used up its message rate still gets a pong at each check")
    func busy() {
        session.grants = 0
        for number in 0..<3 {
            ping("\(number)")
            session.checkConnection(at: Timestamp(milliseconds: 0))
        }
        #expect(writer.frames == ["0", "1", "2"].map(Self.pong) && !session.isClosed)
    }

    @Test("the gateway sends no ping to a client that does not read, and closes it as a slow reader")
    func gatewayPings() async throws {
        session.checkConnection(at: Timestamp(milliseconds: 0))
        #expect(writer.pingCount == 1)
        writer.isWritable = false
        try await eventually("the session is closed") {
            session.checkConnection(at: Timestamp(milliseconds: 0))
            return session.isClosed
        }
        #expect(writer.pingCount == 1 && writer.closeCode == .slowReader)
    }
}
