import Foundation
import TestSupport
import Testing

@Suite(
    "Commands in the README", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct ReadmeTests {
    /// Returns the fenced blocks of `language` that contain `text`.
    private func blocks(_ language: String, containing text: String) throws -> [String] {
        let readme = try Checkout.text("README.md")
        return readme.components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { $0.contains(text) }
    }

    /// Runs a block in a shell in the checkout, with the executables of this build.
    private func run(_ block: String, in stack: PipelineStack) throws -> (code: Int32, output: String) {
        // The test's stack replaces deploy/local/stack.
        let skipped = ["deploy/local/stack"]
        let lines = block.split(separator: "\n").filter { line in !skipped.contains { line.hasPrefix($0) } }
        var environment = ProcessInfo.processInfo.environment.merging(stack.environment) { $1 }
        environment["PATH"] = "\(Program.folder.path):\(environment["PATH"] ?? "/usr/bin:/bin")"
        environment["SIGHTLINE_LOCAL_BIN"] = Program.folder.path
        environment["SIGHTLINE_LOCAL_DIR"] = stack.logs.path
        // deploy/local/workers chooses a port for each worker.
        environment["SIGHTLINE_HTTP_PORT"] = nil
        return try Checkout.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["bash", "-euxo", "pipefail", "-c", lines.joined(separator: "\n")],
            environment: environment)
    }

    @Test("the commands for a first location and the history queries work as written")
    func commandsWork() async throws {
        let stack = try await PipelineStack()
        defer { stack.end() }
        let block = try #require(try blocks("sh", containing: "replay Examples/commute.csv").first)
        let result = try run(block, in: stack)
        #expect(result.code == 0, "\(result.output.suffix(3000))")
        // "accepted" is not in the commands, which `bash -x` prints.
        #expect(result.output.contains("accepted"), "\(result.output.suffix(3000))")
        #expect(try await stack.sql("SELECT count(*) FROM location_history WHERE verdict = 'accepted'") == "227")
        #expect(
            try await stack.sql("SELECT count(*) FROM driver_track('commuter', now() - interval '1 hour', now())")
                == "227")
        let queries = try #require(try blocks("sql", containing: "trip_path").first)
        for query in queries.split(separator: "\n") { try await stack.sql(String(query)) }
    }

    @Test("the offline command accepts all fixes of the example")
    func offlineWorks() async throws {
        let stack = try await PipelineStack()
        let block = try #require(try blocks("sh", containing: "sl process").first)
        let file = stack.logs.appendingPathComponent("verdicts.ndjson").path
        let result = try run(block.replacingOccurrences(of: "verdicts.ndjson", with: file), in: stack)
        #expect(result.code == 0, "\(result.output)")
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 227)
        #expect(lines.allSatisfy { $0.contains("\"verdict\":\"accepted\"") })
    }

    @Test("the offline command for a ride writes arrival times and rider updates, and reports their accuracy")
    func rideWorks() async throws {
        let stack = try await PipelineStack()
        let block = try #require(try blocks("sh", containing: "--input Examples/ride.csv").first)
        let folder = stack.logs.path
        let result = try run(block.replacing(/(\w+\.ndjson)/) { "\(folder)/\($0.1)" }, in: stack)
        #expect(result.code == 0, "\(result.output)")
        for text in ["Smoothing: RMSE ", "Arrival times: ", " 0 left out"] {
            #expect(result.output.contains(text), "\(result.output)")
        }
        for name in ["verdicts", "etas", "updates"] {
            #expect(try !String(contentsOfFile: "\(folder)/\(name).ndjson", encoding: .utf8).isEmpty)
        }
    }
}
