import Kafka
import Logging
import Processing
import Runtime
import TestSupport
import Testing

@Suite(
    "Processor worker with a broker", .blocking, .serialized, .timeLimit(.minutes(10)),
    .enabled(if: KafkaTestBroker.isAvailable, KafkaTestBroker.hint))
struct ProcessorWorkerTests {
    private static func settings() -> ProcessorWorkerSettings {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(200)
        return settings
    }

    private static func worker(
        _ topics: KafkaTestTopics, layout: ProcessorLayout = CountingProcessor.layout(),
        settings: ProcessorWorkerSettings = settings(), logger: Logger = KafkaTestBroker.logger
    ) -> StreamWorker {
        StreamWorker(
            layout: layout, names: topics.names, kafka: KafkaTestBroker.configuration, settings: settings,
            logger: logger
        ) { _ in CountingProcessor() }
    }

    /// Creates records for all partitions, with three keys per partition.
    private static func records(_ count: Int, partitions: Int) -> [(partition: Int32, key: String, value: String)] {
        (0..<count).map { index in
            let partition = Int32(index % partitions)
            return (partition, "driver-\(partition)-\(index / partitions % 3)", "\(index)")
        }
    }

    /// Expects that the counts of each key are 1, 2, 3, … up to the number of its sent records.
    private static func expectExactlyOnce(
        _ out: [KafkaTestTopics.Stored], sent: [(partition: Int32, key: String, value: String)]
    ) {
        var expected: [String: Int] = [:]
        for record in sent { expected[record.key, default: 0] += 1 }
        var counts: [String: Int] = [:]
        for record in out {
            counts[record.key, default: 0] += 1
            #expect(record.value == "\(counts[record.key, default: 0])", "\(record)")
        }
        #expect(counts == expected)
    }

    private static func isComplete(_ topics: KafkaTestTopics, _ count: Int) throws -> Bool {
        try topics.readDeduplicated("out").count >= count
    }

    @Test("a graceful stop and a restart cause no loss and no duplicates")
    func restart() async throws {
        try await KafkaTestTopics.with(["in", "out", "side"], partitions: 3) { topics in
            let first = Self.records(3000, partitions: 3)
            let second = Self.records(1500, partitions: 3)
            try topics.append(first, to: "in")
            let one = Self.worker(topics)
            async let running: Void = one.run()
            try await eventually("the first records are processed") { try Self.isComplete(topics, first.count) }
            #expect(one.status.snapshot.isReady)
            #expect(one.status.snapshot.partitions.count == 3)
            one.stop()
            try await running
            #expect(!one.status.snapshot.isReady)
            try topics.append(second, to: "in", from: 1_010_000)
            let two = Self.worker(topics)
            async let rerun: Void = two.run()
            try await eventually("the remaining records are processed") {
                try Self.isComplete(topics, first.count + second.count)
            }
            two.stop()
            try await rerun
            let all = try topics.readAll("out")
            Self.expectExactlyOnce(all, sent: first + second)
            let sides = try topics.readAll("side")
            #expect(Set(sides.map { "\($0.key) \($0.value)" }).count == sides.count)
            let perKey = Dictionary(grouping: first + second, by: \.key).values.map { $0.count / 10 }
            #expect(sides.count == perKey.reduce(0, +))
        }
    }

    @Test("after a worker crashes, another worker continues, and deduplicated outputs are complete")
    func takeover() async throws {
        try await KafkaTestTopics.with(["in", "out", "side"], partitions: 4) { topics in
            let sent = Self.records(20_000, partitions: 4)
            try topics.append(Array(sent[..<10_000]), to: "in")
            var settings = Self.settings()
            settings.maximumBatchRecords = 200
            let crashing = Self.worker(topics, settings: settings)
            let survivor = Self.worker(topics, settings: settings)
            async let first: Void = crashing.run()
            try await eventually("the first records are processed") { try Self.isComplete(topics, 100) }
            async let second: Void = survivor.run()
            try topics.append(Array(sent[10_000...]), to: "in", from: 1_020_000)
            crashing.abandon()
            try await first
            try await eventually("all records are processed") { try Self.isComplete(topics, sent.count) }
            survivor.stop()
            try await second
            Self.expectExactlyOnce(try topics.readDeduplicated("out"), sent: sent)
        }
    }

