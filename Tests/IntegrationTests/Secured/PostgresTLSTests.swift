import Postgres
import TestSupport
import Testing

@Suite(
    "Postgres over TLS", .blocking,
    .enabled(if: HistoryDatabase.server != nil && TestCertificates.isAvailable, HistoryDatabase.hint),
    .timeLimit(.minutes(10)))
struct PostgresTLSTests {
    private let certificates: TestCertificates

    init() async throws { certificates = try await TestCertificates() }

    private func url(_ server: TestServer, host: String = "localhost", authority: String? = nil) -> String {
        "postgresql://postgres@\(host):\(server.port)/postgres?sslmode=verify-full"
            + "&sslrootcert=\(authority ?? certificates.authority)"
    }

    @Test("verify-full accepts the correct authority and host; another host, or another or no authority, is an error")
    func serverVerification() async throws {
        let server = try await TestServer.postgres(certificates)
        defer { server.end() }
        for host in ["localhost", "127.0.0.1"] {
            try await eventually("Postgres accepts connections") {
                (try? PostgresConnection(PostgresConfiguration(url: url(server, host: host)))) != nil
            }
            let connection = try PostgresConnection(PostgresConfiguration(url: url(server, host: host)))
            let row = try connection.execute("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").first
            #expect(try row?.boolean(0) == true)
        }
        let other = try await TestCertificates()
        expectUntrusted(url(server, authority: other.authority))
        expectUntrusted(url(server, host: "127.0.0.2"))
        expectUntrusted(url(server, authority: certificates.path("none.pem")))
    }

    @Test("a server without TLS is a fatal error")
    func plainServer() throws {
        let server = try #require(HistoryDatabase.server)
        let separator = server.contains("?") ? "&" : "?"
        expectUntrusted("\(server)\(separator)sslmode=verify-full&sslrootcert=\(certificates.authority)")
    }

    private func expectUntrusted(_ url: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresConnection(PostgresConfiguration(url: url)) }
        #expect(error?.code == .untrusted, "\(url): \(String(describing: error))")
        #expect(error?.isRetriable == false)
        #expect(error?.message.contains("sslrootcert") == true)
    }
}
