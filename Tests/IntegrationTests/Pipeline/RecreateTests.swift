import Domain
import Foundation
import Kafka
import Redis
import TestSupport
import Testing

@Suite(
    "sightline topics recreate", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct RecreateTests {
    private func recreate(
        _ stack: PipelineStack, _ options: [String] = [], extra: [String: String] = [:]
    ) async throws -> (code: Int32, output: String) {
        let program = try Program(
            "sightline", ["topics", "recreate"] + options, environment: stack.environment.merging(extra) { $1 },
            logs: stack.logs)
        defer { program.end() }
        return (try await program.wait(), program.output)
    }

    /// Returns partitions and records of each existing topic; the broker may report fewer records than it has.
    private func topics(_ stack: PipelineStack) throws -> [PipelineTopic: (partitions: Int, records: Int64)] {
        let admin = try KafkaAdmin(stack.kafka) { _ in }
        var topics: [PipelineTopic: (partitions: Int, records: Int64)] = [:]
        for topic in PipelineTopic.allCases {
            let name = "\(stack.name).\(topic.rawValue)"
            guard let count = try admin.partitionCounts(of: [name])[name] else { continue }
            let all = (0..<Int32(count)).map { TopicPartition(topic: name, partition: $0) }
            topics[topic] = (
                count,
                try admin.offsetRanges(of: all, timeoutMilliseconds: 15_000).values.reduce(0) { $0 + $1.high - $1.low }
            )
        }
        return topics
    }

    /// Returns the Redis keys that start with the prefix and `kind`.
    private func keys(_ kind: String, _ stack: PipelineStack, prefix: String? = nil) throws -> Set<String> {
        var keys: Set<String> = []
        try stack.connectToRedis().scan(prefix: prefix ?? "\(stack.name):", "\(kind)*") { keys.formUnion($0) }
        return keys
    }

    private func count(_ table: String, _ stack: PipelineStack) async throws -> Int {
        Int(try await stack.sql("SELECT count(*) FROM \(table)")) ?? -1
    }

    /// Stops the workers with SIGTERM, so that their groups have no members.
    private func stopWorkers(_ stack: PipelineStack) async throws {
        for worker in stack.workers where worker.program.isRunning { worker.program.send(signal: SIGTERM) }
        for worker in stack.workers { _ = try await worker.program.wait() }
    }

    @Test(
        "with recreated topics, a pipeline processes all records, keeps its history, and the audit finds no difference",
        .nightly)
    func recreatedPipeline() async throws {
        let stack = try await PipelineStack(partitions: 3)
        defer { stack.end() }
        try await stack.startAll()
        try await stack.sightline("simulate", "--drivers", "40", "--seconds", "15", "--seed", "5")
        try await stack.sightline("audit", "--wait", "60")
        let running = try await recreate(stack, ["--yes"])
        #expect(running.code == 1 && running.output.contains("\(stack.name).sightline.location"), "\(running.output)")
        #expect(running.output.contains("Stop all workers"), "\(running.output)")
        try await stopWorkers(stack)

        let (rows, drivers) = (try await count("location_history", stack), try keys("driver:", stack))
        let before = try topics(stack)
        #expect(rows > 200 && drivers.count > 20)
        #expect(before[.rawLocations]?.records ?? 0 > 200)
        // A key of another pipeline, whose prefix starts with the same characters.
        let foreign = "\(stack.name)2:trip:t"
        try stack.connectToRedis().call("SET", foreign, "1")
        defer { _ = try? stack.connectToRedis().call("DEL", foreign) }

        let plan = try await recreate(stack)
        #expect(plan.code == 2 && plan.output.contains("Nothing was changed"), "\(plan.output)")
        let line = try #require(
            plan.output.firstMatch(of: /driver\.locations\.raw: ([0-9]+) records/), "\(plan.output)")
        #expect(Int(line.1) ?? 0 > 200)
        #expect(try topics(stack)[.rawLocations]?.records ?? 0 > 200)
        #expect(try await count("sink_progress", stack) > 0)
        #expect(try !keys("progress:", stack).isEmpty)

        let done = try await recreate(stack, ["--yes"])
        #expect(done.code == 0, "\(done.output)")
        let after = try topics(stack)
        #expect(after.count == PipelineTopic.allCases.count)
        #expect(after.values.allSatisfy { $0 == (3, 0) }, "\(after)")
        for kind in ["progress:", "trip:", "route:"] { #expect(try keys(kind, stack).isEmpty, "\(kind)") }
        #expect(try keys("driver:", stack) == drivers)
        #expect(try !keys("", stack, prefix: foreign).isEmpty)
        #expect(try await count("sink_progress", stack) == 0)
        #expect(try await count("location_history", stack) == rows)

        // This run is shorter, so all offsets stay below the offsets of the first run.
        try await stack.startAll()
        try await stack.sightline("simulate", "--drivers", "30", "--seconds", "8", "--seed", "6")
        let audit = try await stack.sightline("audit", "--wait", "60")
        #expect(audit.contains("No differences."), "\(audit)")
        let verdicts = try #require(audit.firstMatch(of: /verdicts +([0-9]+) compared/).flatMap { Int($0.1) })
        #expect(verdicts > 50 && verdicts < rows, "the offsets are not below those of the first run")
        #expect(try await count("location_history", stack) == rows + verdicts)
        for kind in ["progress:", "trip:"] { #expect(try !keys(kind, stack).isEmpty, "\(kind)") }
    }

    @Test("an interrupted recreate can be repeated; without topics, it needs --partitions and --replication", .nightly)
    func interruptedRecreate() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        try stack.connectToRedis().call("SET", "\(stack.name):progress:driver.locations:0", "7 0-6 -")
        try await stack.sql(
            "INSERT INTO sink_progress (sink, topic, kafka_partition, next_offset) VALUES ('history', 'driver.locations', 0, 7)"
        )
        let admin = try KafkaAdmin(stack.kafka) { _ in }
        let names = PipelineTopic.allCases.map { "\(stack.name).\($0.rawValue)" }
        // Interrupted after the first topics were deleted.
        _ = try admin.delete(Array(names.prefix(3)))
        let some = try await recreate(stack, ["--yes"])
        #expect(some.code == 0, "\(some.output)")
        #expect(try topics(stack).values.allSatisfy { $0 == (2, 0) })
        #expect(try keys("progress:", stack).isEmpty)
        #expect(try await count("sink_progress", stack) == 0)
        // Interrupted after all topics were deleted.
        _ = try admin.delete(names)
        let none = try await recreate(stack, ["--yes"])
        #expect(none.code == 1 && none.output.contains("--partitions"), "\(none.output)")
        let noReplication = try await recreate(stack, ["--yes", "--partitions", "4"])
        #expect(noReplication.code == 1 && noReplication.output.contains("--replication"), "\(noReplication.output)")
        let named = try await recreate(stack, ["--yes", "--partitions", "4", "--replication", "1"])
        #expect(named.code == 0, "\(named.output)")
        #expect(try topics(stack).count == names.count)
        #expect(try topics(stack).values.allSatisfy { $0 == (4, 0) })
    }

    @Test("recreate fails and prints the gateway while one runs; --gateways-stopped skips this check")
    func runningGateway() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let key = "\(stack.name):gateway:rider-gateway-7"
        try stack.connectToRedis().call("SET", key, #"{"name":"rider-gateway"}"#, "EX", "600")
        for options in [[], ["--yes"]] {
            let result = try await recreate(stack, options)
            #expect(result.code == 1 && result.output.contains("rider-gateway-7"), "\(result.output)")
            #expect(result.output.contains("Stop all gateways"), "\(result.output)")
        }
        let unchecked = try await recreate(stack, ["--yes", "--skip-redis"])
        #expect(unchecked.code == 1 && unchecked.output.contains("--gateways-stopped"), "\(unchecked.output)")
        #expect(try topics(stack).count == PipelineTopic.allCases.count)
        let stopped = try await recreate(stack, ["--yes", "--gateways-stopped"])
        #expect(stopped.code == 0, "\(stopped.output)")
        try stack.connectToRedis().call("DEL", key)
        let none = try await recreate(stack, ["--yes"])
        #expect(none.code == 0, "\(none.output)")
    }

    @Test("recreate fails before deleting anything if a store does not respond, and prints the option to skip it")
    func missingStore() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let noRedis = ["REDIS_URL": "redis://127.0.0.1:1/0"]
        let noPostgres = ["POSTGRES_URL": "postgresql://postgres@127.0.0.1:1/sightline"]
        for (extra, option) in [(noRedis, "--skip-redis"), (noPostgres, "--skip-postgres")] {
            let (code, output) = try await recreate(stack, ["--yes"], extra: extra)
            #expect(code == 1 && output.contains(option) && output.contains("Nothing was deleted"), "\(output)")
        }
        // A user with the role sightline_reader may not delete the progress.
        let login = "\(stack.name)_reader"
        try await stack.sql("CREATE ROLE \(login) \(TestServices.login) IN ROLE sightline_reader")
        var address = try #require(stack.environment["POSTGRES_URL"].flatMap { URLComponents(string: $0) })
        address.user = login
        let reader = try await recreate(stack, ["--yes"], extra: ["POSTGRES_URL": try #require(address.string)])
        try await stack.sql("DROP ROLE \(login)")
        #expect(reader.code == 1 && reader.output.contains("owner of the tables"), "\(reader.output)")
        #expect(try topics(stack).count == PipelineTopic.allCases.count)
        let skipped = try await recreate(
            stack, ["--yes", "--skip-redis", "--skip-postgres", "--gateways-stopped"],
            extra: noRedis.merging(noPostgres) { $1 })
        #expect(skipped.code == 0, "\(skipped.output)")
    }
}
