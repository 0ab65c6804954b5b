import Domain
import Kafka
import KafkaMock
import Logging
import Processing
import Runtime
import Synchronization
import TestSupport
import Testing

@Suite("Restores of a processor worker", .blocking, .timeLimit(.minutes(10)))
struct ProcessorWorkerRestoreTests {
    /// Processor that copies input 0 to the changelog, and every fifth record also to a side output.
    private final class CopyProcessor: Processor {
        static func layout(inputs: Int) -> ProcessorLayout {
            ProcessorLayout(
                name: "copy\(inputs)",
                inputs: (1...inputs).map { .init(topic: $0 == 1 ? "in" : "in\($0)", resume: .afterChangelog) },
                outputs: [.init(topic: "out"), .init(topic: "side")])
        }

        var counts: [Int] = []

        func restore(_ record: InputRecord) {}

        func process(_ record: InputRecord, into outputs: inout OutputBatch) {
            guard record.input == 0 else { return }
            let event = EventID(partition: record.partition, offset: record.offset)
            for topic in 0...(record.offset % 5 == 0 ? 1 : 0) {
                outputs.begin(topic: topic, event: event, timestamp: record.timestamp, key: record.key)
                if let value = record.value { outputs.writeValue { $0.append(value) } }
            }
        }
    }

    /// A cluster in which broker 1 leads the inputs, and broker 2 the outputs.
    private struct Fixture {
        let cluster: MockCluster
        let log = CapturedLog()
        let created = Created()

        /// Number of processors created: one per attempt to restore a partition.
        final class Created: Sendable { let count = Atomic(0) }

        init() throws {
            cluster = try MockCluster(brokers: 2)
            for topic in ["in", "in2", "out", "side"] {
                cluster.createTopic(topic, partitions: 2)
                for partition in 0...1 {
                    cluster.setLeader(of: topic, partition: partition, broker: topic.hasPrefix("in") ? 1 : 2)
                }
            }
            for inputs in 1...2 { cluster.setCoordinator(ofGroup: "sightline.copy\(inputs)", broker: 1) }
        }

        func start(inputs: Int = 1, _ change: (inout ProcessorWorkerSettings) -> Void = { _ in }) -> RunningWorker {
            var settings = ProcessorWorkerSettings()
            settings.sessionTimeoutMilliseconds = 6000
            settings.drainDeadline = .seconds(1)
            settings.commitInterval = .milliseconds(100)
            settings.restoreProgressInterval = .milliseconds(500)
            change(&settings)
            let created = created
            return RunningWorker(
                StreamWorker(
                    layout: CopyProcessor.layout(inputs: inputs), names: TopicNames(), kafka: cluster.configuration,
                    settings: settings,
                    logger: log.logger
                ) { _ in
                    created.count.add(1, ordering: .relaxed)
                    return CopyProcessor()
                })
        }

        /// Writes a changelog of `count` records in batches of one, so that a restore needs many fetches.
        func writeChangelog(_ count: Int, inputs: Int = 1) async throws {
            try cluster.append(0..<count)
            let worker = start(inputs: inputs) { $0.maximumBatchRecords = 1 }
            try await worker.until("the changelog is written") { try numbers().count >= count }
            try await worker.stop()
            created.count.store(0, ordering: .relaxed)
        }

        func numbers() throws -> [Int] {
            let reader = try KafkaReader(cluster.configuration) { _ in }
            let partitions = (0..<2).map {
                (TopicPartition(topic: "out", partition: $0), KafkaReader.Start.position(.beginning))
            }
            var numbers: [Int] = []
            try reader.readToEnd(Dictionary(uniqueKeysWithValues: partitions)) { _, _, message in
                numbers.append(Int(message.record.value?.string ?? "") ?? -1)
            }
            return numbers
        }

        /// Appends `count` numbers, stops the worker after their outputs, and expects each number once and in order.
        func finish(_ worker: RunningWorker, after before: Int, count: Int = 20) async throws {
            try cluster.append(before..<before + count)
            try await worker.until("the outputs are written") { try numbers().count >= before + count }
            try await worker.stop()
            let all = try numbers()
            for partition in 0...1 {
                #expect(all.filter { $0 % 2 == partition } == Array(stride(from: partition, to: before + count, by: 2)))
            }
        }
    }

