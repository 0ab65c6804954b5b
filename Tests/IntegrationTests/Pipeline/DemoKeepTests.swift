import Foundation
import TestSupport
import Testing

/// Demo with its own services, as `deploy/demo --keep` starts it after the build.
@Suite(
    "Demo with --keep", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DemoKeepTests {
    private let environment: [String: String]
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "sightline-keep\(UInt32.random(in: 0...(.max)))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        environment = ProcessInfo.processInfo.environment.merging([
            "SIGHTLINE_LOCAL_BIN": Program.folder.path, "SIGHTLINE_LOCAL_DIR": folder.path,
        ]) { $1 }
    }

    private func shell(_ command: String) throws -> (code: Int32, output: String) {
        // A new terminal does not have the demo's environment.
        var plain = ProcessInfo.processInfo.environment
        let demoVariables = ["KAFKA_BOOTSTRAP_SERVERS", "REDIS_URL", "POSTGRES_URL", "SIGHTLINE_LOCAL_DIR"]
        for name in demoVariables { plain[name] = nil }
        plain["SIGHTLINE_LOCAL_BIN"] = Program.folder.path
        return try Checkout.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["bash", "-euo", "pipefail", "-c", command], environment: plain)
    }

    /// Starts a demo, runs the commands and requests the addresses that it prints, and returns the demo's exit code.
    private func runPrintedCommands(_ options: [String], commands expected: Int) async throws -> Int32 {
        defer { try? FileManager.default.removeItem(at: folder) }
        let pipeline = Checkout.root.appendingPathComponent("deploy/local/pipeline").path
        let demo = try Program(
            "stack", ["run", "--fast", "--", pipeline, "--keep"] + options,
            executable: Checkout.root.appendingPathComponent("deploy/local/stack"), environment: environment)
        defer { demo.discard() }
        try await eventually("the demo has printed its report; output: \(demo.output.suffix(3000))", within: 240) {
            guard demo.isRunning else { throw Program.Failure(description: "The demo ended: \(demo.output)") }
            return demo.output.contains("To stop: ")
        }
        let lines = demo.output.components(separatedBy: "\n")
        #expect(lines.contains("No differences."), "\(demo.output.suffix(3000))")
        let commands = zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("  # ") }.map(\.1)
        #expect(commands.count == expected)
        for command in commands {
            let result = try shell(command)
            #expect(result.code == 0 && result.output.split(separator: "\n").count >= 1, "\(command): \(result.output)")
        }
        let addresses = lines.filter { $0.hasPrefix("  http://") && $0.hasSuffix("/metrics") }
        #expect(addresses.count == 5)
        for address in addresses {
            let url = address.dropFirst(2).dropLast("/metrics".count)
            let pages = try shell("curl -fsS \(url)/metrics \(url)/healthz \(url)/readyz")
            #expect(pages.code == 0 && pages.output.contains("sightline_partitions_assigned"), "\(pages.output)")
        }
        #expect(demo.isRunning, "the demo ended during the commands")
        let end = try #require(lines.first { $0.hasPrefix("To stop: ") })
        let stop = try #require(end.firstMatch(of: /or (.*deploy\/demo --stop) in another terminal/)?.1)
        let stopped = try shell(String(stop))
        #expect(stopped.code == 0 && stopped.output.contains("Stopped."), "\(stopped.output)")
        let code = try await demo.wait()
        let secondStop = try shell(String(stop))
        #expect(secondStop.code == 0 && secondStop.output.contains("no demo is running"), "\(secondStop.output)")
        return code
    }

    @Test("after a simulation, the fleet continues, and all printed commands work")
    func simulatedFleet() async throws {
        #expect(try await runPrintedCommands(["--seconds", "10", "--drivers", "30"], commands: 5) == 0)
    }

    @Test("after a recording, the workers continue, and all printed commands work")
    func replayedRecording() async throws {
        let file = Checkout.root.appendingPathComponent("Examples/commute.csv").path
        #expect(try await runPrintedCommands(["--input", file], commands: 5) == 0)
    }
}
