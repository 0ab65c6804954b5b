import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite(
    "Start of a worker: invalid settings and missing services", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct WorkerStartTests {
    private func run(
        _ name: String, _ environment: [String: String], _ arguments: [String] = [], logs: URL
    ) async throws -> (code: Int32, output: String) {
        var environment = environment
        environment["SIGHTLINE_HTTP_PORT"] = "0"
        let program = try Program(name, arguments, environment: environment, logs: logs)
        defer { program.end() }
        let code = try await program.wait()
        return (code, program.output)
    }

    @Test(
        "a fatal signal is logged in one line and ends the process with that signal",
        arguments: [SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE, SIGTRAP], ["json", "text"])
    func fatalSignal(signal: Int32, format: String) async throws {
        let worker = try Program(
            "location-worker",
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "SIGHTLINE_HTTP_PORT": "0", "LOG_FORMAT": format,
                "SWIFT_BACKTRACE": "enable=no",
            ])
        defer { worker.discard() }
        try await eventually("the worker handles the signal") { worker.catches(signal: signal) }
        worker.send(signal: signal)
        #expect(try await worker.wait() == 128 + signal)
        let lines = worker.output.split(separator: "\n").filter { $0.contains("ends the process") }
        #expect(lines.count == 1 && lines[0].contains("critical") && lines[0].contains("SIG"), "\(worker.output)")
        if format == "json" {
            let line = try JSONSerialization.jsonObject(with: Data(try #require(lines.first).utf8))
            let members = try #require(line as? [String: String])
            #expect(members["logger"] == "location-worker" && members["level"] == "critical")
            let time = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(
                try #require(members["time"]))
            #expect(abs(time.timeIntervalSinceNow) < 600)
        }
    }

    @Test("an invalid value, a misspelt name and an invalid URL are all reported, without the password")
    func wrongSettings() async throws {
        let logs = FileManager.default.temporaryDirectory
        let result = try await run(
            "history-worker",
            [
                "KAFKA_SESSION_TIMEOUT_MS": "soon", "SIGHTLINE_TOPIC_PREFX": "a.",
                "POSTGRES_URL": "mysql://user:hunter2@host/db",
            ], logs: logs)
        #expect(result.code == 78)
        #expect(result.output.contains("KAFKA_SESSION_TIMEOUT_MS"))
        #expect(result.output.contains("SIGHTLINE_TOPIC_PREFIX"), "no suggestion for the misspelt name")
        #expect(result.output.contains("POSTGRES_URL"))
        #expect(!result.output.contains("hunter2"))
    }

    @Test(
        "--check-config prints the effective settings without passwords",
        arguments: ["location-worker", "history-worker"])
    func checkConfig(worker: String) async throws {
        let result = try await run(
            worker, ["POSTGRES_URL": "postgresql://user:hunter2@host/db", "LOG_LEVEL": "debug"], ["--check-config"],
            logs: FileManager.default.temporaryDirectory)
        #expect(result.code == 0)
        #expect(result.output.contains("LOG_LEVEL=debug"))
        #expect(!result.output.contains("hunter2"))
    }

    @Test("--check-config lists every KAFKA_… variable without secrets and validates them with the client library")
    func kafkaProperties() async throws {
        let logs = FileManager.default.temporaryDirectory
        let login = [
            "KAFKA_SECURITY_PROTOCOL": "SASL_PLAINTEXT", "KAFKA_SASL_USERNAME": "me", "KAFKA_SASL_PASSWORD": "hunter2",
        ]
        let good = try await run(
            "eta-worker", login.merging(["KAFKA_SOCKET_KEEPALIVE_ENABLE": "true"]) { $1 }, ["--check-config"],
            logs: logs)
        #expect(good.code == 0, "\(good.output)")
        for line in ["KAFKA_SASL_USERNAME=me\n", "KAFKA_SASL_PASSWORD=****\n", "KAFKA_SOCKET_KEEPALIVE_ENABLE=true\n"] {
            #expect(good.output.contains(line), "\(good.output)")
        }
        let bad = try await run(
            "eta-worker", login.merging(["KAFKA_SOCKET_KEEPALIVE_ENABL": "true"]) { $1 }, ["--check-config"], logs: logs
        )
        #expect(bad.code == 78, "\(bad.output)")
        #expect(bad.output.contains("(KAFKA_SOCKET_KEEPALIVE_ENABL) was rejected"), "\(bad.output)")
        #expect(!(good.output + bad.output).contains("hunter2"))
    }

    @Test("an HTTP port in use ends a worker before it connects to Kafka, and the error contains the setting")
    func portInUse() async throws {
        let stack = try await PipelineStack(partitions: 1)
        let port = try #require(TestServices.kafka?.split(separator: ":").last)
        let program = try Program(
            "location-worker", environment: stack.environment.merging(["SIGHTLINE_HTTP_PORT": String(port)]) { $1 },
            logs: stack.logs)
        defer { program.end() }
        #expect(try await program.wait() == 78, "\(program.output)")
        let words = "cannot listen on 127.0.0.1:\(port) (Address already in use). Set SIGHTLINE_HTTP_PORT"
        #expect(program.output.contains(words), "\(program.output)")
        #expect(!program.output.contains("client library loaded"), "\(program.output)")
    }

    @Test("missing topics end a worker with exit code 10, and the error contains the command that creates them")
    func missingTopics() async throws {
        let stack = try await PipelineStack(partitions: 1)
        let environment = stack.environment.merging(["SIGHTLINE_TOPIC_PREFIX": "nothing.\(stack.name)."]) { $1 }
        let result = try await run("location-worker", environment, logs: stack.logs)
        #expect(result.code == 10)
        #expect(result.output.contains("sightline topics create"))
    }

    @Test("a database without tables ends history-worker with exit code 17, and the error contains sightline migrate")
    func notMigrated() async throws {
        let stack = try await PipelineStack(partitions: 1)
        let empty = "\(stack.name)_empty"
        let postgres = try #require(TestServices.postgres)
        try await stack.sql("CREATE DATABASE \(empty)", on: postgres)
        let url = try #require(stack.environment["POSTGRES_URL"]).replacingOccurrences(of: stack.name, with: empty)
        let result = try await run(
            "history-worker", stack.environment.merging(["POSTGRES_URL": url]) { $1 }, logs: stack.logs)
        #expect(result.code == 17)
        #expect(result.output.contains("sightline migrate"))
    }

    @Test("a worker without a broker logs once that it waits, and stops on SIGTERM")
    func missingBroker() async throws {
        let logs = FileManager.default.temporaryDirectory
        let port = Int(try FreePort.find())
        let program = try Program(
            "location-worker",
            environment: [
                "KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "SIGHTLINE_HTTP_PORT": "\(port)", "LOG_FORMAT": "json",
            ],
            logs: logs)
        defer { program.end() }
        try await eventually("the worker logs that it waits") {
            program.output.contains("No broker answers")
        }
        let lines = program.output.split(separator: "\n")
        #expect(lines.filter { $0.contains("KAFKA_CLIENT_ID=") }.count == 1, "the settings are not logged in one line")
        // Messages of the client library are logged at level debug.
        let first = lines.first { !$0.contains(#""level":"info""#) && !$0.contains(#""level":"notice""#) }
        #expect(first?.contains("No broker answers") == true, "\(program.output)")
        #expect(program.isRunning)
        program.send(signal: SIGTERM)
        #expect(try await program.wait() == 0)
        #expect(program.output.components(separatedBy: "No broker answers; retrying").count == 2)
    }
}
