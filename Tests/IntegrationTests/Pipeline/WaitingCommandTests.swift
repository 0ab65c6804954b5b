import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite(
    "Commands that wait for their service", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct WaitingCommandTests {
    private func start(_ arguments: [String], _ environment: [String: String]) throws -> Program {
        try Program("sightline", arguments, environment: environment)
    }

    @Test("topics create --wait makes the topics as soon as a broker answers")
    func topics() async throws {
        let port = Int(try FreePort.take())
        let command = try start(
            ["topics", "create", "--wait", "300", "--partitions", "1"], ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:\(port)"]
        )
        defer { command.discard() }
        try await eventually("it says that it waits; it said: \(command.output)") {
            guard command.isRunning else { throw Program.Failure(description: "it ended: \(command.output)") }
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

    @Test("migrate --wait makes the tables as soon as the database answers")
    func migrate() async throws {
        let database = try HistoryDatabase(isMigrated: false)
        let port = Int(try FreePort.take())
        let command = try start(
            ["migrate", "--wait", "300"],
            ["POSTGRES_URL": try HistoryDatabase.address(database: database.name, port: port)])
        defer { command.discard() }
        try await eventually("it says that it waits; it said: \(command.output)") {
            guard command.isRunning else { throw Program.Failure(description: "it ended: \(command.output)") }
            return command.output.contains("Retrying for up to 300 s")
        }
        let proxy = try CuttingProxy(to: HistoryDatabase.endpoint(), limits: [], port: UInt16(port))
        defer { proxy.stop() }
        #expect(try await command.wait() == 0, "\(command.output)")
        #expect(try database.number("SELECT count(*) FROM schema_migrations") > 0)
    }

    @Test("at the end of the time the last error is printed; without --wait it is printed at once")
    func givesUp() async throws {
        let nowhere = [
            "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "POSTGRES_URL": "postgresql://sightline@127.0.0.1:1/sightline",
        ]
        for (words, fix) in [(["topics", "create"], "KAFKA_BOOTSTRAP_SERVERS"), (["migrate"], "POSTGRES_URL")] {
            for wait in [[], ["--wait", "1"]] {
                let command = try start(words + wait, nowhere)
                defer { command.discard() }
                #expect(try await command.wait() == 1, "\(command.output)")
                #expect(command.output.contains(fix), "\(command.output)")
                // One attempt may take longer than the whole wait: then there is nothing to say before the end.
                if wait.isEmpty { #expect(!command.output.contains("Waiting"), "\(command.output)") }
            }
        }
    }

    @Test("what waiting does not mend ends the command at once", arguments: ["-1", "soon"])
    func refused(wait: String) async throws {
        for words in [["topics", "create"], ["migrate"]] {
            let command = try start(words + ["--wait=\(wait)"], [:])
            defer { command.discard() }
            #expect(try await command.wait() == 64, "\(command.output)")
        }
        let database = try HistoryDatabase(isMigrated: false)
        let stranger = try HistoryDatabase.address(database: "no_\(database.name)")
        let command = try start(["migrate", "--wait", "3600"], ["POSTGRES_URL": stranger])
        defer { command.discard() }
        #expect(try await command.wait() == 1, "\(command.output)")
        #expect(command.output.contains("3D000"), "\(command.output)")
    }
}
