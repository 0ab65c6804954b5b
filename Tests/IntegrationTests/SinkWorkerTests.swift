import Processing
import Runtime
import TestSupport
import Testing

@Suite(
    "Sink worker with a broker", .blocking, .serialized, .timeLimit(.minutes(10)),
    .enabled(if: KafkaTestBroker.isAvailable, KafkaTestBroker.hint))
struct SinkWorkerTests {
    private static func worker(
        _ topics: KafkaTestTopics, _ store: MemoryStore, maintenanceInterval: Duration = .seconds(60)
    ) -> StreamWorker {
        var settings = SinkWorkerSettings()
        settings.maintenanceInterval = maintenanceInterval
        settings.sessionTimeoutMilliseconds = 6000
        settings.longestRetry = .milliseconds(400)
        settings.pauseAfter = .milliseconds(500)
        settings.commitInterval = .milliseconds(200)
        return StreamWorker(
            MemorySink.self, names: topics.names, kafka: KafkaTestBroker.configuration, settings: settings,
            logger: KafkaTestBroker.logger
        ) { MemorySink(store) }
    }

    private static func records(_ range: Range<Int>, partitions: Int) -> [(
        partition: Int32, key: String, value: String
    )] {
        range.map { (Int32($0 % partitions), "key", "value \($0)") }
    }

    private static func rows(_ store: MemoryStore) -> [String] { store.state.withLock { $0.rows } }

    private static func expectOnce(_ store: MemoryStore, _ count: Int) {
        let rows = rows(store)
        #expect(rows.count == count)
        #expect(Set(rows).count == count)
    }

