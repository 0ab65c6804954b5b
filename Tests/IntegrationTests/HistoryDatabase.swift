import Foundation
import HistoryWorker
import Postgres
import Testing

/// Database on the test server, migrated by default, dropped on `deinit`.
final class HistoryDatabase {
    static let server = TestServices.postgres
    static let hint: Comment =
        "SIGHTLINE_TEST_POSTGRES (postgresql://user@host:port/database) is not set; deploy/test starts a server."

    let name = "it\(UInt32.random(in: 0...(.max)))"
    let url: String
    let connection: PostgresConnection

    /// Name of a migrated database, which is never dropped; a copy takes a third of the time of a migration.
    private static let template = Result { () throws -> String in
        let name = "it\(UInt32.random(in: 0...(.max)))_template"
        try create(name)
        let connection = try PostgresConnection(PostgresConfiguration(url: address(database: name)))
        defer { connection.close() }
        try Migrator(connection: connection).migrate()
        return name
    }

    /// Role that owns the database; `nil` if the server's superuser owns it.
    private let owner: String?

    /// Creates a database.
    ///
    /// With `hasPlainOwner`, a new role that may not create roles owns the database, and migrates it if `isMigrated`.
    init(isMigrated: Bool = true, hasPlainOwner: Bool = false) throws {
        owner = hasPlainOwner ? "\(name)_owner" : nil
        if let owner {
            // A migration creates server-wide roles; a plain owner may not, so the template creates them.
            _ = try Self.template.get()
            try Self.administer("CREATE ROLE \(owner) \(TestServices.login)")
            try Self.create(name, "OWNER \(owner)")
        } else if isMigrated {
            try Self.createMigrated(name)
        } else {
            try Self.create(name)
        }
        url = try Self.address(database: name, user: owner)
        connection = try PostgresConnection(PostgresConfiguration(url: url))
        if isMigrated, owner != nil { try Migrator(connection: connection).migrate() }
    }

    deinit {
        connection.close()
        // A deinit cannot throw. If the database remains, its random name avoids collisions with other tests.
        try? Self.administer("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        if let owner { try? Self.administer("DROP ROLE IF EXISTS \(owner)") }
    }

    /// Creates a database as a copy of the migrated template.
    static func createMigrated(_ name: String) throws { try create(name, "TEMPLATE \(template.get())") }

    private static func create(_ name: String, _ options: String = "") throws {
        // CREATE DATABASE fails while another test copies the same template.
        for attempt in 1... {
            do {
                return try administer("CREATE DATABASE \(name) \(options)")
            } catch let error as PostgresError where error.sqlState == "55006" && attempt < 100 {
                usleep(20_000)
            }
        }
    }

    private static func administer(_ statement: String) throws {
        let admin = try PostgresConnection(PostgresConfiguration(url: try #require(server)))
        defer { admin.close() }
        try admin.execute(statement)
    }

    /// Returns the test server's URL with another database, user or port.
    static func address(database: String, user: String? = nil, port: Int? = nil) throws -> String {
        let server = try #require(server)
        var parts = try #require(URLComponents(string: server))
        parts.path = "/\(database)"
        if let user { parts.user = user }
        if let port { parts.port = port }
        return try #require(parts.string)
    }

    /// Returns host and port of the test server.
    static func endpoint() throws -> (host: String, port: Int32) {
        let server = try #require(server)
        let parts = try #require(URLComponents(string: server))
        return (parts.host ?? "127.0.0.1", Int32(parts.port ?? 5432))
    }

    func configuration(url: String? = nil) -> HistorySinkConfiguration {
        HistorySinkConfiguration(postgres: PostgresConfiguration(url: url ?? self.url))
    }

    func sink(url: String? = nil, _ adjust: (inout HistorySinkConfiguration) -> Void = { _ in }) -> HistorySink {
        var configuration = configuration(url: url)
        adjust(&configuration)
        return HistorySink(configuration)
    }

    /// Returns the integer in the first column of the first row.
    func number(_ query: String, _ parameters: [PostgresValue] = []) throws -> Int64 {
        try #require(try connection.execute(query, parameters).first).integer(0)
    }

    /// Returns each row as its values joined by `|`, with `-` for null.
    func lines(_ query: String, _ parameters: [PostgresValue] = []) throws -> [String] {
        let result = try connection.execute(query, parameters)
        return result.rows.map { row in
            (0..<result.columns.count).map { row.string($0) ?? "-" }.joined(separator: "|")
        }
    }

    /// Returns the number of duplicates in all tables: rows beyond the first row of an event.
    func duplicateCount() throws -> Int64 {
        try number("SELECT coalesce(sum(duplicates), 0)::bigint FROM history_duplicates('-infinity', 'infinity')")
    }
}
