import Domain
import Kafka
import KafkaMock
import Logging
import Processing
import Runtime
import TestSupport
import Testing

@Suite("Processor worker with a truncated changelog", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerChangelogTests {
    private final class CopyProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "copy", inputs: [.init(topic: "in", resume: .afterChangelog)], outputs: [.init(topic: "out")])

        var counts: [Int] = []

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            if let value = record.value { outputs.writeValue { $0.append(value) } }
        }
    }

    private static let partition = TopicPartition(topic: "in", partition: 0)

    private static func start(_ cluster: MockCluster, _ log: CapturedLog) -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        return RunningWorker(
            StreamWorker(
                layout: CopyProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
                logger: log.logger
            ) { _ in CopyProcessor() })
    }

    private static func numbers(_ cluster: MockCluster) throws -> [Int] {
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var numbers: [Int] = []
        try reader.readToEnd([TopicPartition(topic: "out", partition: 0): .position(.beginning)]) { _, _, message in
            numbers.append(Int(message.record.value?.string ?? "") ?? -1)
        }
        return numbers
    }

    /// Returns a consumer that has joined the worker's group and was assigned the partition.
    private static func member(_ cluster: MockCluster) throws -> KafkaConsumer {
        var group = KafkaGroupSettings(group: TopicNames().group("copy"), assignor: .cooperativeSticky)
        group.sessionTimeoutMilliseconds = 6000
        let consumer = try KafkaConsumer(cluster.configuration, group: group, topics: ["in"]) { _ in }
        let batch = consumer.makeBatch(capacity: 64)
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            try consumer.poll(into: batch, waitMilliseconds: 50)
            batch.removeAll()
            for change in consumer.drainRebalances() where change.kind == .assigned {
                try consumer.accept(change.partitions, positions: [:])
                return consumer
            }
        }
        throw KafkaError(.timedOut, "No partition was assigned within a minute.")
    }

    /// Commits as if by a worker that has written the lost records.
    private static func commit(_ cluster: MockCluster, offset: Int64, changelogEnd: Int64) async throws {
        let consumer = try member(cluster)
        defer { consumer.close() }
        let commit = KafkaCommit(offset: offset, metadata: "changelog-end=\(changelogEnd)")
        let batch = consumer.makeBatch(capacity: 64)
        try await eventually("the partition to be fetched") {
            try consumer.poll(into: batch, waitMilliseconds: 10)
            batch.removeAll()
            return consumer.storeOffset(input: 0, partition: 0, commit)
        }
        try consumer.commit()
        #expect(try consumer.commits(of: [partition]) == [partition: commit])
    }

    /// Creates a cluster with twenty input records; the first five are in the changelog.
    private static func cluster() async throws -> MockCluster {
        let cluster = try MockCluster()
        for topic in ["in", "out"] { cluster.createTopic(topic, partitions: 1) }
        try cluster.append(0..<5, partitions: 1)
        let worker = start(cluster, CapturedLog())
        try await worker.until("the first outputs") { try numbers(cluster).count == 5 }
        try await worker.stop()
        let consumer = try member(cluster)
        #expect(
            try consumer.commits(of: [partition]) == [partition: KafkaCommit(offset: 5, metadata: "changelog-end=5")])
        consumer.close()
        try cluster.append(5..<20, partitions: 1)
        return cluster
    }

    @Test("a worker processes lost records again, whatever the committed offset, and logs their number")
    func lost() async throws {
        let cluster = try await Self.cluster()
        try await Self.commit(cluster, offset: 20, changelogEnd: 20)
        let log = CapturedLog()
        let worker = Self.start(cluster, log)
        try await worker.until("the outputs") { try Self.numbers(cluster).count >= 20 }
        try await worker.stop()
        #expect(try Self.numbers(cluster) == Array(0..<20))
        let lines = log.lines.filter { $0.contains("Changelog was truncated") }
        #expect(lines.count == 1 && lines.first?.contains("count=15") == true, "\(log.lines)")
        // The rewritten records are committed with the current end.
        let consumer = try Self.member(cluster)
        #expect(try consumer.commits(of: [Self.partition]).values.map(\.metadata) == ["changelog-end=20"])
        consumer.close()
    }

    @Test("a worker uses the committed offset if the changelog reaches its committed end")
    func kept() async throws {
        for end: Int64 in [4, 5] {
            let cluster = try await Self.cluster()
            try await Self.commit(cluster, offset: 20, changelogEnd: end)
            let log = CapturedLog()
            let worker = Self.start(cluster, log)
            try cluster.append(20..<25, partitions: 1)
            try await worker.until("the outputs") { try Self.numbers(cluster).count >= 10 }
            try await worker.stop()
            #expect(try Self.numbers(cluster) == Array(0..<5) + Array(20..<25))
            #expect(!log.lines.contains { $0.contains("Changelog was truncated") })
        }
    }
}
