import TestSupport
import Testing

@testable import Postgres

@Suite("Postgres address", .blocking)
struct PostgresAddressTests {
    private func error(advice: String) throws -> PostgresError {
        let configuration = PostgresConfiguration(url: "postgresql://127.0.0.1:1/d", advice: advice)
        return try #require(throws: PostgresError.self) { _ = try PostgresConnection(configuration) }
    }

    @Test("the error has the configured advice instead of the default")
    func advice() throws {
        let general = try error(advice: "")
        #expect(general.code == .connectionFailed && general.message.hasSuffix(" Check POSTGRES_URL."))
        let given = try error(advice: "Set this.")
        #expect(given.code == .connectionFailed && given.isRetriable && given.message.hasSuffix(". Set this."))
        #expect(!given.message.contains("Check POSTGRES_URL."), "\(given)")
    }

    @Test("a permanent error has the advice, a temporary one does not")
    func refusal() {
        let configuration = PostgresConfiguration(url: "postgresql://127.0.0.1:1/d", advice: "Set this.")
        let refused = PostgresError.server("no such database", sqlState: "3D000", code: .connectionFailed)
        let advised = ConnectionFailure.advised(refused, configuration)
        #expect(advised.message == "\(refused) Set this." && advised.sqlState == "3D000" && !advised.isRetriable)
        let starting = PostgresError.server("the database system is starting up", sqlState: "57P03")
        #expect(ConnectionFailure.advised(starting, configuration) == starting)
        let plain = PostgresConfiguration(url: "postgresql://127.0.0.1:1/d")
        #expect(ConnectionFailure.advised(refused, plain) == refused)
    }
}
