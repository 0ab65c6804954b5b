import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import Gateways
@testable import Runtime
@testable import Support

@Suite("Connections with a withdrawn token key")
struct WithdrawnKeyTests {
    private final class Writer: SessionWriter {
        var isWritable: Bool { true }
        var closed: SocketCloseCode?
        var text = ""

        func write(_ frame: ByteBuffer) { text += String(buffer: frame) }
        func flush() {}
        func ping() {}
        func close(_ code: SocketCloseCode) { closed = code }
    }

    /// A key file with one secret, deleted with this object.
    private final class KeyFile {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString).json").path

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ secret: String) throws {
            let encoded = Data(secret.utf8).base64EncodedString().replacing("=", with: "")
            try #"{"keys":[{"kty":"oct","k":"\#(encoded)"}]}"#.write(toFile: path, atomically: true, encoding: .utf8)
        }
    }

    private static let (old, new) = (String(repeating: "o", count: 33), String(repeating: "n", count: 33))
    private static let now = Timestamp(milliseconds: 1_795_443_545_945)

    private static func claims(_ secret: String, _ verifier: TokenVerifier) async throws -> TokenClaims {
        let token = try TokenMinter(secret: Secret(secret))
            .mint(TokenGrant(trips: ["t"], lifetimeSeconds: 3600), now: now)
        return try await verifier.verify(token, now: now)
    }

    private static func session(_ claims: TokenClaims, _ verifier: TokenVerifier) -> (ClientSession, Writer) {
        let writer = Writer()
        let session = ClientSession(
            StreamOpening(sessionID: "1", claims: claims, writer: writer), loop: EmbeddedEventLoop(),
            tokens: verifier, connections: ConnectionSettings(port: 0, portKey: ""),
            metrics: SocketMetrics())
        return (session, writer)
    }

    @Test("the connection is closed at the next check unless its key is still in use")
    func ended() async throws {
        let file = KeyFile()
        try file.write(Self.old)
        let verifier = try TokenVerifier(TokenConfiguration(jwksFile: file.path))
        let (session, writer) = Self.session(try await Self.claims(Self.old, verifier), verifier)
        session.checkConnection(at: Self.now)
        try file.write(Self.old)
        _ = verifier.reload()
        session.checkConnection(at: Self.now)
        #expect(writer.closed == nil)
        try file.write(Self.new)
        _ = verifier.reload()
        #expect(writer.closed == nil)
        session.checkConnection(at: Self.now)
        #expect(writer.closed == .token && session.isClosed)
        #expect(writer.text.contains("TOKEN_INVALID") && writer.text.contains("unknown key"))
        let (other, otherWriter) = Self.session(try await Self.claims(Self.new, verifier), verifier)
        other.checkConnection(at: Self.now)
        #expect(otherWriter.closed == nil)
    }

    @Test("the connection is closed if its key was withdrawn before the first check")
    func between() async throws {
        let file = KeyFile()
        try file.write(Self.old)
        let verifier = try TokenVerifier(TokenConfiguration(jwksFile: file.path))
        let claims = try await Self.claims(Self.old, verifier)
        try file.write(Self.new)
        _ = verifier.reload()
        let (session, writer) = Self.session(claims, verifier)
        session.checkConnection(at: Self.now)
        #expect(writer.closed == .token)
    }
}
