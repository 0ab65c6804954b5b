import Bytes
import Kafka
import KafkaMock
import Pipeline
import Streaming
import TestSupport
import Testing
import Tracking

@Suite("A sink worker on a cluster with faults", .blocking, .timeLimit(.minutes(10)))
struct SinkWorkerFaultTests {
    private static func cluster(partitions: Int = 1) throws -> MockCluster {
        let cluster = try MockCluster()
        cluster.createTopic("rows", partitions: partitions)
        return cluster
    }

    private static func worker(
        _ cluster: MockCluster, _ store: MemoryStore, _ log: CapturedLog = CapturedLog()
    ) -> StreamWorker {
        var settings = SinkWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.longestRetry = .milliseconds(400)
        settings.pauseAfter = .zero
        settings.commitInterval = .milliseconds(100)
        settings.maintenanceInterval = .milliseconds(200)
        return StreamWorker(
            MemorySink.self, names: TopicNames(), kafka: cluster.configuration, settings: settings, logger: log.logger
        ) { MemorySink(store) }
    }

    private static func append(_ range: Range<Int>, to cluster: MockCluster, partitions: Int = 1) throws {
        let producer = try KafkaProducer(cluster.configuration) { _ in }
        let topic = try producer.topic("rows")
        for number in range {
            ByteSlice.withBytes(of: "value \(number)") { value in
                _ = producer.produce(
                    .init(key: .empty, value: value, timestamp: Timestamp(milliseconds: Int64(number))), to: topic,
                    partition: Int32(number % partitions), ticket: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
    }

    private static func hasFailed(_ worker: StreamWorker) -> Bool {
        worker.status.snapshot.reason?.hasPrefix("The worker cannot go on") == true
    }

    /// The offsets written of a partition, in the order of the writes.
    private static func offsets(_ store: MemoryStore, of partition: Int = 0) -> [Int64] {
        store.state.withLock { $0.rows }.compactMap { row in
            let words = row.split(separator: " ", maxSplits: 2)
            return words[0] == "\(partition)" ? Int64(words[1]) : nil
        }
    }

    @Test("records that retention deleted before they were written are counted in the log, and the worker goes on")
    func retention() async throws {
        let cluster = try Self.cluster(partitions: 2)
        try Self.append(0..<20, to: cluster, partitions: 2)
        let marks = try cluster.overrun("rows", partition: 0)
        let store = MemoryStore()
        store.state.withLock { $0.clocks[SinkPartition(topic: "rows", partition: 0)] = 4 }
        let log = CapturedLog()
        let worker = Self.worker(cluster, store, log)
        async let running: Void = worker.run()
        try await eventually("what is left of the partition") {
            Self.offsets(store).last == marks.high - 1 || Self.hasFailed(worker)
        }
        try await eventually("the other partition") { Self.offsets(store, of: 1).count >= 10 }
        worker.stop()
        try await running
        #expect(Self.offsets(store) == Array(marks.low..<marks.high))
        #expect(Self.offsets(store, of: 1) == Array(0..<10))
        let lines = log.lines.filter { $0.contains("Records were deleted by retention") }
        #expect(lines.count == 1 && lines.first?.contains("count=\(marks.low - 4)") == true, "\(lines)")
    }

    @Test("a worker without partitions is ready again when its store is")
    func standby() async throws {
        let cluster = try Self.cluster()
        let store = MemoryStore()
        let workers = [Self.worker(cluster, store), Self.worker(cluster, store)]
        async let first: Void = workers[0].run()
        async let second: Void = workers[1].run()
        try await eventually("one to have the partition, and both to be ready") {
            workers.map { $0.status.snapshot.partitions.count }.sorted() == [0, 1]
                && workers.allSatisfy { $0.status.snapshot.isReady }
        }
        store.state.withLock { $0.isAway = true }
        try await eventually("both to notice") { workers.allSatisfy { !$0.status.snapshot.isReady } }
        store.state.withLock { $0.isAway = false }
        try await eventually("both to be ready", within: 40) { workers.allSatisfy { $0.status.snapshot.isReady } }
        for worker in workers { worker.stop() }
        _ = try await (first, second)
    }
}
