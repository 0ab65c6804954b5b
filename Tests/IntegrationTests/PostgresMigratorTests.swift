import Foundation
import TestSupport
import Testing

@testable import HistoryWorker
@testable import Postgres

@Suite("Schema migrations", .blocking, .enabled(if: HistoryDatabase.server != nil, HistoryDatabase.hint))
struct PostgresMigratorTests {
    private let database: HistoryDatabase

    init() throws { database = try HistoryDatabase(isMigrated: false) }

    @Test("all migrations are applied once and in order, and a second run applies none")
    func appliedOnce() throws {
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

    @Test("concurrent migrators apply each migration once")
    func concurrentMigrators() throws {
        let url = database.url
        let failures = SharedTexts()
        let applied = SharedTexts()
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

    @Test("a migration that was changed after it was applied is an error with its name")
    func changedMigration() throws {
        let first = Migration(version: 1, name: "first", script: "CREATE TABLE a (n integer)")
        try Migrator(connection: database.connection, migrations: [first]).migrate()
        let other = Migration(version: 1, name: "first", script: "CREATE TABLE a (n bigint)")
        let error = #expect(throws: PostgresError.self) {
            try Migrator(connection: database.connection, migrations: [other]).migrate()
        }
        #expect(error?.code == .schema)
        #expect(error?.message.contains("0001_first") == true)
    }

    @Test("a failed migration is rolled back and can be repeated; earlier migrations stay applied")
    func failedMigration() throws {
        let good = Migration(version: 1, name: "good", script: "CREATE TABLE a (n integer)")
        let bad = Migration(version: 2, name: "bad", script: "CREATE TABLE b (n integer); SELECT 1 / 0;")
        let error = #expect(throws: PostgresError.self) {
            try Migrator(connection: database.connection, migrations: [good, bad]).migrate()
        }
        #expect(error?.message.contains("0002_bad") == true)
        #expect(try database.lines("SELECT to_regclass('a'), to_regclass('b')") == ["a|-"])
        let fixed = Migration(version: 2, name: "bad", script: "CREATE TABLE b (n integer)")
        #expect(try Migrator(connection: database.connection, migrations: [good, fixed]).migrate() == [fixed])
    }

    @Test("a database newer than the program is accepted, and an older database is an error with the migration")
    func schemaVersions() throws {
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
