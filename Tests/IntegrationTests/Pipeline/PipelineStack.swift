import ChildProcesses
import Foundation
import TestSupport

/// Pipeline with its own worker processes, topic prefix, Redis prefix and database on the shared test services.
///
/// Prefixes and database have the same random name.
final class PipelineStack {
    let name: String
    let environment: [String: String]
    let logs: URL
    private(set) var workers: [Worker] = []

    struct Worker {
        let program: Program
        let port: Int
    }

    /// Creates a migrated database, and the topics.
    init(partitions: Int = 6) async throws {
        guard let kafka = TestServices.kafka, let redis = TestServices.redis, let postgres = TestServices.postgres
        else { throw Program.Failure(description: TestServices.hint) }
        name = "it\(UInt32.random(in: 0...(.max)))"
        logs = FileManager.default.temporaryDirectory.appendingPathComponent("sightline-\(name)")
        try FileManager.default.createDirectory(at: logs, withIntermediateDirectories: true)
        environment = [
            "KAFKA_BOOTSTRAP_SERVERS": kafka, "REDIS_URL": redis, "SIGHTLINE_TOPIC_PREFIX": "\(name).",
            "SIGHTLINE_REDIS_PREFIX": "\(name):", "POSTGRES_URL": try Self.database(name, of: postgres),
            "KAFKA_SESSION_TIMEOUT_MS": "6000", "LOG_FORMAT": "json", "SIGHTLINE_HTTP_HOST": "127.0.0.1",
            // 0 selects a free port, because several pipelines run at the same time.
            "SIGHTLINE_RIDER_PORT": "0", "SIGHTLINE_DRIVER_PORT": "0",
        ]
        try HistoryDatabase.createMigrated(name)
        try await sightline("topics", "create", "--partitions", String(partitions))
    }

    /// Runs `sightline` to its end and returns its output.
    @discardableResult
    func sightline(_ arguments: String..., extra: [String: String] = [:]) async throws -> String {
        try await Program.run("sightline", arguments, environment: environment.merging(extra) { $1 }, logs: logs)
    }

    /// Starts a worker and waits until it is ready.
    @discardableResult
    func start(_ name: String, extra: [String: String] = [:]) async throws -> Worker {
        let port = Int(try FreePort.find())
        var environment = environment.merging(extra) { $1 }
        environment["SIGHTLINE_HTTP_PORT"] = String(port)
        let worker = Worker(program: try Program(name, environment: environment, logs: logs), port: port)
        workers.append(worker)
        try await eventually("\(name) is ready; its log: \(worker.program.output.suffix(500))") {
            guard worker.program.isRunning else {
                throw Program.Failure(description: "\(name) stopped: \(worker.program.output.suffix(2000))")
            }
            return Loopback.get(port: UInt16(port), path: "/readyz")?.hasPrefix("{\"ready\":true") == true
        }
        return worker
    }

    func startAll(locationWorkers: Int = 1) async throws {
        for _ in 0..<locationWorkers { try await start("location-worker") }
        for name in ["eta-worker", "position-worker", "history-worker", "broadcast-worker"] { try await start(name) }
    }

    var metricsOptions: [String] { workers.map { "--metrics-url=http://127.0.0.1:\($0.port)" } }

    /// Ends all workers; their data stays in the services.
    func end() {
        for worker in workers { worker.program.end() }
    }

    /// Runs a query with psql and returns the rows as text, without header and alignment.
    @discardableResult
    func sql(_ query: String, on url: String? = nil) async throws -> String {
        guard let psql = Checkout.tool("psql") else { throw Program.Failure(description: "psql is not installed.") }
        let (code, output) = try Checkout.run(
            psql,
            [
                "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url ?? environment["POSTGRES_URL"] ?? "", "-c", query,
            ])
        guard code == 0 else { throw Program.Failure(description: "psql: \(output)") }
        return output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func database(_ name: String, of url: String) throws -> String {
        guard var components = URLComponents(string: url) else {
            throw Program.Failure(description: "SIGHTLINE_TEST_POSTGRES is not a URL: \(url)")
        }
        components.path = "/\(name)"
        return components.string ?? url
    }
}
