import Foundation
import HistoryWorker
import Postgres
import Testing

/// A database of its own on the test server, migrated, and dropped in the end.
final class HistoryDatabase {
    static let server = TestServices.postgres
    static let hint: Comment =
        "SIGHTLINE_TEST_POSTGRES (postgresql://user@host:port/database) is not set; deploy/test starts one."

    let name = "it\(UInt32.random(in: 0...(.max)))"
    let url: String
    let connection: PostgresConnection

    /// A migrated database that others are copied from, which takes a third of what a migration takes; stays until the
    /// server is ended.
    private static let template = Result { () throws -> String in
        let name = "it\(UInt32.random(in: 0...(.max)))_template"
        try create(name)
        let connection = try PostgresConnection(PostgresConfiguration(url: address(database: name)))
        defer { connection.close() }
        try Migrator(connection: connection).migrate()
        return name
    }

    /// The role that owns the database; `nil` where it is the server's superuser.
    private let owner: String?

    /// `hasPlainOwner`: owned and migrated by a role that is no superuser and may not create roles.
    init(isMigrated: Bool = true, hasPlainOwner: Bool = false) throws {
        owner = hasPlainOwner ? "\(name)_owner" : nil
        if let owner {
            // A migration makes roles, which belong to the whole server and which a plain owner may not make.
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
        // A deinit cannot report an error: a database that stays behind has a name that no other test uses.
        try? Self.administer("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        if let owner { try? Self.administer("DROP ROLE IF EXISTS \(owner)") }
    }

    /// Makes a database with everything that a migration makes.
    static func createMigrated(_ name: String) throws { try create(name, "TEMPLATE \(template.get())") }

    private static func create(_ name: String, _ options: String = "") throws {
        // Making a database fails while another test copies the same one.
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

    /// The test server's URL with another database, user or port.
    static func address(database: String, user: String? = nil, port: Int? = nil) throws -> String {
        let server = try #require(server)
        var parts = try #require(URLComponents(string: server))
        parts.path = "/\(database)"
        if let user { parts.user = user }
        if let port { parts.port = port }
        return try #require(parts.string)
    }

    /// Host and port of the test server.
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

    /// The first column of the first row as a whole number.
    func number(_ question: String, _ parameters: [PostgresValue] = []) throws -> Int64 {
        try #require(try connection.execute(question, parameters).first).integer(0)
    }

    /// All rows, values joined by `|`, nulls as `-`.
    func lines(_ question: String, _ parameters: [PostgresValue] = []) throws -> [String] {
        let result = try connection.execute(question, parameters)
        return result.rows.map { row in
            (0..<result.columns.count).map { row.string($0) ?? "-" }.joined(separator: "|")
        }
    }

    /// Rows of all tables that tell of an event that another row tells of already.
    func doubled() throws -> Int64 {
        try number("SELECT coalesce(sum(doubled), 0)::bigint FROM history_duplicates('-infinity', 'infinity')")
    }
}
