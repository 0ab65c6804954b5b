import Domain
import Kafka
import KafkaMock
import Logging
import Processing
import Runtime
import TestSupport
import Testing

@Suite("Processor worker with an output partition without leader", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerParkTests {
    /// Copies input 0 to the changelog, every fifth record to a side output, every seventh to a checkpoint.
    private final class CopyProcessor: Processor {
        /// Returns a layout; with one input the worker uses cooperative assignment, with two range assignment.
        static func layout(inputs: Int) -> ProcessorLayout {
            ProcessorLayout(
                name: "copy",
                inputs: (1...inputs).map { .init(topic: $0 == 1 ? "in" : "in\($0)", resume: .afterChangelog) },
                outputs: [.init(topic: "out"), .init(topic: "side"), .init(topic: "sums", delivery: .checkpoint)])
        }

        var counts: [Int] = []

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            guard record.input == 0 else { return }
            let event = EventID(partition: record.partition, offset: record.offset)
            var topics = [0]
            if record.offset % 7 == 0 { topics.insert(2, at: 0) }
            if record.offset % 5 == 0 { topics.append(1) }
            for topic in topics {
                outputs.begin(topic: topic, event: event, timestamp: record.timestamp, key: record.key)
                if let value = record.value { outputs.writeValue { $0.append(value) } }
            }
        }
    }

    /// Creates a cluster whose broker 2 leads only partition 1 of `output`.
    private static func cluster(_ output: String) throws -> MockCluster {
        let cluster = try MockCluster(brokers: 2)
        for topic in ["in", "in2", "out", "side", "sums"] {
            cluster.createTopic(topic, partitions: 2)
            for partition in 0...1 {
                cluster.setLeader(of: topic, partition: partition, broker: topic == output ? partition + 1 : 1)
            }
        }
        cluster.setCoordinator(ofGroup: "sightline.copy", broker: 1)
        return cluster
    }

    private static func worker(
        _ cluster: MockCluster, inputs: Int = 1, maximumUnacknowledged: Int = 20_000
    ) -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.maximumPollIntervalMilliseconds = 8000
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        settings.parkAfter = .milliseconds(300)
        settings.notReadyAfter = .milliseconds(600)
        settings.maximumUnacknowledgedRecords = maximumUnacknowledged
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return RunningWorker(
            StreamWorker(
                layout: CopyProcessor.layout(inputs: inputs), names: TopicNames(), kafka: cluster.configuration,
                settings: settings,
                logger: logger
            ) { _ in CopyProcessor() })
    }

    /// Returns the values of one partition.
    private static func read(_ reader: KafkaReader, _ topic: String, _ partition: Int32) throws -> [Int] {
        var values: [Int] = []
        try reader.readToEnd([TopicPartition(topic: topic, partition: partition): .position(.beginning)]) {
            _, _, message in
            values.append(Int(message.record.value?.string ?? "") ?? -1)
        }
        return values
    }

    /// Returns the numbers below `end` whose offsets in a partition are multiples of `step`.
    private static func numbers(_ partition: Int, below end: Int, step: Int = 1) -> [Int] {
        Array(stride(from: partition, to: end, by: 2 * step))
    }

    @Test(
        "only the affected partition is parked; it resumes in order and without loss, and then the worker is ready",
        arguments: ["out", "side", "sums"], [1, 2])
    func parked(topic: String, inputs: Int) async throws {
        let cluster = try Self.cluster(topic)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        try cluster.append(0..<140)
        let running = Self.worker(cluster, inputs: inputs)
        try await running.until("the first records") {
            try Self.read(reader, "out", 0).count == 70 && Self.read(reader, "out", 1).count == 70
        }
        cluster.takeDown(broker: 2)
        // The first new record, at offset 70, has both a side output and a checkpoint.
        try cluster.append(140..<280)
        try await running.until("the other partition") { try Self.read(reader, "out", 0).count == 140 }
        try await running.until("the partition to be parked") {
            running.partitions.map(\.state).sorted { $0.rawValue < $1.rawValue } == [.running, .waiting]
        }
        let waiting = running.partitions.filter { $0.state == .waiting }
        #expect(waiting.map(\.partition) == [1])
        #expect(waiting.allSatisfy { $0.unacknowledgedSeconds != nil })
        try await running.until("the worker not to be ready") {
            running.worker.status.snapshot.reason?.hasPrefix("Outputs of partitions 1 have not been acknowledged")
                == true
        }
        #expect(!running.worker.status.snapshot.isReady)
        // Records of the parked partition wait, and the other partition continues.
        try cluster.append(280..<420)
        try await running.until("the other partition's next records") {
            try Self.read(reader, "out", 0).count == 210
        }
        if topic == "side" {
            #expect(try Self.read(reader, "out", 1).count == 70, "changelog records wait for the side outputs")
        }
        cluster.bringUp(broker: 2)
        try await running.until("all records") { try Self.read(reader, "out", 1).count >= 210 }
        try await running.until("the worker to be ready") {
            running.worker.status.snapshot.isReady && running.holds(2, .running)
        }
        try await running.stop()
        for partition in 0...1 {
            #expect(try Self.read(reader, "out", Int32(partition)) == Self.numbers(partition, below: 420))
            #expect(try Self.read(reader, "side", Int32(partition)) == Self.numbers(partition, below: 420, step: 5))
            #expect(try Self.read(reader, "sums", Int32(partition)) == Self.numbers(partition, below: 420, step: 7))
        }
    }

    @Test("outputs of a parked partition do not block other partitions")
    func room() async throws {
        let cluster = try Self.cluster("out")
        let reader = try KafkaReader(cluster.configuration) { _ in }
        try cluster.append(0..<2)
        let running = Self.worker(cluster, maximumUnacknowledged: 8)
        try await running.until("the first records") {
            try Self.read(reader, "out", 0).count == 1 && Self.read(reader, "out", 1).count == 1
        }
        cluster.takeDown(broker: 2)
        try cluster.append(2..<400)
        try await running.until("the other partition") { try Self.read(reader, "out", 0).count == 200 }
        cluster.bringUp(broker: 2)
        try await running.until("the partition") { try Self.read(reader, "out", 1).count >= 200 }
        try await running.stop()
        #expect(try Self.read(reader, "out", 1) == Self.numbers(1, below: 400))
    }

    @Test(
        "a worker that starts without the leader runs the other partition, and both after the leader's return",
        arguments: [1, 2])
    func restored(inputs: Int) async throws {
        let cluster = try Self.cluster("out")
        let reader = try KafkaReader(cluster.configuration) { _ in }
        try cluster.append(0..<20)
        let first = Self.worker(cluster, inputs: inputs)
        try await first.until("the first records") {
            try Self.read(reader, "out", 0).count == 10 && Self.read(reader, "out", 1).count == 10
        }
        try await first.stop()
        cluster.takeDown(broker: 2)
        try cluster.append(20..<40)
        let second = Self.worker(cluster, inputs: inputs)
        try await second.until("the other partition") { try Self.read(reader, "out", 0).count == 20 }
        #expect(second.partitions.contains { $0.partition == 1 && $0.state == .restoring })
        #expect(!second.worker.status.snapshot.isReady)
        cluster.bringUp(broker: 2)
        try await second.until("the partition") { try Self.read(reader, "out", 1).count >= 20 }
        try cluster.append(40..<60)
        try await second.until("all records") {
            try Self.read(reader, "out", 0).count >= 30 && Self.read(reader, "out", 1).count >= 30
        }
        #expect(second.holds(2, .running))
        try await second.stop()
        for partition in 0...1 {
            #expect(try Self.read(reader, "out", Int32(partition)) == Self.numbers(partition, below: 60))
        }
    }

    @Test("after a crash of a worker with a parked partition, the next worker processes the remaining records")
    func crashed() async throws {
        let cluster = try Self.cluster("side")
        let reader = try KafkaReader(cluster.configuration) { _ in }
        try cluster.append(0..<20)
        let first = Self.worker(cluster)
        try await first.until("the first records") {
            try Self.read(reader, "out", 0).count == 10 && Self.read(reader, "out", 1).count == 10
        }
        cluster.takeDown(broker: 2)
        try cluster.append(20..<60)
        try await first.until("the partition to be parked") { first.partitions.contains { $0.state == .waiting } }
        first.worker.abandon()
        try await eventually("the worker to end") { first.hasEnded }
        cluster.bringUp(broker: 2)
        let second = Self.worker(cluster)
        try await second.until("all records") {
            try Self.read(reader, "out", 0).count >= 30 && Self.read(reader, "out", 1).count >= 30
        }
        try await second.stop()
        for partition in 0...1 {
            #expect(try Self.read(reader, "out", Int32(partition)) == Self.numbers(partition, below: 60))
            #expect(try Self.read(reader, "side", Int32(partition)) == Self.numbers(partition, below: 60, step: 5))
        }
    }
}
