import KafkaMock
import Logging
import TestSupport
import Testing

@testable import Domain
@testable import Kafka
@testable import Processing
@testable import Runtime

@Suite("Processor worker with input deleted before it was read", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerRetentionTests {
    /// Processor that writes the offset of each record of its first input.
    private final class OffsetProcessor: Processor {
        static func layout(inputs: Int) -> ProcessorLayout {
            ProcessorLayout(
                name: "offsets\(inputs)",
                inputs: (1...inputs).map { .init(topic: $0 == 1 ? "in" : "in\($0)", resume: .afterChangelog) },
                outputs: [.init(topic: "out")])
        }

        var counts: [Int] = []

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            guard record.input == 0 else { return }
            let event = EventID(partition: record.partition, offset: record.offset)
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("\(record.offset)") }
        }
    }

    private static func start(_ cluster: MockCluster, inputs: Int, _ log: CapturedLog) -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        return RunningWorker(
            StreamWorker(
                layout: OffsetProcessor.layout(inputs: inputs), names: TopicNames(), kafka: cluster.configuration,
                settings: settings, logger: log.logger
            ) { _ in OffsetProcessor() })
    }

    /// Returns the processed offsets of a partition.
    private static func processed(_ cluster: MockCluster, _ partition: Int32) throws -> [Int64] {
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var offsets: [Int64] = []
        try reader.readToEnd([TopicPartition(topic: "out", partition: partition): .position(.beginning)]) {
            _, _, message in
            offsets.append(Int64(message.record.value?.string ?? "") ?? -1)
        }
        return offsets
    }

    @Test("the missing offset is that of the error, or the partition's position if the error has no offset")
    func rewound() throws {
        let layout = OffsetProcessor.layout(inputs: 1)
        let loop = Self.loop(layout)
        let processor = PartitionProcessor(layout: layout, partition: 0, processor: OffsetProcessor())
        processor.restorePosition(500, of: 0)
        loop.assignedPartitions = [
            AssignedPartition(
                processor: processor, layout: layout, deferred: [], starts: [.beginning], changelogEnd: 0), nil,
        ]
        let gone = KafkaError(.offsetOutOfRange, "gone")
        try loop.handleFailure(.failure(input: 0, partition: 1, offset: 7, gone))
        #expect(loop.missingOffsets == [:], "the partition is not assigned")
        try loop.handleFailure(.failure(input: 0, partition: 0, offset: nil, gone))
        #expect(loop.missingOffsets == [TopicPartition(topic: "in", partition: 0): 500])
        try loop.handleFailure(.failure(input: 0, partition: 0, offset: 200, gone))
        #expect(loop.missingOffsets == [TopicPartition(topic: "in", partition: 0): 200])
    }

    @Test("an error of the consumer is thrown only if it is fatal")
    func fatal() throws {
        let loop = Self.loop(OffsetProcessor.layout(inputs: 1))
        try loop.handleFailure(.failure(input: 0, partition: 0, offset: nil, KafkaError(.other, "lost")))
        let fatal = KafkaError(.access, "fenced", isFatal: true)
        #expect(throws: KafkaError.self) {
            try loop.handleFailure(.failure(input: 0, partition: 0, offset: nil, fatal))
        }
    }

    private static func loop(_ layout: ProcessorLayout) -> ProcessorLoop {
        let context = WorkerContext(
            name: layout.name, inputs: ["in"], outputs: ["out"], names: TopicNames(),
            kafka: KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "sightline-test"),
            commitInterval: .seconds(1), logger: CapturedLog().logger)
        return ProcessorLoop(context, layout: layout, settings: ProcessorWorkerSettings()) { _ in OffsetProcessor() }
    }

    // With one input the worker uses cooperative assignment, with two inputs range assignment.
    @Test("a worker logs the number of lost records and continues with the first remaining record", arguments: [1, 2])
    func continues(inputs: Int) async throws {
        let cluster = try MockCluster()
        for topic in ["in", "in2", "out"] { cluster.createTopic(topic, partitions: 2) }
        try cluster.append(0..<20)
        let first = Self.start(cluster, inputs: inputs, CapturedLog())
        for partition: Int32 in [0, 1] {
            try await first.until("the first outputs") { try Self.processed(cluster, partition).count == 10 }
        }
        try await first.stop()
        let range = try cluster.deleteOldestRecords("in", partition: 0)
        let log = CapturedLog()
        let worker = Self.start(cluster, inputs: inputs, log)
        try await worker.until("outputs of the remaining records") {
            try Self.processed(cluster, 0).last == range.high - 1
        }
        try cluster.append(20..<22)
        try await worker.until("outputs of new records") {
            try Self.processed(cluster, 0).last == range.high && Self.processed(cluster, 1).last == 10
        }
        #expect(worker.worker.status.snapshot.isReady)
        try await worker.stop()
        #expect(try Self.processed(cluster, 0) == Array(0..<10) + Array(range.low...range.high))
        #expect(try Self.processed(cluster, 1) == Array(0...10))
        let lines = log.lines.filter { $0.contains("Retention deleted records") }
        #expect(lines.count == 1 && lines.first?.contains("count=\(range.low - 10)") == true, "\(lines)")
    }
}
