import ArgumentParser
import Postgres

/// `sightline migrate`: brings the database to the schema that this version needs.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Create or update the tables of the history in Postgres.",
        discussion: """
            Safe to run again and from several places at once. The migrations are part of this program; each runs in a \
            transaction of its own. The user needs the right to create tables, and, for the roles sightline_worker and \
            sightline_reader, to create roles; without that right, make them and run SELECT grant_history_roles().
            """)

    @OptionGroup var postgres: PostgresOptions

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
        let migrator = Migrator(connection: try postgres.connect())
        if check {
            let pending = try migrator.pending()
            for migration in pending { print("missing \(migration.title)") }
            if !pending.isEmpty { throw ExitCode(1) }
        } else {
            try migrator.migrate { print("applied \($0.title)") }
        }
        print("The database is up to date: \(Migration.all.count) migrations.")
    }
}
