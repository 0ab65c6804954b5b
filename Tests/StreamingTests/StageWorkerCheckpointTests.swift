import Kafka
import KafkaMock
import Lanes
import Logging
import Streaming
import TestSupport
import Testing
import Tracking

@Suite("Checkpoints of a stage worker on a cluster with faults", .blocking, .timeLimit(.minutes(10)))
struct StageWorkerCheckpointTests {
    /// Copies records, and before every tenth offset sums up the journal so far: the number of its records.
    private final class SummingStage: Stage {
        static let layout = StageLayout(
            name: "summing", inputs: [.init(topic: "in", resume: .afterJournal)],
            outputs: [.init(topic: "out"), .init(topic: "sums", delivery: .checkpoint, restored: .all)])

        var counts: [Int] = []
        /// What a restore has brought, by topic.
        private var restored = [0, 0]

        func restore(_ record: InputRecord) { restored[record.input] += 1 }

        func finishRestore(into outputs: inout OutputBatch) {
            guard restored[0] > 0 else { return }
            let event = EventID(lane: 0, offset: 0)
            outputs.begin(topic: 1, clock: event, timestamp: Timestamp(milliseconds: 1), key: .empty)
            outputs.writeValue { $0.append("restored \(restored[1])") }
        }

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(lane: record.lane, offset: record.offset)
            if record.offset > 0, record.offset % 10 == 0 {
                // Two records of one clock: neither is a repetition.
                for part in ["a", "b"] {
                    ByteSlice.withBytes(of: part) {
                        outputs.begin(topic: 1, clock: event, timestamp: record.timestamp, key: $0)
                    }
                    outputs.writeValue { $0.append("\(record.offset)") }
                }
            }
            outputs.begin(topic: 0, clock: event, timestamp: record.timestamp, key: record.key)
            outputs.writeValue { $0.append("\(record.offset)") }
        }
    }

    private static let lanes = 2

    private static func worker(_ cluster: MockCluster) -> StageWorker {
        var settings = StageWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.housekeepingInterval = .milliseconds(100)
        settings.maximumBatchRecords = 64
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return StageWorker(
            layout: SummingStage.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
            logger: logger
        ) { _ in SummingStage() }
    }

    /// The values of a topic, by lane.
    private static func read(_ reader: KafkaReader, _ topic: String) throws -> [[String]] {
        let starts = (0..<lanes).map {
            (KafkaLane(topic: topic, partition: Int32($0)), KafkaReader.Start.position(.beginning))
        }
        var found: [[String]] = Array(repeating: [], count: lanes)
        try reader.readToEnd(Dictionary(uniqueKeysWithValues: starts)) { _, _, message in
            found[Int(message.lane)].append(message.record.value?.string ?? "")
        }
        return found
    }

    @Test("a checkpoint follows the journal that it sums up and precedes the journal after it, whatever fails")
    func order() async throws {
        let cluster = try MockCluster()
        for topic in ["in", "out", "sums"] { cluster.createTopic(topic, lanes: Self.lanes) }
        let perLane = 300
        try cluster.append(0..<perLane * Self.lanes)
        let worker = Self.worker(cluster)
        async let running: Void = worker.run()
        let reader = try KafkaReader(cluster.configuration) { _ in }
        var looks = 0
        try await eventually("the worker has copied everything") {
            // One request fails and is sent again later; one that did not wait for it would overtake it.
            if looks < 10 { cluster.fail(.produce, with: [.notEnoughReplicas]) }
            let before = try Self.read(reader, "out")
            let sums = try Self.read(reader, "sums")
            let after = try Self.read(reader, "out")
            for lane in 0..<Self.lanes {
                for sum in sums[lane] { #expect(Int(sum).map { $0 <= after[lane].count } ?? false) }
                let due = stride(from: 10, to: before[lane].count, by: 10).map { "\($0)" }
                #expect(Set(due).isSubset(of: sums[lane]))
            }
            looks += 1
            return before.allSatisfy { $0.count == perLane }
        }
        worker.stop()
        try await running
        #expect(looks > 3)
        for sums in try Self.read(reader, "sums") { #expect(sums.count == 2 * (perLane / 10 - 1)) }
    }

    @Test("a restore reads all of a checkpoint's topic, and what it adds is written again although its clock is old")
    func restored() async throws {
        let cluster = try MockCluster()
        for topic in ["in", "out", "sums"] { cluster.createTopic(topic, lanes: Self.lanes) }
        try cluster.append(0..<4000)
        let reader = try KafkaReader(cluster.configuration) { _ in }
        for round in 1...2 {
            let worker = Self.worker(cluster)
            async let running: Void = worker.run()
            try await eventually("the worker has summed up everything") {
                try Self.read(reader, "sums").allSatisfy { $0.count >= 2 * 199 + round - 1 }
            }
            worker.stop()
            try await running
        }
        for sums in try Self.read(reader, "sums") { #expect(sums.suffix(1) == ["restored 398"]) }
    }
}