    @Test("two workers share the partitions, and one worker gets all of them when the other stops")
    func rebalance() async throws {
        try await KafkaTestTopics.with(["in", "out", "side"], partitions: 4) { topics in
            let one = Self.worker(topics)
            let two = Self.worker(topics)
            async let first: Void = one.run()
            async let second: Void = two.run()
            try await eventually("both workers have partitions") {
                one.status.snapshot.partitions.count == 2 && two.status.snapshot.partitions.count == 2
            }
            let sent = Self.records(2000, partitions: 4)
            try topics.append(sent, to: "in")
            try await eventually("the first records are processed") { try Self.isComplete(topics, sent.count) }
            one.stop()
            try await first
            try await eventually("the remaining worker has all partitions") {
                two.status.snapshot.partitions.count == 4
            }
            let more = Self.records(400, partitions: 4)
            try topics.append(more, to: "in", from: 1_010_000)
            try await eventually("all records are processed") { try Self.isComplete(topics, sent.count + more.count) }
            two.stop()
            try await second
            Self.expectExactlyOnce(try topics.readAll("out"), sent: sent + more)
        }
    }

    @Test("a restore logs its progress, and the worker continues the restored counts")
    func restoreProgress() async throws {
        try await KafkaTestTopics.with(["in", "out", "side"], partitions: 2) { topics in
            let sent = Self.records(40_000, partitions: 2)
            // All records at once exceed the queue of a producer.
            for part in 0..<4 {
                let range = part * 10_000..<(part + 1) * 10_000
                try topics.append(Array(sent[range]), to: "in", from: 1_000_000 + Int64(range.lowerBound))
            }
            let first = Self.worker(topics)
            async let running: Void = first.run()
            try await eventually("the changelog is written") { try Self.isComplete(topics, sent.count) }
            first.stop()
            try await running
            var settings = Self.settings()
            settings.restoreProgressInterval = .milliseconds(10)
            let log = CapturedLog()
            let second = Self.worker(topics, settings: settings, logger: log.logger)
            async let rerun: Void = second.run()
            try await eventually("the worker is ready") { second.status.snapshot.isReady }
            #expect(log.has("Restoring partitions.", "total="), "\(log.lines)")
            let more = Self.records(100, partitions: 2)
            try topics.append(more, to: "in", from: 1_050_000)
            try await eventually("all records are processed") { try Self.isComplete(topics, sent.count + more.count) }
            second.stop()
            try await rerun
            Self.expectExactlyOnce(try topics.readAll("out"), sent: sent + more)
        }
    }

    @Test("punctuations have timestamps at multiples of the interval, also without input")
    func punctuations() async throws {
        try await KafkaTestTopics.with(["in", "out", "side"], partitions: 1) { topics in
            var settings = Self.settings()
            settings.punctuationGraceMilliseconds = 100
            let worker = Self.worker(
                topics, layout: CountingProcessor.layout(punctuationMilliseconds: 500), settings: settings)
            async let running: Void = worker.run()
            try topics.append([(0, "a", "1")], to: "in", from: 1_000_000)
            try topics.append([(0, "a", "2")], to: "in", from: 1_001_200)
            func punctuations() throws -> [KafkaTestTopics.Stored] {
                try topics.readDeduplicated("out").filter { $0.key == "punctuation" }
            }
            try await eventually("punctuations without input are written") { try punctuations().count >= 4 }
            worker.stop()
            try await running
            let all = try topics.readDeduplicated("out")
            let texts = all.prefix(6).map { "\($0.key) \($0.value)" }
            #expect(
                texts == [
                    "a 1", "punctuation 1000500", "punctuation 1001000", "a 2", "punctuation 1001500",
                    "punctuation 1002000",
                ])
        }
    }

    @Test("a missing topic or unequal partition counts are an error")
    func unequalPartitions() async throws {
        try await KafkaTestTopics.with(["in", "out"], partitions: 2) { topics in
            let admin = try KafkaAdmin(KafkaTestBroker.configuration) { _ in }
            let side = topics.names.full("side")
            let error = await #expect(throws: WorkerError.self) { try await Self.worker(topics).run() }
            #expect(error?.code == .topicMissing)
            #expect(error?.message.contains("sightline topics create") == true)
            _ = try admin.create([.init(name: side, partitions: 3, replication: 1)])
            let mismatch = await #expect(throws: WorkerError.self) { try await Self.worker(topics).run() }
            #expect(mismatch?.code == .partitionsMismatch)
            #expect(mismatch?.message.contains("\(side) has 3") == true)
            _ = try admin.delete([side])
        }
    }
}
