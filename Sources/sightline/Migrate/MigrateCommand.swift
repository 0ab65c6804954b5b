import ArgumentParser
import HistoryWorker
import Runtime

/// `sightline migrate`: brings the database to the schema that this version needs.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Create or update the tables of the history in Postgres.",
        discussion: """
            Safe to run again and from several places at once. The migrations are part of this program; each runs in a \
            transaction of its own. The user needs the right to create tables, and owns them from then on.

            The roles sightline_worker (writes) and sightline_reader (asks) are made and granted their rights where the \
            user may create roles (CREATEROLE). Where it may not, the migration succeeds without them and says so: a \
            database administrator creates both, and the owner runs SELECT grant_history_roles() or this command again.
            """)

    @OptionGroup var postgres: PostgresOptions

    @OptionGroup var wait: WaitOptions

    @Flag(help: "Change nothing; exit with 1 when migrations are missing.")
    var check = false

    @Flag(help: "Change nothing; print the SQL of all migrations, for those who apply it by hand.")
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
            warn(of: try HistoryRoles.look(connection))
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
