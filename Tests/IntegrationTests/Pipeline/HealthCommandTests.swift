import ChildProcesses
import Foundation
import TestSupport
import Testing

@Suite(
    "sightline health", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct HealthCommandTests {
    private func health(
        _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> (code: Int32, output: String) {
        let program = try Program(
            "sightline", ["health"] + arguments, environment: environment,
            logs: FileManager.default.temporaryDirectory)
        defer { program.discard() }
        let code = try await program.wait()
        return (code, program.output)
    }

    @Test("the command queries the worker at the port in the environment or at a URL, and prints the response")
    func runningWorker() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let worker = try await stack.start("location-worker")
        // In the container image, workers listen on all addresses.
        let environment = ["SIGHTLINE_HTTP_PORT": String(worker.port), "SIGHTLINE_HTTP_HOST": "0.0.0.0"]
        let alive = try await health([], environment)
        #expect(alive.code == 0, "\(alive.output)")
        #expect(alive.output.contains(#""alive":true,"program":"location-worker""#))
        let ready = try await health(["--ready"], environment)
        #expect(ready.code == 0 && ready.output.contains(#""ready":true"#), "\(ready.output)")
        let metrics = try await health(["--metrics"], environment)
        #expect(metrics.code == 0 && metrics.output.contains("\n# TYPE sightline_"), "\(metrics.output.prefix(500))")
        let byURL = try await health(["--url", "http://127.0.0.1:\(worker.port)"])
        #expect(byURL.code == 0, "\(byURL.output)")
    }

    @Test("a worker that waits for its broker is alive but not ready, and the reason is printed")
    func waitingWorker() async throws {
        let port = String(try FreePort.find())
        let environment = ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", "SIGHTLINE_HTTP_PORT": port]
        let worker = try Program("location-worker", environment: environment)
        defer { worker.discard() }
        try await eventually("the worker waits") { worker.output.contains("No broker answers") }
        let alive = try await health(["location-worker"], environment)
        #expect(alive.code == 0, "\(alive.output)")
        let ready = try await health(["--ready"], environment)
        #expect(ready.code == 1)
        #expect(ready.output.contains(#""ready":false,"reason":"#), "\(ready.output)")
    }

    @Test("without a worker, the command exits with 1 and prints the address")
    func missingWorker() async throws {
        let port = String(try FreePort.find())
        let result = try await health(["--ready"], ["SIGHTLINE_HTTP_PORT": port])
        #expect(result.code == 1)
        #expect(result.output.contains("http://127.0.0.1:\(port)/readyz does not respond"), "\(result.output)")
        // A worker name and a URL exclude each other.
        let both = try await health(["history-worker", "--url", "http://127.0.0.1:1"])
        #expect(both.code == 64, "\(both.output)")
    }

    @Test("without a worker name, URL or port, the command is a usage error; --help lists the options")
    func usage() async throws {
        let result = try await health([], ["SIGHTLINE_HTTP_PORT": ""])
        #expect(result.code == 64)
        #expect(result.output.contains("SIGHTLINE_HTTP_PORT"), "\(result.output)")
        let help = try await health(["--help"])
        #expect(help.code == 0)
        for word in ["--ready", "--metrics", "--url", "docker compose exec"] { #expect(help.output.contains(word)) }
    }
}
