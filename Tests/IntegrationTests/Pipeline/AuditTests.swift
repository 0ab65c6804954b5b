import Domain
import Foundation
import Kafka
import Redis
import TestSupport
import Testing

@Suite(
    "Audit of a pipeline", .blocking, .serialized, .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"),
    .timeLimit(.minutes(10)))
struct AuditTests {
    /// Part of the report of `sightline audit`.
    private struct Report: Decodable {
        struct Check: Decodable {
            var name: String
            var compared: Int
            var repeated: Int
            var differences: [String: Int]
        }
        var differences: Int
        var checks: [Check]

        func check(_ name: String) throws -> Check { try #require(checks.first { $0.name == name }) }

        /// Returns the differences of a check that are not 0.
        func differences(_ name: String) throws -> [String: Int] {
            try check(name).differences.filter { $0.value > 0 }
        }
    }

    private func audit(
        _ stack: PipelineStack, _ options: [String] = [], extra: [String: String] = [:], expecting expected: Int32
    ) async throws -> Report? {
        let file = stack.logs.appendingPathComponent("audit.json")
        try? FileManager.default.removeItem(at: file)
        let program = try Program(
            "sightline", ["audit", "--wait", "60", "--json", file.path] + options,
            environment: stack.environment.merging(extra) { $1 }, logs: stack.logs)
        defer { program.end() }
        let code = try await program.wait()
        #expect(code == expected, "\(program.output)")
        guard let data = try? Data(contentsOf: file) else { return nil }
        return try JSONDecoder().decode(Report.self, from: data)
    }

    @Test("the audit finds no differences after a normal run, and all planted differences in topics and stores")
    func plantedDifferences() async throws {
        let stack = try await PipelineStack(partitions: 3)
        defer { stack.end() }
        try await stack.startAll()
        try await stack.sightline("simulate", "--drivers", "40", "--seconds", "12", "--seed", "5")
        let clean = try #require(try await audit(stack, ["--no-repeats"], expecting: 0))
        #expect(try clean.check("verdicts").compared > 200)
        #expect(try clean.check("history").compared == clean.check("verdicts").compared)
        #expect(try clean.check("redis").compared > 10)
        #expect(try clean.check("redis-trips").compared > 10)
        #expect(try clean.check("rider-updates").compared > 50)

        try appendAgain(.locations, in: stack)
        let repeated = try #require(try await audit(stack, expecting: 0))
        #expect(try repeated.check("verdicts").repeated == 1)
        let strict = try #require(try await audit(stack, ["--no-repeats"], expecting: 1))
        #expect(try strict.differences("verdicts") == ["duplicate": 1])

        try await plantInHistory(stack)
        try plantInRedis(stack)
        try plantInChannels(stack)
        let report = try #require(try await audit(stack, expecting: 1))
        #expect(try report.differences("history") == ["missing": 1, "duplicate": 1, "wrong": 1, "unexpected": 1])
        #expect(try report.differences("redis") == ["missing": 1, "stale": 1, "unexpected": 1])
        #expect(try report.differences("redis-trips") == ["missing": 1, "stale": 2])
        #expect(report.differences == 10)
        #expect(try await audit(stack, ["--no-history", "--no-redis"], expecting: 0)?.checks.count == 7)
    }

    @Test(
        "the audit recomputes smoothed positions and finds changed, missing, duplicate and unexpected rows",
        .nightly)
    func smoothedPositions() async throws {
        let stack = try await PipelineStack(partitions: 2)
        defer { stack.end() }
        try await stack.startAll()
        try await stack.sightline("simulate", "--drivers", "20", "--seconds", "50", "--seed", "5")
        let clean = try #require(try await audit(stack, expecting: 0))
        #expect(try clean.check("history-smoothed").compared > 200)
        let table = try await stack.sql("SELECT tableoid::regclass FROM smoothed_locations LIMIT 1")
        let row = "(SELECT ctid FROM smoothed_locations ORDER BY kafka_partition, event_offset, event_part LIMIT 1"
        for statement in [
            "DELETE FROM \(table) WHERE ctid = \(row) OFFSET 3)",
            "INSERT INTO smoothed_locations SELECT * FROM \(table) WHERE ctid = \(row) OFFSET 5)",
            "UPDATE \(table) SET latitude = latitude + 1e-9 WHERE ctid = \(row) OFFSET 20)",
            """
            WITH original AS (SELECT * FROM \(table) WHERE ctid = \(row) OFFSET 30))
            INSERT INTO smoothed_locations SELECT (jsonb_populate_record(NULL::smoothed_locations,
                to_jsonb(original) || '{"event_offset": 1000000}')).* FROM original
            """,
        ] {
            try await stack.sql(statement)
        }
        let report = try #require(try await audit(stack, expecting: 1))
        #expect(
            try report.differences("history-smoothed") == ["missing": 1, "duplicate": 1, "wrong": 1, "unexpected": 1])
        #expect(report.differences == 4)
    }

