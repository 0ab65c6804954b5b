import ChildProcesses
import Foundation
import TestSupport

/// The local stack behind proxies, and the commands that restart its services.
final class Services {
    let sessionTimeoutSeconds: Double
    let kafka: Proxy
    let redis: Proxy
    let postgres: Proxy
    /// Whether the suite uses a cluster that it did not start, so that it must delete the topics of a run.
    let usesOtherCluster: Bool
    /// Shell command that restarts a broker without losing its data; `nil` if not configured.
    let brokerRestartCommand: String?
    private let redisPort: UInt16
    private let postgresPort: UInt16
    /// URL of the stack's Postgres, with the path of the password file.
    private let postgresAddress: URLComponents
    /// Folder of the local stack, with its logs.
    let directory: String
    private var copy: ChildProcess?

    /// - Throws: ``ChaosError`` if the environment is not that of `deploy/test chaos` or `deploy/soak`.
    init(sessionTimeoutSeconds: Double) throws {
        self.sessionTimeoutSeconds = sessionTimeoutSeconds
        let environment = ProcessInfo.processInfo.environment
        func port(_ variable: String) throws -> UInt16 {
            let text = environment[variable] ?? ""
            guard let port = URLComponents(string: text.contains("://") ? text : "tcp://\(text)")?.port,
                let number = UInt16(exactly: port)
            else { throw ChaosError("\(variable) has no port. Run the suite with deploy/test chaos or deploy/soak.") }
            return number
        }
        redisPort = try port("REDIS_URL")
        postgresPort = try port("POSTGRES_URL")
        guard let address = URLComponents(string: environment["POSTGRES_URL"] ?? "") else {
            throw ChaosError("POSTGRES_URL is not a URL. Run the suite with deploy/test chaos or deploy/soak.")
        }
        postgresAddress = address
        guard let folder = environment["SIGHTLINE_LOCAL_DIR"], !folder.isEmpty else {
            throw ChaosError("SIGHTLINE_LOCAL_DIR is not set. Run the suite with deploy/test chaos or deploy/soak.")
        }
        directory = folder
        usesOtherCluster = environment["CHAOS_KAFKA_BOOTSTRAP_SERVERS"] != nil
        brokerRestartCommand = environment["CHAOS_BROKER_RESTART_COMMAND"]
        // The broker advertises this port, so it must be known before the broker starts.
        guard let advertised = UInt16(environment["CHAOS_BROKER_PORT"] ?? "") else {
            throw ChaosError("CHAOS_BROKER_PORT is not a port. Run the suite with deploy/test chaos or deploy/soak.")
        }
        kafka = try Proxy("the broker", port: advertised, server: port("KAFKA_BOOTSTRAP_SERVERS"), readsRequests: true)
        redis = try Proxy("Redis", server: redisPort)
        postgres = try Proxy("Postgres", server: postgresPort)
    }

    deinit { endCopy() }

    /// Returns the settings of the pipeline `name`, which connects through the proxies.
    func environment(named name: String) -> [String: String] {
        [
            "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:\(kafka.port)", "SIGHTLINE_TOPIC_PREFIX": "\(name).",
            "REDIS_URL": "redis://127.0.0.1:\(redis.port)/0", "SIGHTLINE_REDIS_PREFIX": "\(name):",
            "POSTGRES_URL": url(port: postgres.port, database: name), "LOG_FORMAT": "json",
            "KAFKA_SESSION_TIMEOUT_MS": String(Int(sessionTimeoutSeconds * 1000)),
        ]
    }

    /// Runs a query with psql, without the proxy.
    @discardableResult
    func sql(_ query: String, database: String) throws -> String {
        try ChaosPrograms.command(psql(query, port: postgresPort, database: database))
    }

    /// Starts a query in the background.
    func startSQL(_ query: String, database: String) throws -> ChildProcess {
        try ChildProcess("/usr/bin/env", psql(query, port: postgresPort, database: database))
    }

    /// Returns the Redis keys that match a pattern; does not use the proxy.
    func redisKeys(_ pattern: String) throws -> [String] {
        try ChaosPrograms.command(["redis-cli", "-p", String(redisPort), "--scan", "--pattern", pattern])
            .split(separator: "\n").map(String.init)
    }

    func restartPostgres() throws { try ChaosPrograms.command(["deploy/local/stack", "restart", "postgres"]) }

    /// Restarts Redis, with its current data or empty.
    func restartRedis(keepingData: Bool) throws {
        if keepingData { try ChaosPrograms.command(["redis-cli", "-p", String(redisPort), "SAVE"]) }
        if !keepingData { try? FileManager.default.removeItem(atPath: "\(directory)/redis/dump.rdb") }
        try ChaosPrograms.command(["deploy/local/stack", "restart", "redis"])
        try? FileManager.default.removeItem(atPath: "\(directory)/redis/dump.rdb")
    }

    /// Starts a copy of Postgres with its current data, and returns the port of the copy.
    func copyPostgres(database: String) throws -> UInt16 {
        endCopy()
        let port = try FreePort.find()
        let process = try ChildProcess(
            "\(ChaosPrograms.root)/deploy/local/postgres-copy", [String(port), copyFolder],
            output: .file("\(directory)/log/postgres-copy.log"))
        copy = process
        let began = ContinuousClock.now
        while (try? ChaosPrograms.command(psql("SELECT 1", port: port, database: database))) != "1" {
            guard process.isRunning, began.elapsedSeconds < 60 else {
                throw ChaosError("The copy of Postgres did not start; see \(directory)/log/postgres-copy.log")
            }
            Thread.pause(seconds: 0.1)
        }
        return port
    }

    /// Removes all faults: opens the proxies and redirects Postgres to the stack's server.
    func reset() {
        for proxy in [kafka, redis, postgres] { proxy.set(.open) }
        kafka.refuse(nil)
        postgres.cutLargeSends(count: 0)
        guard copy != nil else { return }
        postgres.redirect(to: postgresPort)
        endCopy()
    }

    private func endCopy() {
        guard let copy else { return }
        copy.send(SIGINT)
        copy.wait()
        try? FileManager.default.removeItem(atPath: copyFolder)
        self.copy = nil
    }

    // Outside the stack's folder, which the system user of Postgres may not be able to access.
    private let copyFolder = FileManager.default.temporaryDirectory
        .appendingPathComponent("sightline-postgres-copy-\(UUID().uuidString.prefix(8))").path

    private func psql(_ query: String, port: UInt16, database: String) -> [String] {
        [
            "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url(port: port, database: database), "-c",
            query,
        ]
    }

    private func url(port: UInt16, database: String) -> String {
        var address = postgresAddress
        address.port = Int(port)
        address.path = "/\(database)"
        address.queryItems = (address.queryItems ?? []) + [URLQueryItem(name: "connect_timeout", value: "3")]
        return address.string ?? ""
    }
}
