import Foundation
import Postgres
import Sinks
import Recordings
import Settings

/// A database of its own on the server that the settings name, migrated and empty; dropped at the end.
final class BenchDatabase {
    let name: String
    let url: String
    private let server: Settings

    init(_ settings: Settings) throws {
        server = settings
        name = "sightline_bench_\(UUID().uuidString.prefix(8).lowercased())"
        let base = settings.postgres.url.reveal()
        guard var parts = URLComponents(string: base) else {
            throw InputError("POSTGRES_URL is to be a postgresql:// URL for the benchmark.")
        }
        parts.path = "/\(name)"
        guard let url = parts.string else { throw InputError("POSTGRES_URL is no URL.") }
        self.url = url
        try Self.connect(base).execute("CREATE DATABASE \(name)")
        try Migrator(connection: Self.connect(url)).migrate { _ in }
    }

    /// Empties the tables and forgets how far the partitions have come.
    func empty() throws {
        try Self.connect(url).executeScript("TRUNCATE location_history; TRUNCATE sink_progress; CHECKPOINT;")
    }

    func drop() throws {
        try Self.connect(server.postgres.url.reveal()).execute("DROP DATABASE \(name) WITH (FORCE)")
    }

    /// Runs psql's client-side copy and answers how long it took, in seconds.
    func psql(_ command: String) throws -> Double {
        let began = ContinuousClock.now
        try BenchTool.run("psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", command])
        return began.duration(to: .now) / .seconds(1)
    }

    private static func connect(_ url: String) throws -> PostgresConnection {
        try PostgresConnection(
            PostgresConfiguration(url: url, applicationName: "sightline-bench", responseTimeout: nil))
    }
}
