import Foundation
import TestSupport
import Testing

@testable import HistoryWorker
@testable import Postgres

@Suite("Migrations", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct PostgresMigratorTests {
    private let database: HistoryDatabase

    init() throws { database = try HistoryDatabase(isMigrated: false) }

    @Test("all are applied once, in order, and the second run finds nothing to do")
    func idempotent() throws {
        let migrator = Migrator(connection: database.connection)
        #expect(try migrator.pending() == Migration.all)
        var reported: [Migration] = []
        #expect(try migrator.migrate { reported.append($0) } == Migration.all)
        #expect(reported == Migration.all)
        #expect(try migrator.migrate() == [])
        #expect(try migrator.pending() == [])
        try Migrator.requireCurrent(database.connection)
        #expect(try database.number("SELECT count(*) FROM schema_migrations") == Int64(Migration.all.count))
    }

    @Test("several at once apply each migration once")
    func together() throws {
        let url = database.url
        let failures = FailureBox()
        let applied = FailureBox()
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            do {
                let connection = try PostgresConnection(PostgresConfiguration(url: url))
                try Migrator(connection: connection).migrate { applied.add($0.title) }
            } catch {
                failures.add("\(error)")
            }
        }
        #expect(failures.all == [])
        #expect(applied.all.sorted() == Migration.all.map(\.title))
    }

    @Test("a migration that was changed after it was applied is refused by name")
    func changed() throws {
        let first = Migration(version: 1, name: "first", script: "CREATE TABLE a (n integer)")
        try Migrator(connection: database.connection, migrations: [first]).migrate()
        let other = Migration(version: 1, name: "first", script: "CREATE TABLE a (n bigint)")
        let error = #expect(throws: PostgresError.self) {
            try Migrator(connection: database.connection, migrations: [other]).migrate()
        }
        #expect(error?.code == .schema)
        #expect(error?.message.contains("0001_first") == true)
    }

    @Test("a migration that fails is rolled back whole; those before it stay, and it can be tried again")
    func failing() throws {
        let good = Migration(version: 1, name: "good", script: "CREATE TABLE a (n integer)")
        let bad = Migration(version: 2, name: "bad", script: "CREATE TABLE b (n integer); SELECT 1 / 0;")
        let error = #expect(throws: PostgresError.self) {
            try Migrator(connection: database.connection, migrations: [good, bad]).migrate()
        }
        #expect(error?.message.contains("0002_bad") == true)
        #expect(try database.lines("SELECT to_regclass('a'), to_regclass('b')") == ["a|-"])
        let mended = Migration(version: 2, name: "bad", script: "CREATE TABLE b (n integer)")
        #expect(try Migrator(connection: database.connection, migrations: [good, mended]).migrate() == [mended])
    }

    @Test("a database that is newer than the program is accepted, an older one is told what it lacks")
    func versions() throws {
        let first = Migration(version: 1, name: "first", script: "SELECT 1")
        let second = Migration(version: 2, name: "second", script: "SELECT 1")
        try Migrator(connection: database.connection, migrations: [first]).migrate()
        let error = #expect(throws: PostgresError.self) {
            try Migrator.requireCurrent(database.connection, migrations: [first, second])
        }
        #expect(error?.message.contains("0002_second") == true)
        try Migrator(connection: database.connection, migrations: [first, second]).migrate()
        try Migrator.requireCurrent(database.connection, migrations: [first])
    }
}
