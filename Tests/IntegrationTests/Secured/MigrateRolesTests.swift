import Foundation
import Postgres
import TestSupport
import Testing

/// Tests on a separate server, because roles are server-wide and other tests need the roles missing here.
@Suite(
    "Migration without permission to create roles", .blocking,
    .enabled(if: HistoryDatabase.server != nil && TestCertificates.isAvailable, HistoryDatabase.hint),
    .timeLimit(.minutes(10)))
struct MigrateRolesTests {
    private func migrate(_ url: String, _ options: [String] = []) async throws -> String {
        let program = try Program("sightline", ["migrate"] + options, environment: ["POSTGRES_URL": url])
        defer { program.discard() }
        let code = try await program.wait()
        #expect(code == 0, "\(program.output)")
        return program.output
    }

    @Test("migrate succeeds, prints the commands that create the missing roles, and grants them rights once they exist")
    func plainOwner() async throws {
        let certificates = try await TestCertificates()
        let server = try await TestServer.postgres(certificates)
        defer { server.end() }
        let address = "127.0.0.1:\(server.port)"
        var admin: PostgresConnection?
        try await eventually("Postgres accepts connections") {
            admin = try? PostgresConnection(PostgresConfiguration(url: "postgresql://postgres@\(address)/postgres"))
            return admin != nil
        }
        let connection = try #require(admin)
        try connection.execute("CREATE ROLE keeper LOGIN NOCREATEROLE")
        try connection.execute("CREATE DATABASE history OWNER keeper")
        let url = "postgresql://keeper@\(address)/history"

        for options in [[], [], ["--check"]] {
            let output = try await migrate(url, options)
            #expect(output.contains("The database is up to date"), "\(output)")
            for part in [
                "sightline_worker", "sightline_reader", "missing", "keeper cannot create roles", "CREATEROLE",
                "CREATE ROLE sightline_worker NOLOGIN;", "SELECT grant_history_roles();",
            ] { #expect(output.contains(part), "\(part): \(output)") }
        }
        try connection.execute("CREATE ROLE sightline_worker NOLOGIN")
        let partial = try await migrate(url)
        #expect(!partial.contains("CREATE ROLE sightline_worker"))
        #expect(partial.contains("CREATE ROLE sightline_reader NOLOGIN;"))
        try connection.execute("CREATE ROLE sightline_reader NOLOGIN")
        let check = try await migrate(url, ["--check"])
        #expect(check.contains("sightline_reader is without rights"), "\(check)")
        let complete = try await migrate(url)
        #expect(!complete.contains("Warning"), "\(complete)")
        let owner = try PostgresConnection(PostgresConfiguration(url: url))
        let row = try owner.execute(
            """
            SELECT has_table_privilege('sightline_worker', 'location_history', 'INSERT')
                AND has_table_privilege('sightline_reader', 'trip_events', 'SELECT')
            """
        ).first
        #expect(try row?.boolean(0) == true)
    }
}
