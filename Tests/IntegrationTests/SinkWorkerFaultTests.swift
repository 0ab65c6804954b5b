import Kafka
import KafkaMock
import Processing
import Runtime
import Support
import TestSupport
import Testing

@Suite("Sink worker on a faulty cluster", .blocking, .timeLimit(.minutes(10)))
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

    /// Returns the written offsets of a partition in the order of the writes.
    private static func offsets(_ store: MemoryStore, of partition: Int = 0) -> [Int64] {
        store.state.withLock { $0.rows }.compactMap { row in
            let words = row.split(separator: " ", maxSplits: 2)
            return words[0] == "\(partition)" ? Int64(words[1]) : nil
        }
    }

    @Test("the worker continues after records that retention deleted, and logs their number")
    func deletedRecordsAreLogged() async throws {
        let cluster = try Self.cluster(partitions: 2)
        try Self.append(0..<20, to: cluster, partitions: 2)
        let range = try cluster.deleteOldestRecords("rows", partition: 0)
        let store = MemoryStore()
        store.state.withLock { $0.nextOffsets[SinkPartition(topic: "rows", partition: 0)] = 4 }
        let log = CapturedLog()
        let worker = Self.worker(cluster, store, log)
        async let running: Void = worker.run()
        try await eventually("the remaining records of the partition are written") {
            Self.offsets(store).last == range.high - 1 || Self.hasFailed(worker)
        }
        try await eventually("the other partition is written") { Self.offsets(store, of: 1).count >= 10 }
        worker.stop()
        try await running
        #expect(Self.offsets(store) == Array(range.low..<range.high))
        #expect(Self.offsets(store, of: 1) == Array(0..<10))
        let lines = log.lines.filter { $0.contains("Retention deleted records") }
        #expect(lines.count == 1 && lines.first?.contains("count=\(range.low - 4)") == true, "\(lines)")
    }

    @Test("a truncated topic is reread from its first record, and later records are written")
    func truncatedTopic() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<20, to: cluster)
        let range = try cluster.deleteOldestRecords("rows", partition: 0)
        let partition = SinkPartition(topic: "rows", partition: 0)
        let store = MemoryStore()
        store.state.withLock { $0.nextOffsets[partition] = range.high + 5 }
        let log = CapturedLog()
        let worker = Self.worker(cluster, store, log)
        async let running: Void = worker.run()
        try await eventually("the existing records are written") {
            Self.offsets(store).last == range.high - 1 || Self.hasFailed(worker)
        }
        try Self.append(20..<30, to: cluster)
        try await eventually("the new records are written") {
            Self.offsets(store).last == range.high + 9 || Self.hasFailed(worker)
        }
        worker.stop()
        try await running
        #expect(Self.offsets(store) == Array(range.low..<range.high + 10))
        #expect(store.state.withLock { $0.nextOffsets[partition] } == range.high + 10)
        let lines = log.lines.filter { $0.contains("Topic was truncated") }
        #expect(lines.count == 1 && lines.first?.contains("count=5") == true, "\(log.lines)")
    }

    @Test("the worker ends with an error if the topic still has offset 0, but ends before the stored offset")
    func recreatedTopic() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<20, to: cluster)
        let store = MemoryStore()
        store.state.withLock { $0.nextOffsets[SinkPartition(topic: "rows", partition: 0)] = 25 }
        let worker = Self.worker(cluster, store)
        let error = await #expect(throws: WorkerError.self) { try await worker.run() }
        #expect(error?.code == .offsetsGone)
        #expect(error?.message.contains("recreated") == true && error?.message.contains("truncated") == true)
        #expect(Self.offsets(store) == [])
    }

    @Test("a partition continues if retention deletes its next records while the store is unavailable")
    func deletedRecordsDuringOutage() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<10, to: cluster)
        let store = MemoryStore()
        let worker = Self.worker(cluster, store)
        async let running: Void = worker.run()
        try await eventually("the first rows are written") { Self.offsets(store).count == 10 }
        store.state.withLock { $0.blocksWrites = true }
        try Self.append(10..<11, to: cluster)
        try await eventually("a write is blocked") { store.state.withLock { $0.isBlocked } }
        // Fetches fail until the next record is deleted, so that the client reports the missing offset.
        cluster.fail(.fetch, with: Array(repeating: .notLeader, count: 100_000))
        let range = try cluster.deleteOldestRecords("rows", partition: 0)
        cluster.heal(.fetch)
        // The blocked worker does not poll, so another consumer polls until the offset is reported as missing.
        try Self.waitForMissingOffset(11, of: cluster)
        store.state.withLock { ($0.isUnavailable, $0.blocksWrites) = (true, false) }
        try await eventually("several writes have failed") { store.state.withLock { $0.failedAttempts >= 5 } }
        store.state.withLock { $0.isUnavailable = false }
        try await eventually("the remaining records are written", within: 40) {
            Self.offsets(store).last == range.high - 1
        }
        worker.stop()
        try await running
        #expect(Self.offsets(store) == Array(0..<11) + Array(range.low..<range.high))
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
        Issue.record("The cluster does not report offset \(offset) as missing.")
    }

    @Test("the worker ends if it is denied access to its group, even while it waits for the store")
    func groupDeniedDuringOutage() async throws {
        let cluster = try Self.cluster()
        try Self.append(0..<1, to: cluster)
        let store = MemoryStore()
        let worker = Self.worker(cluster, store)
        async let running: Void = worker.run()
        try await eventually("the first row is written") { Self.offsets(store).count == 1 }
        store.state.withLock { $0.isUnavailable = true }
        try Self.append(1..<2, to: cluster)
        try await eventually("several writes have failed") { store.state.withLock { $0.failedAttempts >= 3 } }
        cluster.deny(.joinGroup, with: .groupDenied)
        cluster.fail(.heartbeat, with: [.rebalancing])
        try await eventually("the worker has failed", within: 60) { Self.hasFailed(worker) }
        do {
            try await running
            Issue.record("The worker ended without an error.")
        } catch let error as WorkerError {
            #expect(error.code == .access)
        }
    }

    @Test("a partition that is revoked and reassigned while the store is unavailable continues")
    func reassignmentDuringOutage() async throws {
        let cluster = try Self.cluster(partitions: 2)
        let store = MemoryStore()
        let worker = Self.worker(cluster, store)
        async let running: Void = worker.run()
        try await eventually("both partitions are assigned") { worker.status.snapshot.partitions.count == 2 }
        try Self.append(0..<2, to: cluster, partitions: 2)
        try await eventually("the first rows are written") { store.state.withLock { $0.rows.count == 2 } }
        store.state.withLock { $0.isUnavailable = true }
        try Self.append(2..<4, to: cluster, partitions: 2)
        try await eventually("several writes have failed") { store.state.withLock { $0.failedAttempts >= 3 } }
        // Uses a plain consumer, because a second worker would wait for the store before it joins the group.
        try Self.joinAndLeave(cluster)
        try await eventually("both partitions are assigned again") { worker.status.snapshot.partitions.count == 2 }
        store.state.withLock { $0.isUnavailable = false }
        try await eventually("the next rows are written", within: 40) { store.state.withLock { $0.rows.count == 4 } }
        worker.stop()
        try await running
    }

    /// Joins the worker's group with another consumer until it gets a partition, then leaves.
    private static func joinAndLeave(_ cluster: MockCluster) throws {
        var group = KafkaGroupSettings(group: "sightline.memory", assignor: .cooperativeSticky)
        group.sessionTimeoutMilliseconds = 6000
        let consumer = try KafkaConsumer(cluster.configuration, group: group, topics: ["rows"]) { _ in }
        let batch = consumer.makeBatch(capacity: 10)
        var assigned: [TopicPartition] = []
        let deadline = ContinuousClock.now + .seconds(60)
        while assigned.isEmpty, ContinuousClock.now < deadline {
            try consumer.poll(into: batch, waitMilliseconds: 50)
            batch.removeAll()
            for change in consumer.drainRebalances() {
                try #require(change.kind == .assigned)
                try consumer.accept(change.partitions, positions: [:])
                assigned += change.partitions
            }
        }
        #expect(assigned.count == 1)
        batch.removeAll()
        consumer.close()
    }

    @Test("all workers become ready again when their store is available, also a worker without partitions")
    func standbyReadiness() async throws {
        let cluster = try Self.cluster()
        let store = MemoryStore()
        let workers = [Self.worker(cluster, store), Self.worker(cluster, store)]
        async let first: Void = workers[0].run()
        async let second: Void = workers[1].run()
        try await eventually("one worker has the partition, and both are ready") {
            workers.map { $0.status.snapshot.partitions.count }.sorted() == [0, 1]
                && workers.allSatisfy { $0.status.snapshot.isReady }
        }
        store.state.withLock { $0.isUnavailable = true }
        try await eventually("both workers are not ready") { workers.allSatisfy { !$0.status.snapshot.isReady } }
        store.state.withLock { $0.isUnavailable = false }
        try await eventually("both workers are ready", within: 40) { workers.allSatisfy { $0.status.snapshot.isReady } }
        for worker in workers { worker.stop() }
        _ = try await (first, second)
    }
}
