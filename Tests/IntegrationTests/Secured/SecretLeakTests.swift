import Foundation
import TestSupport
import Testing

@Suite(
    "Secrets in logs and output", .blocking, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct SecretLeakTests {
    private static let secret = "hunter2"

    /// Settings with secrets and with addresses at which no server listens.
    private static let unreachable = [
        "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
        "KAFKA_SASL_USERNAME": "worker", "KAFKA_SASL_PASSWORD": secret,
        "REDIS_URL": "redis://worker:\(secret)@127.0.0.1:1",
        "POSTGRES_URL": "postgresql://worker:\(secret)@127.0.0.1:1/sightline", "KAFKA_DEBUG": "all",
        "SIGHTLINE_HTTP_PORT": "0", "LOG_LEVEL": "trace", "SIGHTLINE_RIDER_PORT": "0",
        "SIGHTLINE_DRIVER_PORT": "0",
        "SIGHTLINE_TOKEN_SECRET": "\(secret) at least as long as it has to be",
    ]

    @Test(
        "workers and gateways print no secret in the log, and none with --check-config or --help",
        arguments: [
            "location-worker", "eta-worker", "position-worker", "history-worker", "broadcast-worker", "push-worker",
            "rider-gateway", "driver-gateway",
        ])
    func workerOutput(name: String) async throws {
        let logs = FileManager.default.temporaryDirectory
        let worker = try Program(name, environment: Self.unreachable, logs: logs)
        defer { worker.discard() }
        try await eventually("\(name) logs that it waits") { worker.output.contains("No broker answers") }
        worker.send(signal: SIGTERM)
        _ = try await worker.wait()
        #expect(worker.output.contains("KAFKA_SASL_PASSWORD=****"))
        #expect(!worker.output.contains(Self.secret))
        for option in ["--help", "--check-config"] {
            let output = try await Program.run(name, [option], environment: Self.unreachable, logs: logs)
            #expect(!output.contains(Self.secret))
        }
    }

    @Test(
        "a worker whose store is unavailable or rejects the login does not log the password",
        arguments: ["REDIS_URL", "POSTGRES_URL"])
    func storeErrors(setting: String) async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let name = setting == "REDIS_URL" ? "position-worker" : "history-worker"
        let missing = try #require(Self.unreachable[setting])
        let reachable = try #require(setting == "REDIS_URL" ? TestServices.redis : TestServices.postgres)
        var wrongLogin = try #require(URLComponents(string: reachable))
        wrongLogin.user = "stranger"
        wrongLogin.password = Self.secret
        for url in [missing, try #require(wrongLogin.string)] {
            let environment = [setting: url, "SIGHTLINE_HTTP_PORT": "0", "LOG_LEVEL": "trace"]
            let worker = try Program(
                name, environment: stack.environment.merging(environment) { $1 }, logs: stack.logs)
            defer { worker.discard() }
            try await eventually("\(name) logs the error; output: \(worker.output)") {
                worker.output.contains("\"level\":\"warning\"") || worker.output.contains("\"level\":\"critical\"")
            }
            #expect(!worker.output.contains(Self.secret), "\(worker.output)")
        }
    }

    @Test(
        "no command prints a secret when its service is unavailable",
        arguments: [["topics", "list"], ["migrate"], ["history", "warnings"], ["migrate", "--help"]])
    func commandOutput(words: [String]) async throws {
        let program = try Program(
            "sightline", words, environment: Self.unreachable, logs: FileManager.default.temporaryDirectory)
        defer { program.discard() }
        _ = try await program.wait()
        #expect(!program.output.isEmpty)
        #expect(!program.output.contains(Self.secret))
    }

    @Test("a password on the command line is a usage error and not printed")
    func commandLinePassword() async throws {
        let program = try Program(
            "sightline", ["migrate", "--postgres-url", "postgresql://u:\(Self.secret)@127.0.0.1:1/d"], environment: [:],
            logs: FileManager.default.temporaryDirectory)
        defer { program.discard() }
        #expect(try await program.wait() == 64)
        #expect(program.output.contains("POSTGRES_URL_FILE"))
        #expect(!program.output.contains(Self.secret))
    }
}
