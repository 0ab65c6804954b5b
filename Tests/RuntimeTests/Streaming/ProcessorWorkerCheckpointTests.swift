import Domain
import Kafka
import KafkaMock
import Logging
import Processing
import Runtime
import Support
import TestSupport
import Testing

@Suite("Checkpoints of a processor worker with failing requests", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerCheckpointTests {
    /// Processor that writes each offset, and before every tenth a checkpoint with the number of earlier records.
    private final class SummingProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "summing", inputs: [.init(topic: "in", resume: .afterChangelog)],
            outputs: [.init(topic: "out"), .init(topic: "sums", delivery: .checkpoint, restored: .all)])

        var counts: [Int] = []
        /// Number of restored records, by output topic.
        private var restored = [0, 0]

        func restore(_ record: InputRecord) { restored[record.input] += 1 }

        func finishRestore(into outputs: inout OutputBatch) {
            guard restored[0] > 0 else { return }
            let event = EventID(partition: 0, offset: 0)
            outputs.begin(topic: 1, event: event, timestamp: Timestamp(milliseconds: 1), key: .empty)
            outputs.writeValue { $0.append("restored \(restored[1])") }
        }

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(partition: record.partition, offset: record.offset)
            if record.offset > 0, record.offset % 10 == 0 {
                // Two records of one event; both must be written, although they have the same event id.
                for part in ["a", "b"] {
                    ByteSlice.withBytes(of: part) {
                        outputs.begin(topic: 1, event: event, timestamp: record.timestamp, key: $0)
                    }
                    outputs.writeValue { $0.append("\(record.offset)") }
                }
            }
            outputs.begin(topic: 0, event: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("\(record.offset)") }
        }
    }

    private static let partitions = 2

    private static func worker(_ cluster: MockCluster) -> StreamWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(100)
        settings.maximumBatchRecords = 64
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return StreamWorker(
            layout: SummingProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
            logger: logger
        ) { _ in SummingProcessor() }
    }

    /// Returns the values of a topic, by partition.
    private static func read(_ reader: KafkaReader, _ topic: String) throws -> [[String]] {
        let starts = (0..<partitions).map {
            (TopicPartition(topic: topic, partition: Int32($0)), KafkaReader.Start.position(.beginning))
        }
        var values: [[String]] = Array(repeating: [], count: partitions)
        try reader.readToEnd(Dictionary(uniqueKeysWithValues: starts)) { _, _, message in
            values[Int(message.partition)].append(message.record.value?.string ?? "")
        }
        return values
    }

    @Test("a checkpoint is written after the changelog it summarises and before later records")
    func order() async throws {
        let cluster = try MockCluster()
        for topic in ["in", "out", "sums"] { cluster.createTopic(topic, partitions: Self.partitions) }
        let perPartition = 300
        try cluster.append(0..<perPartition * Self.partitions)
        let worker = Self.worker(cluster)
        async let running: Void = worker.run()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var checks = 0
        try await eventually("all records") {
            // A failed request is repeated. Outputs that did not wait for the request would overtake its records.
            if checks < 10 { cluster.fail(.produce, with: [.notEnoughReplicas]) }
            let before = try Self.read(reader, "out")
            let sums = try Self.read(reader, "sums")
            let after = try Self.read(reader, "out")
            for partition in 0..<Self.partitions {
                for sum in sums[partition] { #expect(Int(sum).map { $0 <= after[partition].count } ?? false) }
                let due = stride(from: 10, to: before[partition].count, by: 10).map { "\($0)" }
                #expect(Set(due).isSubset(of: sums[partition]))
            }
            checks += 1
            return before.allSatisfy { $0.count == perPartition }
        }
        worker.stop()
        try await running
        #expect(checks > 3)
        for sums in try Self.read(reader, "sums") { #expect(sums.count == 2 * (perPartition / 10 - 1)) }
    }

    @Test("a restore reads all checkpoints, and a checkpoint with an older event is also written")
    func restored() async throws {
        let cluster = try MockCluster()
        for topic in ["in", "out", "sums"] { cluster.createTopic(topic, partitions: Self.partitions) }
        try cluster.append(0..<4000)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        for round in 1...2 {
            let worker = Self.worker(cluster)
            async let running: Void = worker.run()
            try await eventually("all checkpoints") {
                try Self.read(reader, "sums").allSatisfy { $0.count >= 2 * 199 + round - 1 }
            }
            worker.stop()
            try await running
        }
        for sums in try Self.read(reader, "sums") { #expect(sums.suffix(1) == ["restored 398"]) }
    }
}
