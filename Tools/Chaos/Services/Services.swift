import ChildProcesses
import Foundation
import TestSupport

/// The local stack as the workers see it: through doors that faults can shut, and the means to restart what is behind.
final class Services {
    /// How long a worker may be silent before its partitions go to others.
    let sessionTimeoutSeconds: Double
    let kafka: Proxy
    let redis: Proxy
    let postgres: Proxy
    /// Whether the broker is one that the suite did not start, whose topics outlive the suite.
    let usesOtherCluster: Bool
    /// Stops and starts a broker that keeps its data; `nil` when none was named.
    let brokerRestartCommand: String?
    /// The folder of another build's programs, for a rolling upgrade; `nil` when none was named.
    let otherBuild: String?
    private let redisPort: UInt16
    private let postgresPort: UInt16
    /// The stack's own address, which names the file with the password.
    private let postgresAddress: URLComponents
    private let directory: String
    private var copy: ChildProcess?

    /// - Throws: ``ChaosError`` when this does not run inside `deploy/local/stack run`.
    init(sessionTimeoutSeconds: Double) throws {
        self.sessionTimeoutSeconds = sessionTimeoutSeconds
        let environment = ProcessInfo.processInfo.environment
        func port(_ variable: String) throws -> UInt16 {
            let text = environment[variable] ?? ""
            guard let port = URLComponents(string: text.contains("://") ? text : "tcp://\(text)")?.port,
                let number = UInt16(exactly: port)
            else { throw ChaosError("\(variable) names no port; run this by deploy/test chaos or deploy/soak.") }
            return number
        }
        redisPort = try port("REDIS_URL")
        postgresPort = try port("POSTGRES_URL")
        guard let address = URLComponents(string: environment["POSTGRES_URL"] ?? "") else {
            throw ChaosError("POSTGRES_URL is no URL; run this by deploy/test chaos or deploy/soak.")
        }
        postgresAddress = address
        directory = environment["SIGHTLINE_LOCAL_DIR"] ?? ""
        usesOtherCluster = environment["CHAOS_KAFKA_BOOTSTRAP_SERVERS"] != nil
        brokerRestartCommand = environment["CHAOS_BROKER_RESTART_COMMAND"]
        otherBuild = environment["CHAOS_OTHER_BUILD"]
        // The broker tells its clients an address, so that of its door has to be known when it starts.
        guard let advertised = UInt16(environment["CHAOS_BROKER_PORT"] ?? "") else {
            throw ChaosError("CHAOS_BROKER_PORT names no port; deploy/test chaos and deploy/soak set it.")
        }
        kafka = try Proxy("the broker", port: advertised, server: port("KAFKA_BOOTSTRAP_SERVERS"), readsRequests: true)
        redis = try Proxy("Redis", server: redisPort)
        postgres = try Proxy("Postgres", server: postgresPort)
    }

    deinit { endCopy() }

    /// The settings of a pipeline of its own, named `name`, that reaches everything through the doors.
    func environment(named name: String) -> [String: String] {
        [
            "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:\(kafka.port)", "SIGHTLINE_TOPIC_PREFIX": "\(name).",
            "REDIS_URL": "redis://127.0.0.1:\(redis.port)/0", "SIGHTLINE_REDIS_PREFIX": "\(name):",
            "POSTGRES_URL": url(port: postgres.port, database: name), "LOG_FORMAT": "json",
            "KAFKA_SESSION_TIMEOUT_MS": String(Int(sessionTimeoutSeconds * 1000)),
        ]
    }

    /// Answers a query with psql, past the door.
    @discardableResult
    func sql(_ query: String, database: String) throws -> String {
        try ChaosPrograms.command(psql(query, port: postgresPort, database: database))
    }

    /// Begins a query and leaves it to itself; for locks that are held a while.
    func beginSQL(_ query: String, database: String) throws -> ChildProcess {
        try ChildProcess("/usr/bin/env", psql(query, port: postgresPort, database: database))
    }

    /// The keys in Redis that match a pattern, past the door.
    func redisKeys(_ pattern: String) throws -> [String] {
        try ChaosPrograms.command(["redis-cli", "-p", String(redisPort), "--scan", "--pattern", pattern])
            .split(separator: "\n").map(String.init)
    }

    func restartPostgres() throws { try ChaosPrograms.command(["deploy/local/stack", "restart", "postgres"]) }

    /// Restarts Redis with what it held a moment ago, or with nothing.
    func restartRedis(keepingData: Bool) throws {
        if keepingData { try ChaosPrograms.command(["redis-cli", "-p", String(redisPort), "SAVE"]) }
        if !keepingData { try? FileManager.default.removeItem(atPath: "\(directory)/redis/dump.rdb") }
        try ChaosPrograms.command(["deploy/local/stack", "restart", "redis"])
        try? FileManager.default.removeItem(atPath: "\(directory)/redis/dump.rdb")
    }

    /// Copies Postgres as it is now, ready to take over.
    /// - Returns: the copy's port.
    func copyPostgres(database: String) throws -> UInt16 {
        endCopy()
        let port = try FreePort.take()
        let process = try ChildProcess(
            "\(ChaosPrograms.root)/deploy/local/postgres-copy", [String(port), copyFolder],
            output: .file("\(directory)/log/postgres-copy.log"))
        copy = process
        let began = ContinuousClock.now
        while (try? ChaosPrograms.command(psql("SELECT 1", port: port, database: database))) != "1" {
            guard process.isRunning, began.seconds < 60 else {
                throw ChaosError("The copy of Postgres does not start; see \(directory)/log/postgres-copy.log")
            }
            Thread.pause(seconds: 0.1)
        }
        return port
    }

    /// Everything as it was: doors open, the stack's own Postgres behind them.
    func heal() {
        for door in [kafka, redis, postgres] { door.set(.open) }
        kafka.refuse(nil)
        postgres.cutInMidst(count: 0)
        guard copy != nil else { return }
        postgres.lead(to: postgresPort)
        endCopy()
    }

    private func endCopy() {
        guard let copy else { return }
        copy.send(SIGINT)
        copy.wait()
        try? FileManager.default.removeItem(atPath: copyFolder)
        self.copy = nil
    }

    // Not below the stack's folder: the user that Postgres runs as may not be able to enter it.
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
