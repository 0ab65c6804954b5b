import KafkaMock
import Logging
import TestSupport
import Testing

@testable import Kafka
@testable import Model
@testable import Processing
@testable import Runtime

@Suite("A stage worker whose input is deleted before it was read", .blocking, .timeLimit(.minutes(10)))
struct StageWorkerRetentionTests {
    /// Answers each record of its first input with its offset.
    private final class OffsetStage: Processor {
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
            outputs.begin(topic: 0, clock: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("\(record.offset)") }
        }
    }

    private static func start(_ cluster: MockCluster, inputs: Int, _ log: CapturedLog) -> RunningWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        return RunningWorker(
            StreamWorker(
                layout: OffsetStage.layout(inputs: inputs), names: TopicNames(), kafka: cluster.configuration,
                settings: settings, logger: log.logger
            ) { _ in OffsetStage() })
    }

    /// The offsets that were answered of a partition.
    private static func answered(_ cluster: MockCluster, _ partition: Int32) throws -> [Int64] {
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var found: [Int64] = []
        try reader.readToEnd([TopicPartition(topic: "out", partition: partition): .position(.beginning)]) {
            _, _, message in
            found.append(Int64(message.record.value?.string ?? "") ?? -1)
        }
        return found
    }

    @Test("looks up the offset that was fetched, which lies before its own position where the stage rewinds")
    func rewound() throws {
        let layout = OffsetStage.layout(inputs: 1)
        let frame = WorkerContext(
            name: layout.name, inputs: ["in"], outputs: ["out"], names: TopicNames(),
            kafka: KafkaConfiguration(bootstrapServers: "127.0.0.1:1", clientID: "sightline-test"),
            commitInterval: .seconds(1), logger: CapturedLog().logger)
        let loop = ProcessorLoop(
            ProcessorPlan(frame: frame, layout: layout, settings: ProcessorWorkerSettings()) { _ in OffsetStage() })
        let task = PartitionProcessor(layout: layout, partition: 0, stage: OffsetStage())
        task.restorePosition(500, of: 0)
        loop.tasks = [
            AssignedPartition(core: task, layout: layout, held: [], starts: [.beginning], changelogEnd: 0), nil,
        ]
        let gone = KafkaError(.offsetOutOfRange, "gone")
        try loop.noteFailure(.failure(input: 0, partition: 1, offset: 7, gone))
        #expect(loop.missingOffsets == [:], "the partition went to another process meanwhile")
        try loop.noteFailure(.failure(input: 0, partition: 0, offset: nil, gone))
        #expect(loop.missingOffsets == [TopicPartition(topic: "in", partition: 0): 500])
        try loop.noteFailure(.failure(input: 0, partition: 0, offset: 200, gone))
        #expect(loop.missingOffsets == [TopicPartition(topic: "in", partition: 0): 200])
    }

    // One input is assigned partition by partition, two inputs all at once.
    @Test("says how many records are lost, and continues with the first that is left", arguments: [1, 2])
    func goesOn(inputs: Int) async throws {
        let cluster = try MockCluster()
        for topic in ["in", "in2", "out"] { cluster.createTopic(topic, partitions: 2) }
        try cluster.append(0..<20)
        let before = Self.start(cluster, inputs: inputs, CapturedLog())
        for partition: Int32 in [0, 1] {
            try await before.until("the first answers") { try Self.answered(cluster, partition).count == 10 }
        }
        try await before.stop()
        let marks = try cluster.overrun("in", partition: 0)
        let log = CapturedLog()
        let worker = Self.start(cluster, inputs: inputs, log)
        try await worker.until("answers to what is left") {
            try Self.answered(cluster, 0).last == marks.high - 1
        }
        try cluster.append(20..<22)
        try await worker.until("answers to new records") {
            try Self.answered(cluster, 0).last == marks.high && Self.answered(cluster, 1).last == 10
        }
        #expect(worker.worker.status.snapshot.isReady)
        try await worker.stop()
        #expect(try Self.answered(cluster, 0) == Array(0..<10) + Array(marks.low...marks.high))
        #expect(try Self.answered(cluster, 1) == Array(0...10))
        let lines = log.lines.filter { $0.contains("Records were deleted by retention") }
        #expect(lines.count == 1 && lines.first?.contains("count=\(marks.low - 10)") == true, "\(lines)")
    }
}
