import ArgumentParser
import HistoryWorker
import Postgres
import Runtime

/// Where the database is, for commands that ask it.
struct PostgresOptions: ParsableArguments {
    @Option(
        name: .customLong("postgres-url"),
        help: ArgumentHelp(
            "The database; POSTGRES_URL when it is not given.", valueName: "postgresql://user@host:port/database"))
    var url: String?

    func validate() throws {
        if let url, try PostgresConfiguration(url: url).holdsPassword {
            throw ValidationError(
                "--postgres-url must not hold a password, which every user of this machine could read; "
                    + "set POSTGRES_URL, or POSTGRES_URL_FILE to a file that holds it.")
        }
    }

    /// Connects; answers may take as long as they need.
    func connect() throws -> PostgresConnection { try PostgresConnection(configuration()) }

    /// The database of the option, or else of the settings, which `settings` reads.
    func configuration(
        _ settings: () throws -> Settings = { try Settings(for: .commandLine) }
    ) throws -> PostgresConfiguration {
        let configuration = try url.map { PostgresConfiguration(url: $0) } ?? settings().postgresConfiguration
        return configuration.forCommand("sightline-cli")
    }

    /// Connects to a database that has the tables of the history.
    func connectToHistory() throws -> PostgresConnection {
        let connection = try connect()
        try Migrator.requireCurrent(connection)
        return connection
    }
}