    @Test("a worker rereads the records before the stored offset that its sink requests, and writes each row once")
    func rereadRecords() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            let store = MemoryStore()
            store.state.withLock { $0.rereadDistance = 30 }
            for round in 0..<3 {
                try topics.append(Self.records(round * 100..<(round + 1) * 100, partitions: 2), to: "rows")
                let worker = Self.worker(topics, store)
                async let run: Void = worker.run()
                try await eventually("all rows are written and earlier records reread") {
                    Self.rows(store).count >= (round + 1) * 100
                        && store.state.withLock { $0.rereadCount } == round * 60
                }
                worker.stop()
                try await run
            }
            Self.expectOnce(store, 300)
        }
    }

    @Test("every record is written once across a restart")
    func restart() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 3) { topics in
            let store = MemoryStore()
            try topics.append(Self.records(0..<2000, partitions: 3), to: "rows")
            let one = Self.worker(topics, store)
            async let first: Void = one.run()
            try await eventually("the first rows are written") { Self.rows(store).count >= 2000 }
            one.stop()
            try await first
            try topics.append(Self.records(2000..<3000, partitions: 3), to: "rows")
            let two = Self.worker(topics, store)
            async let second: Void = two.run()
            try await eventually("the remaining rows are written") { Self.rows(store).count >= 3000 }
            two.stop()
            try await second
            Self.expectOnce(store, 3000)
        }
    }

    @Test("partitions wait while the store is unavailable, without loss or duplicates")
    func storeUnavailable() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            let store = MemoryStore()
            let worker = Self.worker(topics, store)
            async let running: Void = worker.run()
            try topics.append(Self.records(0..<100, partitions: 2), to: "rows")
            try await eventually("the first rows are written") { Self.rows(store).count >= 100 }
            store.state.withLock { $0.isUnavailable = true }
            try topics.append(Self.records(100..<1100, partitions: 2), to: "rows")
            // After six attempts, the worker has paused its partitions and polls between retries.
            try await eventually("several writes have failed") { store.state.withLock { $0.failedAttempts >= 6 } }
            let status = worker.status.snapshot
            #expect(!status.isReady)
            #expect(status.reason?.contains("The memory store is unavailable.") == true)
            #expect(status.partitions.map(\.state) == [.waiting, .waiting])
            store.state.withLock { $0.isUnavailable = false }
            try await eventually("the remaining rows are written") { Self.rows(store).count >= 1100 }
            try await eventually("the worker is ready") { worker.status.snapshot.isReady }
            worker.stop()
            try await running
            Self.expectOnce(store, 1100)
        }
    }

    @Test("a write whose response was lost is not repeated")
    func lostResponse() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 1) { topics in
            let store = MemoryStore()
            let worker = Self.worker(topics, store)
            async let running: Void = worker.run()
            try topics.append(Self.records(0..<50, partitions: 1), to: "rows")
            try await eventually("the first rows are written") { Self.rows(store).count >= 50 }
            store.state.withLock { $0.losesNextResponse = true }
            try topics.append(Self.records(50..<500, partitions: 1), to: "rows")
            try await eventually("the remaining rows are written") { Self.rows(store).count >= 500 }
            worker.stop()
            try await running
            Self.expectOnce(store, 500)
        }
    }

    @Test("rows missing after a restore of the store are written again, whether or not the worker noticed an outage")
    func storeRestoredFromBackup() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            for outageIsObserved in [true, false] {
                let store = MemoryStore()
                let worker = Self.worker(
                    topics, store, maintenanceInterval: outageIsObserved ? .seconds(60) : .milliseconds(200))
                async let running: Void = worker.run()
                if outageIsObserved { try topics.append(Self.records(0..<100, partitions: 2), to: "rows") }
                try await eventually("the first rows are written") {
                    Self.rows(store).count == (outageIsObserved ? 100 : 101)
                }
                store.state.withLock { state in
                    state.isUnavailable = outageIsObserved
                    state.rows.removeAll { $0.hasPrefix("1 4") && !$0.hasPrefix("1 4 ") }
                    state.nextOffsets[SinkPartition(topic: "rows", partition: 1)] = 40
                }
                if outageIsObserved {
                    // Only partition 0 gets a new record, so partition 1 must be corrected without a new record.
                    try topics.append([(0, "key", "one more")], to: "rows")
                    try await eventually("a write has failed") { store.state.withLock { $0.failedAttempts > 0 } }
                    store.state.withLock { $0.isUnavailable = false }
                }
                try await eventually("all rows are written") { Self.rows(store).count >= 101 }
                worker.stop()
                try await running
                Self.expectOnce(store, 101)
            }
        }
    }

    @Test("two workers share the partitions, and one worker continues all of them when the other crashes")
    func takeover() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 4) { topics in
            let store = MemoryStore()
            let crashing = Self.worker(topics, store)
            let survivor = Self.worker(topics, store)
            async let first: Void = crashing.run()
            async let second: Void = survivor.run()
            try await eventually("both workers have partitions") {
                crashing.status.snapshot.partitions.count == 2 && survivor.status.snapshot.partitions.count == 2
            }
            try topics.append(Self.records(0..<2000, partitions: 4), to: "rows")
            try await eventually("some rows are written") { Self.rows(store).count >= 100 }
            crashing.abandon()
            try await first
            try topics.append(Self.records(2000..<4000, partitions: 4), to: "rows")
            try await eventually("all rows are written") { Self.rows(store).count >= 4000 }
            survivor.stop()
            try await second
            Self.expectOnce(store, 4000)
        }
    }

    @Test("partitions assigned while the store is unavailable start when it is available again")
    func assignmentDuringOutage() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            let store = MemoryStore()
            try topics.append(Self.records(0..<100, partitions: 2), to: "rows")
            let one = Self.worker(topics, store)
            async let first: Void = one.run()
            try await eventually("the first rows are written") { Self.rows(store).count >= 100 }
            let two = Self.worker(topics, store)
            async let second: Void = two.run()
            try await eventually("both workers have a partition") {
                one.status.snapshot.partitions.count == 1 && two.status.snapshot.partitions.count == 1
            }
            store.state.withLock { $0.isUnavailable = true }
            one.stop()
            try await first
            try await eventually("the partition is reassigned") {
                two.status.snapshot.partitions.contains { $0.state == .restoring }
            }
            try topics.append(Self.records(100..<300, partitions: 2), to: "rows")
            store.state.withLock { $0.isUnavailable = false }
            try await eventually("the remaining rows are written") { Self.rows(store).count >= 300 }
            two.stop()
            try await second
            Self.expectOnce(store, 300)
        }
    }
}
