import NIOCore
import NIOEmbedded
import Testing

@testable import Gateways

@Suite("Connections with a withdrawn token key")
struct WithdrawnKeyTests {
    private let old = TestIssuer()
    private let new = TestIssuer(secret: String(TestIssuer.secret.reversed()))
    private let file: TestKeyFile
    private let verifier: TokenVerifier

    init() throws {
        file = try TestKeyFile([old.key("k")])
        verifier = try TokenVerifier(secret: nil, file: file)
    }

    private func session(_ issuer: TestIssuer) async throws -> (ClientSession, ScriptedWriter) {
        let claims = try await verifier.verify(issuer.token(.claims(), kid: "k"), now: .test)
        let writer = ScriptedWriter()
        let session = ClientSession(
            "1", claims, writer, loop: EmbeddedEventLoop(), tokens: verifier,
            connections: ConnectionSettings(port: 0, portKey: ""), metrics: SocketMetrics())
        return (session, writer)
    }

    private func replace(by issuer: TestIssuer) throws {
        try file.write([issuer.key("k")])
        _ = verifier.reload()
    }

    @Test("the connection is closed at the first check after its key is withdrawn")
    func ended() async throws {
        let (session, writer) = try await session(old)
        session.checkConnection(at: .test)
        try replace(by: old)
        session.checkConnection(at: .test)
        #expect(writer.closeCode == nil)
        try replace(by: new)
        #expect(writer.closeCode == nil)
        session.checkConnection(at: .test)
        #expect(writer.closeCode == .token && session.isClosed)
        let text = writer.frames.map { String(buffer: $0) }.joined()
        #expect(text.contains("TOKEN_INVALID") && text.contains("unknown key"))
        let (other, otherWriter) = try await self.session(new)
        other.checkConnection(at: .test)
        #expect(otherWriter.closeCode == nil)
    }

    @Test("the connection is closed if its key was withdrawn before the first check")
    func between() async throws {
        let (session, writer) = try await session(old)
        try replace(by: new)
        session.checkConnection(at: .test)
        #expect(writer.closeCode == .token)
    }
}
