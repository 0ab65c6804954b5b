import Foundation
import Kafka
import SightlineCLI
import TestSupport
import Testing

@Suite(
    "Topics deleted while workers run", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DeletedTopicTests {
    @Test("if topics are deleted, sinks log a missing topic and continue; other workers may end with an error")
    func deletedAndRecreatedTopics() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        try await stack.startAll()
        try await stack.start("push-worker", extra: ["SIGHTLINE_PUSH_MODE": "dry-run"])
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "3")
        try await eventually("the history has rows") { try await rows(stack) > 0 }
        let admin = try KafkaAdmin(stack.kafka) { _ in }
        _ = try admin.delete(["driver.warnings", "rider.updates"].map { "\(stack.name).\($0)" })
        let sinks = stack.workers.filter {
            ["history-worker", "position-worker", "push-worker"].contains($0.program.name)
        }
        // Before this log line, each sink receives a response that once crashed the process with SIGSEGV.
        try await eventually("each sink logs a missing topic") {
            for sink in sinks { try #require(sink.program.isRunning, "\(sink.program.output.suffix(2000))") }
            return sinks.allSatisfy { $0.program.output.contains("A consumed topic does not exist") }
        }
        let before = try await rows(stack)
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "4")
        try await eventually("the history continues with its other topics") { try await rows(stack) > before }
        try await stack.sightline("topics", "create", "--partitions", "2")
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "5")
        #expect(sinks.count == 3 && sinks.allSatisfy(\.program.isRunning))
        for worker in stack.workers {
            let output = worker.program.output
            #expect(!output.contains("ends the process"), "\(output.suffix(2000))")
            #expect(worker.program.isRunning || output.contains("Worker failed."), "\(output.suffix(2000))")
        }
    }

    private func rows(_ stack: PipelineStack) async throws -> Int {
        Int(try await stack.sql("SELECT count(*) FROM location_history")) ?? -1
    }
}