    @Test("an audit fails with exit code 2 if a store is unavailable or a partition does not exist")
    func noStores() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let unreachable = ["REDIS_URL": "redis://127.0.0.1:1/0"]
        #expect(try await audit(stack, ["--wait", "0"], extra: unreachable, expecting: 2) == nil)
        #expect(try await audit(stack, ["--wait", "0", "--partitions", "1"], expecting: 2) == nil)
        #expect(try await audit(stack, ["--wait", "0", "--no-redis"], extra: unreachable, expecting: 0) != nil)
    }

    /// Deletes, duplicates and changes one row of location_history each, and adds a row of an unknown event.
    private func plantInHistory(_ stack: PipelineStack) async throws {
        let row =
            "(SELECT ctid FROM location_history WHERE verdict = 'accepted' ORDER BY kafka_partition, event_offset LIMIT 1"
        let table = try await stack.sql("SELECT tableoid::regclass FROM location_history LIMIT 1")
        for statement in [
            "DELETE FROM \(table) WHERE ctid = \(row) OFFSET 3)",
            "INSERT INTO location_history SELECT * FROM \(table) WHERE ctid = \(row) OFFSET 5)",
            "UPDATE \(table) SET speed_mps = speed_mps + 1 WHERE ctid = \(row) OFFSET 20)",
            """
            WITH original AS (SELECT * FROM \(table) WHERE ctid = \(row) OFFSET 30))
            INSERT INTO location_history SELECT (jsonb_populate_record(NULL::location_history,
                to_jsonb(original) || '{"event_offset": 1000000}')).* FROM original
            """,
        ] {
            try await stack.sql(statement)
        }
    }

    /// Deletes a driver, sets another driver to an older event, and adds a driver without records.
    private func plantInRedis(_ stack: PipelineStack) throws {
        let redis = try stack.connectToRedis()
        let prefix = stack.redisPrefix + "driver:"
        let drivers = try keys(prefix, in: redis).filter { !$0.hasSuffix(":trail") }
        try #require(drivers.count > 3)
        try redis.call("DEL", drivers[0])
        let event = try #require(try redis.call("HGET", drivers[1], "event_id").text.flatMap { EventID($0) })
        let older = EventID(partition: event.partition, offset: event.offset - 1)
        try redis.call("HSET", drivers[1], "event_id", older.description)
        try redis.call("HSET", "\(prefix)nobody", "event_id", "0-0")
    }

    /// Deletes a trip, and resets another trip and a route to the first update of a partition.
    private func plantInChannels(_ stack: PipelineStack) throws {
        let redis = try stack.connectToRedis()
        let prefix = stack.redisPrefix
        let trips = try keys(prefix + "trip:", in: redis).filter { !$0.hasSuffix(":events") }
        let routes = try keys(prefix + "route:", in: redis).filter { !$0.hasSuffix(":events") }
        try #require(trips.count > 1 && !routes.isEmpty)
        try redis.call("DEL", trips[0])
        for key in [trips[1], routes[0]] {
            let fields = try redis.call("HKEYS", key).elements.compactMap(\.text)
            let field = try #require(fields.first { $0.hasPrefix("watermark:") })
            let partition = field.dropFirst("watermark:".count)
            try redis.call("HSET", key, field, "\(partition)-0 t\(partition)-0")
        }
    }

    private func keys(_ prefix: String, in redis: RedisConnection) throws -> [String] {
        var keys: Set<String> = []
        try redis.scan(prefix: prefix, "*") { keys.formUnion($0) }
        return keys.sorted()
    }

    /// Appends the third record of partition 1 again, like a zombie worker.
    private func appendAgain(_ topic: PipelineTopic, in stack: PipelineStack) throws {
        let name = (stack.environment["SIGHTLINE_TOPIC_PREFIX"] ?? "") + topic.rawValue
        let reader = try KafkaReader(stack.kafka) { _ in }
        let producer = try KafkaProducer(stack.kafka) { _ in }
        defer {
            reader.close()
            producer.close()
        }
        let handle = try producer.topic(name)
        var appended = 0
        try reader.readToEnd([TopicPartition(topic: name, partition: 1): .position(.beginning)]) { _, _, message in
            guard message.offset == 2 else { return }
            var headers = KafkaHeaders(copying: message, capacity: 0)
            let record = message.record
            _ = producer.produce(
                .init(key: record.key, value: record.value, timestamp: record.timestamp), to: handle, partition: 1,
                headers: &headers, token: 0)
            appended += 1
        }
        try #require(appended == 1)
        _ = try producer.flush(deadline: .now + .seconds(10)) { _, error in #expect(error == nil) }
    }
}
