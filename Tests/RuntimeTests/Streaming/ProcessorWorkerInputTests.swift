import KafkaMock
import Logging
import TestSupport
import Testing

@testable import Domain
@testable import Kafka
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("Processor worker with a truncated input", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerInputTests {
    /// Processor that writes the offset of each record.
    private final class OffsetProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "offsets", inputs: [.init(topic: "driver.locations.raw", resume: .afterChangelog)],
            outputs: [.init(topic: "driver.locations")])

        var counts: [Int] = []

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("\(record.offset)") }
        }
    }

    private static let raw = TopicPartition(topic: "driver.locations.raw", partition: 0)
    private static let changelog = TopicPartition(topic: "driver.locations", partition: 0)

    private static func cluster() throws -> MockCluster {
        let cluster = try MockCluster()
        for partition in [raw, changelog] { cluster.createTopic(partition.topic, partitions: 1) }
        return cluster
    }

    private static func start(_ cluster: MockCluster) -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        return RunningWorker(
            StreamWorker(
                layout: OffsetProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
                logger: CapturedLog().logger
            ) { _ in OffsetProcessor() })
    }

    /// Appends `count` raw records.
    private static func append(_ count: Int, to cluster: MockCluster) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic(raw.topic)
        for _ in 0..<count {
            ByteSlice.withBytes(of: "v") { value in
                _ = producer.produce(
                    .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1000)), to: topic, partition: 0,
                    token: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
    }

    /// Appends the changelog record of the raw record at offset `position - 1`.
    private static func appendChangelog(upTo position: Int64, in cluster: MockCluster) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic(changelog.topic)
        var watermark = ByteWriter(capacity: 64)
        WatermarkHeader.encode(
            event: EventID(partition: 0, offset: position - 1), positions: [position], into: &watermark)
        var headers = KafkaHeaders(capacity: 1)
        headers.add(RecordHeader.watermark, watermark.bytes)
        ByteSlice.withBytes(of: "\(position - 1)") { value in
            _ = producer.produce(
                .init(key: value, value: value, timestamp: Timestamp(milliseconds: 1000)), to: topic, partition: 0,
                headers: &headers, token: 0)
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
    }

    /// Returns the processed offsets.
    private static func processed(_ cluster: MockCluster) throws -> [Int64] {
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var offsets: [Int64] = []
        try reader.readToEnd([changelog: .position(.beginning)]) { _, _, message in
            offsets.append(Int64(message.record.value?.string ?? "") ?? -1)
        }
        return offsets
    }

    /// Runs a worker until it fails, and returns its error.
    private static func failure(of cluster: MockCluster) async throws -> WorkerError {
        let worker = start(cluster)
        try await eventually("the worker to end; \(worker.worker.status.snapshot)") { worker.hasEnded }
        return try #require(worker.failure as? WorkerError)
    }

    @Test("a worker whose input lost its end stops with an exit code and advice, even if new records reuse offsets")
    func lostEnd() async throws {
        let cluster = try Self.cluster()
        try Self.append(20, to: cluster)
        try Self.appendChangelog(upTo: 25, in: cluster)
        let error = try await Self.failure(of: cluster)
        #expect(error.code == .offsetsGone && error.exitCode == 14)
        for part in [
            "driver.locations.raw", "begins at offset 0 and ends before offset 20", "before offset 25", "truncated",
            "offsets 20 to 24 are missing", "recreated", "`sightline topics recreate`",
        ] {
            #expect(error.message.contains(part), "\(part): \(error.message)")
        }
        // New records reuse offsets that were processed, and readers would drop their outputs as duplicates.
        try Self.append(4, to: cluster)
        let secondError = try await Self.failure(of: cluster)
        #expect(
            secondError.code == .offsetsGone && secondError.message.contains("offsets 24 to 24 are missing"),
            "\(secondError.message)")
        #expect(try Self.processed(cluster) == [24])
    }

    @Test("a worker continues if the input ends at the changelog's position")
    func sameEnd() async throws {
        let cluster = try Self.cluster()
        try Self.append(25, to: cluster)
        try Self.appendChangelog(upTo: 25, in: cluster)
        let worker = Self.start(cluster)
        try await worker.until("the worker to be ready") { worker.worker.status.snapshot.isReady }
        try Self.append(1, to: cluster)
        try await worker.until("an output") { try Self.processed(cluster) == [24, 25] }
        try await worker.stop()
    }

    @Test("the advice depends on the offset range and on whether a worker writes the topic")
    func advice() {
        func advice(low: Int64, high: Int64, isExternal: Bool = true) -> String {
            MissingInput(
                partition: Self.raw, position: 25, range: KafkaOffsetRange(low: low, high: high), changelog: "out",
                isExternal: isExternal
            ).advice
        }
        #expect(advice(low: 0, high: 24).contains("or the topic was recreated"))
        #expect(!advice(low: 1, high: 24).contains("or the topic was recreated"))
        #expect(!advice(low: 1, high: 25).contains("missing"), "the missing records were written again")
        #expect(advice(low: 1, high: 24, isExternal: false).contains("run its writer"))
    }
}
