import TestSupport
import Testing

@testable import Postgres

@Suite("Postgres address", .blocking)
struct PostgresAddressTests {
    private func error(advice: String) throws -> PostgresError {
        let configuration = PostgresConfiguration(url: "postgresql://127.0.0.1:1/d", advice: advice)
        return try #require(throws: PostgresError.self) { _ = try PostgresConnection(configuration) }
    }

    @Test("the error of an unreachable server has the configured advice instead of the default")
    func advice() throws {
        let unadvised = try error(advice: "")
        #expect(unadvised.code == .connectionFailed && unadvised.message.hasSuffix(" Check POSTGRES_URL."))
        let advised = try error(advice: "Set this.")
        #expect(advised.code == .connectionFailed && advised.isRetriable && advised.message.hasSuffix(". Set this."))
        #expect(!advised.message.contains("Check POSTGRES_URL."), "\(advised)")
    }

    @Test("a permanent error has the advice, and a temporary error does not")
    func permanentError() {
        let configuration = PostgresConfiguration(url: "postgresql://127.0.0.1:1/d", advice: "Set this.")
        let permanent = PostgresError.server("no such database", sqlState: "3D000", code: .connectionFailed)
        let advised = ConnectionFailure.advised(permanent, configuration)
        #expect(advised.message == "\(permanent) Set this." && advised.sqlState == "3D000" && !advised.isRetriable)
        let temporary = PostgresError.server("the database system is starting up", sqlState: "57P03")
        #expect(ConnectionFailure.advised(temporary, configuration) == temporary)
        let plain = PostgresConfiguration(url: "postgresql://127.0.0.1:1/d")
        #expect(ConnectionFailure.advised(permanent, plain) == permanent)
    }
}
