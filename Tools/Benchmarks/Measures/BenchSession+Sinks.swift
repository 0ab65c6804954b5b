import Foundation
import HistoryWorker
import Postgres
import Recordings
import Runtime

/// Throughput of the sinks on a backlog of verdicts.
extension BenchSession {
    /// Measures the history worker, compared with psql's binary copy of the same rows into the same tables.
    func history(on testbed: Testbed) throws -> BenchResult {
        let database = try BenchDatabase(testbed.access.settings)
        defer { try? database.drop() }
        testbed.environment["POSTGRES_URL"] = database.url
        var runs = BenchRuns()
        let tables = ["location_history", "smoothed_locations"]
        func file(_ table: String) -> String { "\(folder)/\(table).bin" }
        var rows = 0.0
        for repetition in 1...plan.sinkRepetitions {
            progress("history, \(repetition) of \(plan.sinkRepetitions)")
            let throughput = try testbed.throughput(of: "history-worker", topic: .locations)
            if repetition == 1 {
                rows = Double(try database.rows(of: tables[0]))
                for table in tables {
                    _ = try database.psql("\\copy (select * from \(table)) to '\(file(table))' with (format binary)")
                }
            }
            try database.empty()
            let seconds = try tables.reduce(0) { seconds, table in
                try seconds + database.psql("\\copy \(table) from '\(file(table))' with (format binary)")
            }
            runs.add(throughput, ceiling: rows / seconds)
            try database.empty()
        }
        for table in tables { try? FileManager.default.removeItem(atPath: file(table)) }
        var result = runs.result("history", ceiling: "psql \\copy (binary)")
        result.target = "at least 0.85 of \\copy"
        result.isReached = (result.ratio ?? 0) >= 0.85
        return result
    }

    /// Commands of one driver's update for `redis-benchmark`.
    ///
    /// Excludes the commands of areas and watermarks, which hundreds of drivers share; their exclusion favours
    /// `redis-benchmark`.
    private static let commands: [[String]] = [
        [
            "HSET", "driver:load___rand_int__", "lat", "48.137412", "lon", "11.575523", "heading", "270.4", "speed_mps",
            "13.89", "accuracy_meters", "4.5", "confidence", "HIGH", "fixed_at", "1768478400123", "received_at",
            "1768478400123", "event_id", "3-123456789", "trip_id", "trip_123456", "is_halted", "0", "area", "u281",
            "risk", "0.02", "is_flagged", "0", "risk_event_id", "3-123456789",
        ],
        ["LPUSH", "driver:load___rand_int__:trail", "48.137412,11.575523,1768478400123,270.4,13.89"],
        ["LTRIM", "driver:load___rand_int__:trail", "0", "99"],
        ["ZADD", "drivers:geo:u281", "3673983964876493", "load___rand_int__"],
    ]

    /// Measures the position worker, compared with redis-benchmark.
    func position(on testbed: Testbed, drivers: Int, repetitions: Int, name: String) throws -> BenchResult {
        var runs = BenchRuns()
        var ceilings: [Double] = []
        for repetition in 1...repetitions {
            progress("position at \(drivers) drivers, \(repetition) of \(repetitions)")
            // Updates per second if the commands of an update run one after the other, each at its measured rate.
            let ceiling = try 1 / Self.commands.reduce(0) { try $0 + 1 / rate(of: $1, testbed, keys: drivers) }
            let prefix = "\(testbed.prefix)\(name)\(repetition)."
            let throughput = try testbed.throughput(
                of: "position-worker", ["SIGHTLINE_REDIS_PREFIX": prefix], topic: .locations)
            runs.add(throughput, ceiling: ceiling)
            ceilings.append(ceiling)
        }
        var result = runs.result(name, ceiling: "redis-benchmark, the same commands per update")
        result.values["redis_benchmark_updates_per_second"] = ceilings.median?.rounded()
        let targetRatio = drivers >= 100_000 ? 0.85 : 5
        result.target = "at least \(targetRatio) of redis-benchmark"
        result.isReached = (result.ratio ?? 0) >= targetRatio
        return result
    }

    private func rate(of command: [String], _ testbed: Testbed, keys: Int) throws -> Double {
        guard let address = URLComponents(string: testbed.access.settings.redis.url.reveal()), let host = address.host
        else { throw InputError("REDIS_URL is not a URL.") }
        let output = try BenchTool.run(
            "redis-benchmark",
            [
                "-h", host, "-p", "\(address.port ?? 6379)", "--csv", "-c", "1", "-P", "512", "-n", "200000", "-r",
                "\(keys)",
            ] + command)
        let text = String(decoding: output, as: UTF8.self)
        // The last line has quoted values: "test","rps",…
        let cells = text.split(separator: "\n").last.map { $0.split(separator: "\",\"") } ?? []
        guard cells.count > 1, let rate = Double(cells[1].filter { $0 != "\"" }) else {
            throw InputError("redis-benchmark printed no rate; check that it is installed.")
        }
        return rate
    }
}

/// A temporary database with all migrations on the configured server.
final class BenchDatabase {
    let url: String
    private let name: String
    private let server: PostgresConfiguration

    init(_ settings: Settings) throws {
        server = settings.postgresConfiguration.forCommand("sightline-bench")
        name = "sightline_bench_\(UUID().uuidString.prefix(8).lowercased())"
        var parts = URLComponents(string: server.url)
        parts?.path = "/\(name)"
        guard let url = parts?.string else { throw InputError("POSTGRES_URL must be a postgresql:// URL.") }
        self.url = url
        try PostgresConnection(server).execute("CREATE DATABASE \(name)")
        try Migrator(connection: connect()).migrate { _ in }
    }

    /// Deletes all fixes and the sink's progress.
    func empty() throws {
        try connect().executeScript(
            "TRUNCATE location_history; TRUNCATE smoothed_locations; TRUNCATE sink_progress; CHECKPOINT;")
    }

    func rows(of table: String) throws -> Int64 {
        try connect().execute("SELECT count(*) FROM \(table)").first?.integer(0) ?? 0
    }

    func drop() throws {
        try PostgresConnection(server).execute("DROP DATABASE \(name) WITH (FORCE)")
    }

    /// Runs a command with psql and returns its duration in seconds.
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
