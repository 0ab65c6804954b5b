import Foundation
import TestSupport
import Testing

@Suite("Secrets", .blocking, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct SecretLeakTests {
    private static let secret = "hunter2"

    /// Logins everywhere, at addresses where no server listens.
    private static let refusing = [
        "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT",
        "KAFKA_SASL_USERNAME": "worker", "KAFKA_SASL_PASSWORD": secret,
        "REDIS_URL": "redis://worker:\(secret)@127.0.0.1:1",
        "POSTGRES_URL": "postgresql://worker:\(secret)@127.0.0.1:1/sightline", "KAFKA_DEBUG": "all",
        "SIGHTLINE_HTTP_PORT": "0", "LOG_LEVEL": "trace", "SIGHTLINE_RIDER_PORT": "0",
        "SIGHTLINE_DRIVER_PORT": "0",
        "SIGHTLINE_TOKEN_SECRET": "\(secret) at least as long as it has to be",
    ]

    @Test(
        "no worker or gateway says a secret, neither while it waits nor in its log of settings nor in its help",
        arguments: [
            "location-worker", "eta-worker", "position-worker", "history-worker", "broadcast-worker", "rider-gateway",
            "driver-gateway",
        ])
    func workers(name: String) async throws {
        let logs = FileManager.default.temporaryDirectory
        let worker = try Program(name, environment: Self.refusing, logs: logs)
        defer { worker.discard() }
        try await eventually("\(name) says that it waits") { worker.output.contains("No broker answers") }
        worker.send(signal: SIGTERM)
        _ = try await worker.wait()
        #expect(worker.output.contains("KAFKA_SASL_PASSWORD=****"))
        #expect(!worker.output.contains(Self.secret))
        for option in ["--help", "--check-config"] {
            let output = try await Program.run(name, [option], environment: Self.refusing, logs: logs)
            #expect(!output.contains(Self.secret))
        }
    }

    @Test(
        "a worker whose store is away or refuses the login does not say its password",
        arguments: ["REDIS_URL", "POSTGRES_URL"])
    func stores(setting: String) async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let name = setting == "REDIS_URL" ? "position-worker" : "history-worker"
        let away = try #require(Self.refusing[setting])
        let known = try #require(setting == "REDIS_URL" ? TestServices.redis : TestServices.postgres)
        var stranger = try #require(URLComponents(string: known))
        stranger.user = "stranger"
        stranger.password = Self.secret
        for url in [away, try #require(stranger.string)] {
            let environment = [setting: url, "SIGHTLINE_HTTP_PORT": "0", "LOG_LEVEL": "trace"]
            let worker = try Program(
                name, environment: stack.environment.merging(environment) { $1 }, logs: stack.logs)
            defer { worker.discard() }
            try await eventually("\(name) says what is wrong: \(worker.output)") {
                worker.output.contains("\"level\":\"warning\"") || worker.output.contains("\"level\":\"critical\"")
            }
            #expect(!worker.output.contains(Self.secret), "\(worker.output)")
        }
    }

    @Test(
        "no command says a secret when a service refuses",
        arguments: [["topics", "list"], ["migrate"], ["history", "warnings"], ["migrate", "--help"]])
    func commands(words: [String]) async throws {
        let program = try Program(
            "sightline", words, environment: Self.refusing, logs: FileManager.default.temporaryDirectory)
        defer { program.discard() }
        _ = try await program.wait()
        #expect(!program.output.isEmpty)
        #expect(!program.output.contains(Self.secret))
    }

    @Test("a password on the command line, where everybody can read it, is refused and not repeated")
    func commandLine() async throws {
        let program = try Program(
            "sightline", ["migrate", "--postgres-url", "postgresql://u:\(Self.secret)@127.0.0.1:1/d"], environment: [:],
            logs: FileManager.default.temporaryDirectory)
        defer { program.discard() }
        #expect(try await program.wait() == 64)
        #expect(program.output.contains("POSTGRES_URL_FILE"))
        #expect(!program.output.contains(Self.secret))
    }
}