    @Test("a restore longer than the poll interval completes and keeps its partitions")
    func longRestore() async throws {
        let fixture = try Fixture()
        try await fixture.writeChangelog(200)
        fixture.cluster.setRoundTrip(broker: 2, milliseconds: 200)
        let worker = fixture.start { $0.maximumPollIntervalMilliseconds = 6000 }
        try await worker.until("the restore has begun") { worker.holds(2, .restoring) }
        let began = ContinuousClock.now
        try await eventually("the poll interval has passed") {
            began.duration(to: .now) > .seconds(9) || worker.hasEnded
        }
        #expect(worker.holds(2, .restoring))
        #expect(!worker.worker.status.snapshot.isReady)
        #expect(worker.worker.status.snapshot.reason?.contains("records read") == true)
        #expect(fixture.log.has("Restoring partitions.", "total="))
        fixture.cluster.setRoundTrip(broker: 2, milliseconds: 0)
        try await worker.until("the restore has ended") { worker.worker.status.snapshot.isReady }
        #expect(worker.holds(2, .running))
        #expect(fixture.created.count.load(ordering: .relaxed) == 2, "each partition is restored once")
        #expect(!fixture.log.has("rejoining the group"), "\(fixture.log.lines)")
        try await fixture.finish(worker, after: 200)
    }

    @Test(
        "partitions are revoked and assigned during their restores, without loss or duplicates",
        arguments: [1, 2])
    func rebalances(inputs: Int) async throws {
        let fixture = try Fixture()
        try await fixture.writeChangelog(200, inputs: inputs)
        fixture.cluster.setRoundTrip(broker: 2, milliseconds: 700)
        // Members must rejoin the mock cluster within the session timeout, real brokers within the poll interval.
        let first = fixture.start(inputs: inputs) { $0.sessionTimeoutMilliseconds = 15_000 }
        try await first.until("one worker restores both partitions") { first.holds(2, .restoring) }
        let second = fixture.start(inputs: inputs) { $0.sessionTimeoutMilliseconds = 15_000 }
        try await first.until("each worker restores one partition") {
            first.holds(1, .restoring) && second.holds(1, .restoring)
        }
        #expect(first.partitions.first?.partition != second.partitions.first?.partition)
        try await second.stop()
        try await first.until("one worker restores both partitions again") { first.holds(2, .restoring) }
        #expect(!first.worker.status.snapshot.isReady)
        fixture.cluster.setRoundTrip(broker: 2, milliseconds: 0)
        try await first.until("the restores have ended") {
            first.worker.status.snapshot.isReady && first.holds(2, .running)
        }
        #expect(!fixture.log.has("rejoining the group"), "\(fixture.log.lines)")
        try await fixture.finish(first, after: 200)
    }

    @Test("a restore is retried after a broker outage and keeps its partitions")
    func brokerOutage() async throws {
        let fixture = try Fixture()
        try await fixture.writeChangelog(20)
        fixture.cluster.takeDown(broker: 2)
        let worker = fixture.start { $0.maximumPollIntervalMilliseconds = 6000 }
        try await worker.until("the restore has begun") { worker.holds(2, .restoring) }
        let began = ContinuousClock.now
        try await eventually("the poll interval has passed") {
            began.duration(to: .now) > .seconds(9) || worker.hasEnded
        }
        fixture.cluster.bringUp(broker: 2)
        try await worker.until("the restore has ended") { worker.worker.status.snapshot.isReady }
        #expect(fixture.log.has("Restore failed"))
        #expect(!fixture.log.has("rejoining the group"), "\(fixture.log.lines)")
        try await fixture.finish(worker, after: 20)
    }

    @Test(
        "a restore that the broker rejects stops the worker with the reason",
        arguments: [(MockCluster.Fault.topicDenied, WorkerError.Code.access), (.unknown, .kafka)])
    func refused(fault: MockCluster.Fault, code: WorkerError.Code) async throws {
        let fixture = try Fixture()
        try fixture.cluster.fill(["out", "side"], partitions: 2)
        fixture.cluster.fail(.fetch, atBroker: 2, with: fault, count: 10_000)
        let worker = fixture.start()
        try await eventually("the worker has ended") { worker.hasEnded }
        let error = worker.failure as? WorkerError
        #expect(error?.code == code, "\(String(describing: worker.failure))")
        #expect(fixture.log.has("Worker failed."))
        guard code == .access else { return }
        let message = error?.message ?? ""
        #expect(message.contains("Read on topic out") || message.contains("Read on topic side"), "\(message)")
        #expect(message.contains("docs/security.md"))
    }

    @Test("a worker can be stopped during a restore, and the next worker completes the restore")
    func stop() async throws {
        let fixture = try Fixture()
        try await fixture.writeChangelog(40)
        fixture.cluster.setRoundTrip(broker: 2, milliseconds: 1000)
        let worker = fixture.start()
        try await worker.until("the restore has begun") { worker.holds(2, .restoring) }
        try await worker.stop()
        #expect(fixture.log.has("Left the consumer group."))
        fixture.cluster.setRoundTrip(broker: 2, milliseconds: 0)
        let next = fixture.start()
        try await fixture.finish(next, after: 40)
    }
}
