import Postgres

/// Runner of migrations, each in its own transaction.
///
/// An advisory lock serializes migrators. `schema_migrations` stores the checksum of each applied migration's text.
package struct Migrator {
    private let connection: PostgresConnection
    private let migrations: [Migration]

    /// Key of the advisory lock in the database: `SGHT` in ASCII.
    private static let lockKey = 0x5347_4854

    package init(connection: PostgresConnection, migrations: [Migration] = Migration.all) {
        self.connection = connection
        self.migrations = migrations
    }

    /// Checks that all migrations of this program were applied; additional ones of a later release are allowed.
    /// - Throws: ``PostgresError`` with code ``PostgresError/Code/schema``.
    package static func requireCurrent(
        _ connection: PostgresConnection, migrations: [Migration] = Migration.all
    ) throws {
        guard let first = try Migrator(connection: connection, migrations: migrations).pending().first else { return }
        throw PostgresError(
            code: .schema,
            message: "The database lacks the migration \(first.title). Run `sightline migrate`.")
    }

    /// Returns the migrations that are not applied, oldest first.
    /// - Throws: ``PostgresError``, also if an applied migration's text differs from this program's.
    package func pending() throws -> [Migration] {
        let exists = try connection.execute("SELECT to_regclass('schema_migrations') IS NOT NULL").first?.boolean(0)
        guard exists == true else { return migrations }
        let applied = try appliedChecksums()
        return try migrations.filter { migration in
            guard let checksum = applied[migration.version] else { return true }
            guard try checksum == self.checksum(of: migration) else {
                throw PostgresError(
                    code: .schema,
                    message: "Migration \(migration.title) differs from the one applied to this database. Use a "
                        + "database of this version, or restore the file and put the change into a new migration.")
            }
            return false
        }
    }

    /// Applies the pending migrations, and calls `report` after each commit.
    /// - Returns: the applied migrations.
    /// - Throws: ``PostgresError`` of the first migration that fails; it is rolled back, and earlier ones stay applied.
    @discardableResult
    package func migrate(report: (Migration) -> Void = { _ in }) throws -> [Migration] {
        // executeScript has no response timeout, which the wait for another migrator could exceed.
        try connection.executeScript("SELECT pg_advisory_lock(\(Self.lockKey))")
        defer {
            // If this fails, the lock ends with the connection.
            _ = try? connection.execute("SELECT pg_advisory_unlock($1)", [.integer(Int64(Self.lockKey))])
        }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
                version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL,
                applied_at timestamptz NOT NULL DEFAULT now())
            """)
        let pending = try pending()
        for migration in pending {
            try apply(migration)
            report(migration)
        }
        return pending
    }

    private func apply(_ migration: Migration) throws {
        do {
            let checksum = try checksum(of: migration)
            try connection.transaction {
                try connection.executeScript(migration.script)
                try connection.execute(
                    "INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)",
                    [.integer(Int64(migration.version)), .text(migration.name), .text(checksum)])
            }
        } catch let error as PostgresError {
            throw PostgresError(
                code: error.code, sqlState: error.sqlState,
                message: "Migration \(migration.title) failed and was rolled back. \(error.message)",
                isRetriable: error.isRetriable)
        }
    }

    private func appliedChecksums() throws -> [Int: String] {
        var checksums: [Int: String] = [:]
        for row in try connection.execute("SELECT version, checksum FROM schema_migrations").rows {
            checksums[Int(try row.integer(0))] = try row.text(1)
        }
        return checksums
    }

    private func checksum(of migration: Migration) throws -> String {
        let sum = try connection.execute(
            "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')", [.text(migration.script)])
        return try sum.first?.text(0) ?? ""
    }
}
