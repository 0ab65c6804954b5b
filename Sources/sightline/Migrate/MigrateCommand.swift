import ArgumentParser
import HistoryWorker
import Runtime

/// `sightline migrate`: migrates the database to the schema of this version.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Create or update the tables of the history in Postgres.",
        discussion: """
            Safe to repeat and to run concurrently. The migrations are part of this program; each runs in its own \
            transaction. The user needs the right to create tables and becomes their owner.

            If the user may create roles (CREATEROLE), the command creates the roles sightline_worker (writes) and \
            sightline_reader (reads) and grants their rights. Otherwise it prints a warning: a database administrator \
            creates both roles, and the owner runs SELECT grant_history_roles() or this command again.
            """)

    @OptionGroup var postgres: PostgresOptions

    @OptionGroup var wait: WaitOptions

    @Flag(help: "Change nothing; exit with 1 if migrations are missing.")
    var check = false

    @Flag(help: "Change nothing; print the SQL of all migrations, to apply it manually.")
    var printSQL = false

    func validate() throws {
        if check, printSQL { throw ValidationError("Give --check or --print-sql, not both.") }
    }

    func run() throws {
        if printSQL {
            for migration in Migration.all { print("-- \(migration.title)\n\n\(migration.script)\n") }
            return
        }
        let connection = try wait.retry { try postgres.connect() }
        let migrator = Migrator(connection: connection)
        if check {
            let pending = try migrator.pending()
            for migration in pending { print("missing \(migration.title)") }
            if !pending.isEmpty { throw ExitCode(1) }
            warn(of: try HistoryRoles.read(connection))
        } else {
            try migrator.migrate { print("applied \($0.title)") }
            warn(of: try HistoryRoles.grant(connection))
        }
        print("The database is up to date: \(Migration.all.count) migrations.")
    }

    private func warn(of roles: HistoryRoles) {
        if let advice = roles.advice { StandardError.write("Warning: \(advice)\n") }
    }
}
