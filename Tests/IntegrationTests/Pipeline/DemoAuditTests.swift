import Foundation
import TestSupport
import Testing

@Suite(
    "Report of a demo", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DemoAuditTests {
    private func demo(
        _ stack: PipelineStack, _ options: [String], extra: [String: String] = [:], expecting expected: Int32
    ) async throws -> String {
        let program = try Program(
            "sightline", ["demo", "--drivers", "30"] + options, environment: stack.environment.merging(extra) { $1 },
            logs: stack.logs)
        defer { program.end() }
        let code = try await program.wait()
        #expect(code == expected, "\(program.output)")
        return program.output
    }

    @Test("reports of later runs in the same stack cover only those runs", .nightly)
    func laterRuns() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        try await stack.startAll()
        let first = try await demo(stack, ["--seconds", "10", "--seed", "3"], expecting: 0)
        #expect(
            first.contains("latency") && first.contains("cheaters caught")
                && first.contains("Audit of this run in 2 partitions"))
        try await stack.sql("DELETE FROM location_history")
        // With seed 3, the drivers have the same ids as in the first run, and the workers still have their state.
        for seed in ["3", "4"] {
            let later = try await demo(stack, ["--seconds", "8", "--seed", seed], expecting: 0)
            #expect(later.contains("No differences."), "\(later)")
        }
        await #expect(throws: Program.Failure.self) { try await stack.sightline("audit") }
    }

    @Test("a worker that is not running is a difference in the report")
    func missingWorker() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        for name in ["location-worker", "eta-worker", "position-worker", "broadcast-worker"] {
            try await stack.start(name)
        }
        let output = try await demo(stack, ["--seconds", "5", "--patience", "5"], expecting: 1)
        #expect(output.contains("history-worker has"), "\(output)")
    }

    @Test("a demo without Redis ends at its start with exit code 2 and an error about Redis")
    func noRedis() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let output = try await demo(
            stack, ["--seconds", "600"], extra: ["REDIS_URL": "redis://127.0.0.1:1/0"], expecting: 2)
        #expect(output.contains("Redis"), "\(output)")
    }
}
