import Foundation
import Kafka
import TestSupport
import Testing

@Suite(
    "Topics that are deleted while they are read", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct DeletedTopicTests {
    @Test("no process that reads them ends by a signal, and sinks go on with their other topics")
    func createdAgain() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        try await stack.startAll()
        let push = try await stack.start("push-worker", extra: ["SIGHTLINE_PUSH_MODE": "dry-run"])
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "3")
        try await eventually("the history has rows") { try await rows(stack) > 0 }
        let admin = try KafkaAdmin(
            KafkaConfiguration(bootstrapServers: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "")
        ) { _ in }
        _ = try admin.delete(["driver.warnings", "rider.updates"].map { "\(stack.name).\($0)" })
        // Fetches of the deleted topics are answered meanwhile.
        let before = try await rows(stack)
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "4")
        try await stack.sightline("topics", "create", "--partitions", "2")
        try await eventually("the history has what came after the deletion") {
            for worker in stack.workers {
                try #require(worker.program.isRunning, "\(worker.program.output.suffix(2000))")
            }
            return try await rows(stack) > before
        }
        let again = try await rows(stack)
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "6", "--seed", "5")
        try await eventually("the history has what came after the creation") { try await rows(stack) > again }
        for worker in stack.workers + [push] {
            #expect(worker.program.isRunning, "\(worker.program.output.suffix(2000))")
            #expect(!worker.program.output.contains("ends the process"), "\(worker.program.output.suffix(2000))")
        }
    }

    private func rows(_ stack: PipelineStack) async throws -> Int {
        Int(try await stack.sql("SELECT count(*) FROM location_history")) ?? -1
    }
}
