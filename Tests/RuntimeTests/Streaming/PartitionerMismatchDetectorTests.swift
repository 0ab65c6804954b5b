import KafkaMock
import Logging
import TestSupport
import Testing

@testable import Domain
@testable import Kafka
@testable import Processing
@testable import Runtime
@testable import Support

@Suite("Partitioner mismatch detector", .blocking, .timeLimit(.minutes(10)))
struct PartitionerMismatchDetectorTests {
    /// A processor that writes nothing.
    private final class SilentProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "silent", inputs: [.init(topic: PipelineTopic.rawLocations.rawValue, resume: .afterChangelog)],
            outputs: [.init(topic: "out")])

        var counts: [Int] = []

        func restore(_ record: InputRecord) {}
        func process(_ record: InputRecord, into outputs: inout OutputBatch) {}
    }

    @Test("the expected partition of a misplaced key is its murmur2 partition; an empty key is not misplaced")
    func expectedPartition() {
        let detector = PartitionerMismatchDetector(partitions: 6, inputs: 1)
        ByteSlice.withBytes(of: "drv_17") { key in
            let expected = murmur2Partition(key: key, count: 6)
            for partition in Int32(0)..<6 {
                #expect(detector.expectedPartition(of: key, in: partition) == (partition == expected ? nil : expected))
            }
        }
        #expect(detector.expectedPartition(of: .empty, in: 3) == nil)
    }

    @Test("a mismatch is logged at most once per minute and topic")
    func logInterval() {
        let start = ContinuousClock.now
        var detector = PartitionerMismatchDetector(partitions: 6, inputs: 2)
        let checks: [(input: Int, milliseconds: Int)] = [(0, 0), (1, 30_000), (0, 59_999), (0, 60_000), (0, 60_001)]
        let due = checks.map { detector.isDue(input: $0.input, at: start + .milliseconds($0.milliseconds)) }
        #expect(due == [true, true, false, true, false])
    }

    @Test("a worker logs, counts and reports a misplaced key")
    func worker() async throws {
        let cluster = try MockCluster()
        for topic in [PipelineTopic.rawLocations.rawValue, "out"] { cluster.createTopic(topic, partitions: 2) }
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic(PipelineTopic.rawLocations.rawValue)
        let correct = ByteSlice.withBytes(of: "drv_17") { key in
            let correct = murmur2Partition(key: key, count: 2)
            _ = producer.produce(
                .init(key: key, value: key, timestamp: Timestamp(milliseconds: 1000)), to: topic,
                partition: 1 - correct, token: 0)
            return correct
        }
        #expect(try producer.flush(deadline: .now + .seconds(30)) { _, _ in })
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        let log = CapturedLog()
        let running = RunningWorker(
            StreamWorker(
                layout: SilentProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
                logger: log.logger
            ) { _ in SilentProcessor() })
        try await running.until("the misplaced key") {
            running.partitions.contains { $0.partition == 1 - correct && $0.misplacedKeys == 1 }
        }
        #expect(running.worker.status.snapshot.isReady)
        #expect(running.partitions.allSatisfy { $0.partition != correct || $0.misplacedKeys == 0 })
        #expect(
            log.has(
                "partitioner=murmur2_random", "topic=driver.locations.raw", "partition=\(1 - correct)",
                "key_partition=\(correct)"))
        try await running.stop()
    }
}
