import Foundation
import HistoryWorker
import Postgres
import Recordings
import Runtime

/// A database of its own on the server that the settings name, migrated and empty; dropped at the end.
final class BenchDatabase {
    let name: String
    let url: String
    private let server: PostgresConfiguration

    init(_ settings: Settings) throws {
        server = settings.postgresConfiguration.forCommand("sightline-bench")
        name = "sightline_bench_\(UUID().uuidString.prefix(8).lowercased())"
        guard var parts = URLComponents(string: server.url) else {
            throw InputError("POSTGRES_URL is to be a postgresql:// URL for the benchmark.")
        }
        parts.path = "/\(name)"
        guard let url = parts.string else { throw InputError("POSTGRES_URL is no URL.") }
        self.url = url
        try PostgresConnection(server).execute("CREATE DATABASE \(name)")
        try Migrator(connection: connect()).migrate { _ in }
    }

    /// Empties the tables and forgets how far the partitions have come.
    func empty() throws {
        try connect().executeScript(
            "TRUNCATE location_history; TRUNCATE smoothed_locations; TRUNCATE sink_progress; CHECKPOINT;")
    }

    /// How many rows a table has.
    func rows(of table: String) throws -> Int64 {
        try connect().execute("SELECT count(*) FROM \(table)").first?.integer(0) ?? 0
    }

    func drop() throws {
        try PostgresConnection(server).execute("DROP DATABASE \(name) WITH (FORCE)")
    }

    /// Runs psql's client-side copy and answers how long it took, in seconds.
    func psql(_ command: String) throws -> Double {
        let began = ContinuousClock.now
        try BenchTool.run("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", command])
        return began.duration(to: .now) / .seconds(1)
    }

    private func connect() throws -> PostgresConnection {
        var configuration = server
        configuration.url = url
        return try PostgresConnection(configuration)
    }
}
