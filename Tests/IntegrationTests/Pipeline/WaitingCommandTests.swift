import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite(
    "Commands with --wait", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct WaitingCommandTests {
    private func start(_ arguments: [String], _ environment: [String: String]) throws -> Program {
        try Program("sightline", arguments, environment: environment)
    }

    @Test("topics create --wait creates the topics once a broker responds")
    func topicsCreate() async throws {
        let port = Int(try FreePort.find())
        let command = try start(
            ["topics", "create", "--wait", "300", "--partitions", "1"], ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:\(port)"]
        )
        defer { command.discard() }
        try await eventually("the command waits; output: \(command.output)") {
            guard command.isRunning else { throw Program.Failure(description: "The command ended: \(command.output)") }
            return command.output.contains("Retrying for up to 300 s")
        }
        let broker = try #require(Checkout.tool("tansu"))
        let kafka = try await TestServer(
            [
                broker.path, "broker", "--listener-url", "tcp://127.0.0.1:PORT", "--advertised-listener-url",
                "tcp://127.0.0.1:PORT", "--storage-engine", "memory://tansu/", "--silent",
            ], port: port)
        defer { kafka.end() }
        #expect(try await command.wait() == 0, "\(command.output)")
        #expect(command.output.contains("created driver.locations.raw"), "\(command.output)")
    }

    @Test("migrate --wait creates the tables once the database responds")
    func migrateWaits() async throws {
        let database = try HistoryDatabase(isMigrated: false)
        let port = Int(try FreePort.find())
        let command = try start(
            ["migrate", "--wait", "300"],
            ["POSTGRES_URL": try HistoryDatabase.address(database: database.name, port: port)])
        defer { command.discard() }
        try await eventually("the command waits; output: \(command.output)") {
            guard command.isRunning else { throw Program.Failure(description: "The command ended: \(command.output)") }
            return command.output.contains("Retrying for up to 300 s")
        }
        let proxy = try CuttingProxy(to: HistoryDatabase.endpoint(), limits: [], port: UInt16(port))
        defer { proxy.stop() }
        #expect(try await command.wait() == 0, "\(command.output)")
        #expect(try database.number("SELECT count(*) FROM schema_migrations") > 0)
    }

    @Test("the last error is printed after --wait seconds, or immediately without --wait")
    func waitTimeout() async throws {
        let unreachable = [
            "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "POSTGRES_URL": "postgresql://sightline@127.0.0.1:1/sightline",
        ]
        for (words, setting) in [(["topics", "create"], "KAFKA_BOOTSTRAP_SERVERS"), (["migrate"], "POSTGRES_URL")] {
            for wait in [[], ["--wait", "1"]] {
                let command = try start(words + wait, unreachable)
                defer { command.discard() }
                #expect(try await command.wait() == 1, "\(command.output)")
                #expect(command.output.contains(setting), "\(command.output)")
                // With --wait, "Retrying" may be missing, because one attempt may last longer than the whole wait.
                if wait.isEmpty { #expect(!command.output.contains("Retrying"), "\(command.output)") }
            }
        }
    }

    @Test("an invalid --wait or a permanent error ends the command immediately", arguments: ["-1", "soon"])
    func permanentErrors(wait: String) async throws {
        for words in [["topics", "create"], ["migrate"]] {
            let command = try start(words + ["--wait=\(wait)"], [:])
            defer { command.discard() }
            #expect(try await command.wait() == 64, "\(command.output)")
        }
        let database = try HistoryDatabase(isMigrated: false)
        let missing = try HistoryDatabase.address(database: "no_\(database.name)")
        let command = try start(["migrate", "--wait", "3600"], ["POSTGRES_URL": missing])
        defer { command.discard() }
        #expect(try await command.wait() == 1, "\(command.output)")
        #expect(command.output.contains("3D000"), "\(command.output)")
    }
}
