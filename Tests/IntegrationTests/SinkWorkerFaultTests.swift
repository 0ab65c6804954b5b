import Kafka
import KafkaMock
import Processing
import Runtime
import Support
import TestSupport
import Testing

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
                    partition: Int32(number % partitions), token: 0)
            }
        }
        #expect(try producer.flush(deadline: .now + .seconds(20)) { _, _ in })
    }

    private static func hasFailed(_ worker: StreamWorker) -> Bool {
        worker.status.snapshot.reason?.hasPrefix("Worker failed") == true
    }

    /// The offsets written of a partition, in the order of the writes.
    private static func offsets(_ store: MemoryStore, of partition: Int = 0) -> [Int64] {
        store.state.withLock { $0.rows }.compactMap { row in
            let words = row.split(separator: " ", maxSplits: 2)
            return words[0] == "\(partition)" ? Int64(words[1]) : nil
        }
    }

    @Test("records that retention deleted before they were written are counted in the log, and the worker continues")
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
        let lines = log.lines.filter { $0.contains("Retention deleted records") }
        #expect(lines.count == 1 && lines.first?.contains("count=\(marks.low - 4)") == true, "\(lines)")
    }

    @Test("a topic that has lost its end is read again from its first record, and the store's clock follows")
    func lostEnd() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<20, to: cluster)
        let marks = try cluster.overrun("rows", partition: 0)
        let name = SinkPartition(topic: "rows", partition: 0)
        let store = MemoryStore()
        store.state.withLock { $0.clocks[name] = marks.high + 5 }
        let log = CapturedLog()
        let worker = Self.worker(cluster, store, log)
        async let running: Void = worker.run()
        try await eventually("what is there") {
            Self.offsets(store).last == marks.high - 1 || Self.hasFailed(worker)
        }
        try Self.append(20..<30, to: cluster)
        try await eventually("what comes next") {
            Self.offsets(store).last == marks.high + 9 || Self.hasFailed(worker)
        }
        worker.stop()
        try await running
        #expect(Self.offsets(store) == Array(marks.low..<marks.high + 10))
        #expect(store.state.withLock { $0.clocks[name] } == marks.high + 10)
        let lines = log.lines.filter { $0.contains("Topic was truncated") }
        #expect(lines.count == 1 && lines.first?.contains("count=5") == true, "\(log.lines)")
    }

    @Test("a topic that has its first record may be a new one, so the worker ends and says what to do")
    func newTopic() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<20, to: cluster)
        let store = MemoryStore()
        store.state.withLock { $0.clocks[SinkPartition(topic: "rows", partition: 0)] = 25 }
        let worker = Self.worker(cluster, store)
        let error = await #expect(throws: WorkerError.self) { try await worker.run() }
        #expect(error?.code == .offsetsGone)
        #expect(error?.message.contains("recreated") == true && error?.message.contains("truncated") == true)
        #expect(Self.offsets(store) == [])
    }

    @Test("a partition that retention overtakes while the store is away continues when the store is back")
    func retentionWhileAway() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<10, to: cluster)
        let store = MemoryStore()
        let worker = Self.worker(cluster, store)
        async let running: Void = worker.run()
        try await eventually("the first rows") { Self.offsets(store).count == 10 }
        store.state.withLock { $0.holdsWrites = true }
        try Self.append(10..<11, to: cluster)
        try await eventually("a write") { store.state.withLock { $0.isHolding } }
        // Nothing is fetched before the next record is gone, so that the client gives the partition up.
        cluster.fail(.fetch, with: Array(repeating: .notLeader, count: 100_000))
        let marks = try cluster.overrun("rows", partition: 0)
        cluster.heal(.fetch)
        // The worker polls nothing, so it cannot be asked: another client has time to be told the same.
        try Self.waitForMissingOffset(11, of: cluster)
        store.state.withLock { ($0.isAway, $0.holdsWrites) = (true, false) }
        try await eventually("failed attempts") { store.state.withLock { $0.failedAttempts >= 5 } }
        store.state.withLock { $0.isAway = false }
        try await eventually("what is left", within: 40) { Self.offsets(store).last == marks.high - 1 }
        worker.stop()
        try await running
        #expect(Self.offsets(store) == Array(0..<11) + Array(marks.low..<marks.high))
    }

    private static func waitForMissingOffset(_ offset: Int64, of cluster: MockCluster) throws {
        let group = KafkaGroupSettings(group: "other", assignor: .range)
        let consumer = try KafkaConsumer(cluster.configuration, group: group, topics: ["rows"]) { _ in }
        defer { consumer.abandon() }
        let batch = consumer.makeBatch(capacity: 10)
        defer { batch.removeAll() }
        let deadline = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < deadline {
            try consumer.poll(into: batch, waitMilliseconds: 50)
            for index in 0..<batch.count {
                if case .failure(_, _, let missing?, _)? = batch[index], missing == offset { return }
            }
            batch.removeAll()
            for change in consumer.drainRebalances() where change.kind == .assigned {
                let starts = change.partitions.map { ($0, KafkaPosition.offset(offset)) }
                try consumer.accept(change.partitions, positions: Dictionary(uniqueKeysWithValues: starts))
            }
        }
        Issue.record("Offset \(offset) is not missing.")
    }

    @Test("a group that refuses the worker ends it, also while it waits for the store")
    func deniedWhileAway() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<1, to: cluster)
        let store = MemoryStore()
        let worker = Self.worker(cluster, store)
        async let running: Void = worker.run()
        try await eventually("the first row") { Self.offsets(store).count == 1 }
        store.state.withLock { $0.isAway = true }
        try Self.append(1..<2, to: cluster)
        try await eventually("failed attempts") { store.state.withLock { $0.failedAttempts >= 3 } }
        cluster.deny(.joinGroup, with: .groupDenied)
        cluster.fail(.heartbeat, with: [.rebalancing])
        try await eventually("the worker to end", within: 60) { Self.hasFailed(worker) }
        do {
            try await running
            Issue.record("The worker ended without an error.")
        } catch let error as WorkerError {
            #expect(error.code == .access)
        }
    }

    @Test("a partition that leaves the worker and comes back while the store is away is read on")
    func leavesWhileAway() async throws {
        let cluster = try Self.cluster(partitions: 2)
        let store = MemoryStore()
        let worker = Self.worker(cluster, store)
        async let running: Void = worker.run()
        try await eventually("its partitions") { worker.status.snapshot.partitions.count == 2 }
        try Self.append(0..<2, to: cluster, partitions: 2)
        try await eventually("the first rows") { store.state.withLock { $0.rows.count == 2 } }
        store.state.withLock { $0.isAway = true }
        try Self.append(2..<4, to: cluster, partitions: 2)
        try await eventually("failed attempts") { store.state.withLock { $0.failedAttempts >= 3 } }
        // A worker would wait for the store before it joins.
        try Self.joinForAMoment(cluster)
        try await eventually("the partition to come back") { worker.status.snapshot.partitions.count == 2 }
        store.state.withLock { $0.isAway = false }
        try await eventually("the next rows", within: 40) { store.state.withLock { $0.rows.count == 4 } }
        worker.stop()
        try await running
    }

    /// Has another member of the worker's group take a partition, and leave.
    private static func joinForAMoment(_ cluster: MockCluster) throws {
        var group = KafkaGroupSettings(group: "sightline.memory", assignor: .cooperativeSticky)
        group.sessionTimeoutMilliseconds = 6000
        let consumer = try KafkaConsumer(cluster.configuration, group: group, topics: ["rows"]) { _ in }
        let batch = consumer.makeBatch(capacity: 10)
        var taken: [TopicPartition] = []
        let deadline = ContinuousClock.now + .seconds(60)
        while taken.isEmpty, ContinuousClock.now < deadline {
            try consumer.poll(into: batch, waitMilliseconds: 50)
            batch.removeAll()
            for change in consumer.drainRebalances() {
                try #require(change.kind == .assigned)
                try consumer.accept(change.partitions, positions: [:])
                taken += change.partitions
            }
        }
        #expect(taken.count == 1)
        batch.removeAll()
        consumer.close()
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
