import ArgumentParser
import Postgres
import Settings
struct Migrate: ParsableCommand {
    func run() throws {
        let settings = try Settings(for: .commandLine)
        let connection = try PostgresConnection(PostgresConfiguration(url: settings.postgres.url.reveal()))
        for m in try Migrator(connection: connection).migrate() { print(m) }
    }
}
