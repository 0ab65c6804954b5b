import Domain
import Foundation
import Kafka
import KafkaMock
import Logging
import Processing
import Runtime
import Synchronization
import TestSupport
import Testing

@Suite("Processor worker with failing brokers", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerFaultTests {
    /// Processor that copies records to the changelog, and every fifth record also to a side output.
    private final class CopyProcessor: Processor {
        static let layout = ProcessorLayout(
            name: "copy", inputs: [.init(topic: "in", resume: .afterChangelog)],
            outputs: [.init(topic: "out"), .init(topic: "side")])

        var counts: [Int] = []
        private let hasSideOutput: Bool
        private let processed: Processed?

        init(hasSideOutput: Bool = true, processed: Processed? = nil) {
            self.hasSideOutput = hasSideOutput
            self.processed = processed
        }

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            let event = EventID(partition: record.partition, offset: record.offset)
            for topic in 0...(hasSideOutput && record.offset % 5 == 0 ? 1 : 0) {
                outputs.begin(topic: topic, event: event, timestamp: record.timestamp, key: record.key)
                if let value = record.value { outputs.writeValue { $0.append(value) } }
            }
            processed?.count.add(1, ordering: .relaxed)
        }
    }

    /// Number of records processed by all processors of a test.
    private final class Processed: Sendable {
        let count = Atomic(0)
    }

    private static func cluster() throws -> MockCluster {
        let cluster = try MockCluster()
        for topic in ["in", "out", "side"] { cluster.createTopic(topic, partitions: 2) }
        return cluster
    }

    private static func worker(
        _ cluster: MockCluster, makeProcessor: @escaping @Sendable (Int32) -> any Processor = { _ in CopyProcessor() }
    ) -> StreamWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.drainDeadline = .seconds(1)
        settings.commitInterval = .milliseconds(100)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return StreamWorker(
            layout: CopyProcessor.layout, names: TopicNames(), kafka: cluster.configuration, settings: settings,
            logger: logger, makeProcessor: makeProcessor)
    }

    private static func read(_ cluster: MockCluster, _ topic: String) throws -> [String] {
        let reader = try KafkaReader(cluster.configuration) { _ in }
        let partitions = (0..<2).map {
            (TopicPartition(topic: topic, partition: $0), KafkaReader.Start.position(.beginning))
        }
        var values: [String] = []
        try reader.readToEnd(Dictionary(uniqueKeysWithValues: partitions)) { _, _, message in
            values.append(message.record.value?.string ?? "")
        }
        return values
    }

    /// Expects each number from 0 to 99 once, in order: even numbers in partition 0, odd in partition 1.
    private static func expectEachOnceInOrder(_ cluster: MockCluster) throws {
        let numbers = try read(cluster, "out").compactMap { Int($0) }
        for partition in 0...1 {
            #expect(numbers.filter { $0 % 2 == partition } == Array(stride(from: partition, to: 100, by: 2)))
        }
    }

    @Test("no record is lost or duplicated by a broker outage")
    func brokerOutage() async throws {
        let cluster = try Self.cluster()
        try cluster.append(0..<200)
        let worker = Self.worker(cluster)
        async let running: Void = worker.run()
        try await eventually("the first half") { try Self.read(cluster, "out").count >= 200 }
        cluster.takeDown(broker: 1)
        try await eventually("the worker not to be ready") { !worker.status.snapshot.isReady }
        #expect(worker.status.snapshot.reason == "No broker answers.")
        cluster.bringUp(broker: 1)
        try await eventually("the worker to be ready again") { worker.status.snapshot.isReady }
        try cluster.append(200..<400)
        try await eventually("the second half") { try Self.read(cluster, "out").count >= 400 }
        worker.stop()
        try await running
        #expect(try Self.read(cluster, "out").count == 400)
        #expect(Set(try Self.read(cluster, "out")) == Set((0..<400).map { "\($0)" }))
        // Offsets 0, 5, 10, … of each of the two partitions.
        #expect(try Self.read(cluster, "side").count == 80)
    }

    @Test("a worker waits for an unavailable broker at start")
    func brokerLate() async throws {
        let cluster = try Self.cluster()
        try cluster.append(0..<10)
        cluster.takeDown(broker: 1)
        let worker = Self.worker(cluster)
        async let running: Void = worker.run()
        try await eventually("the worker to report the outage") {
            worker.status.snapshot.reason?.hasPrefix("No broker answers at") == true
        }
        cluster.bringUp(broker: 1)
        try await eventually("the output") { try Self.read(cluster, "out").count == 10 }
        worker.stop()
        try await running
    }

    @Test("a worker that waits for its broker can be stopped")
    func stopWhileWaiting() async throws {
        let cluster = try Self.cluster()
        cluster.takeDown(broker: 1)
        let worker = Self.worker(cluster)
        async let running: Void = worker.run()
        try await eventually("the worker to wait") {
            worker.status.snapshot.reason?.hasPrefix("No broker answers at") == true
        }
        worker.stop()
        try await running
        #expect(worker.status.snapshot.reason == "Worker stopped.")
    }

    @Test("a worker stops with exit code 13 if the broker permanently rejects a record")
    func refused() async throws {
        let cluster = try Self.cluster()
        try cluster.append(0..<1)
        cluster.fail(.produce, with: [.messageTooLarge])
        let worker = Self.worker(cluster)
        let error = await #expect(throws: WorkerError.self) { try await worker.run() }
        #expect(error?.code == .delivery)
        #expect(error?.exitCode == 13)
    }

    @Test(
        "a worker that loses its partitions discards unsent outputs, even while it waits for side outputs",
        arguments: [false, true])
    func lostPartitions(hasSideOutput: Bool) async throws {
        let cluster = try Self.cluster()
        try cluster.append(0..<100)
        cluster.fail(.produce, with: Array(repeating: .notEnoughReplicas, count: 100_000))
        let processed = Processed()
        let worker = Self.worker(cluster) { _ in CopyProcessor(hasSideOutput: hasSideOutput, processed: processed) }
        async let running: Void = worker.run()
        try await eventually("the first outputs") { processed.count.load(ordering: .relaxed) > 0 }
        cluster.fail(.heartbeat, with: [.unknownMember])
        try await eventually("the loss of the partitions") { worker.status.snapshot.partitions.isEmpty }
        let before = processed.count.load(ordering: .relaxed)
        try await eventually("the records to be processed again") { processed.count.load(ordering: .relaxed) > before }
        cluster.heal(.produce)
        try await eventually("the output") { try Self.read(cluster, "out").count >= 100 }
        worker.stop()
        try await running
        try Self.expectEachOnceInOrder(cluster)
    }

    @Test("outputs not acknowledged before a handover are discarded")
    func undelivered() async throws {
        let cluster = try Self.cluster()
        try cluster.append(0..<100)
        cluster.fail(.produce, with: Array(repeating: .notEnoughReplicas, count: 100_000))
        let processed = Processed()
        let worker = Self.worker(cluster) { _ in CopyProcessor(hasSideOutput: false, processed: processed) }
        async let running: Void = worker.run()
        try await eventually("the outputs") { processed.count.load(ordering: .relaxed) == 100 }
        let other = Self.worker(cluster) { _ in CopyProcessor(hasSideOutput: false, processed: processed) }
        async let otherRunning: Void = other.run()
        try await eventually("the records to be processed again") { processed.count.load(ordering: .relaxed) > 100 }
        cluster.heal(.produce)
        try await eventually("the output") { try Self.read(cluster, "out").count >= 100 }
        // When both workers have a partition, a producer would already have sent any remaining outputs.
        try await eventually("both workers to have a partition") {
            worker.status.snapshot.partitions.count == 1 && other.status.snapshot.partitions.count == 1
        }
        worker.stop()
        other.stop()
        try await running
        try await otherRunning
        try Self.expectEachOnceInOrder(cluster)
    }

    @Test("failing requests are repeated without loss and in order")
    func failingRequests() async throws {
        let cluster = try Self.cluster()
        try cluster.append(0..<100)
        cluster.fail(.produce, with: [.notLeader, .notEnoughReplicas, .notEnoughReplicas, .notLeader])
        let worker = Self.worker(cluster)
        async let running: Void = worker.run()
        try await eventually("the output") { try Self.read(cluster, "out").count >= 100 }
        worker.stop()
        try await running
        try Self.expectEachOnceInOrder(cluster)
    }
}
