import Processing
import Runtime
import TestSupport
import Testing

@Suite(
    "A sink worker against a broker", .blocking, .serialized, .timeLimit(.minutes(10)),
    .enabled(if: KafkaTestBroker.isAvailable, KafkaTestBroker.absence))
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

    @Test("records that a sink needs again are read again by the next worker, and written once")
    func readsBack() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            let store = MemoryStore()
            store.state.withLock { $0.readsBack = 30 }
            for round in 0..<3 {
                try topics.append(Self.records(round * 100..<(round + 1) * 100, partitions: 2), to: "rows")
                let worker = Self.worker(topics, store)
                async let run: Void = worker.run()
                try await eventually("the rows") {
                    Self.rows(store).count >= (round + 1) * 100
                        && store.state.withLock { $0.readAgain } == round * 60
                }
                worker.stop()
                try await run
            }
            Self.expectOnce(store, 300)
        }
    }

    @Test("every record is written once, over a restart")
    func restart() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 3) { topics in
            let store = MemoryStore()
            try topics.append(Self.records(0..<2000, partitions: 3), to: "rows")
            let one = Self.worker(topics, store)
            async let first: Void = one.run()
            try await eventually("the first rows") { Self.rows(store).count >= 2000 }
            one.stop()
            try await first
            try topics.append(Self.records(2000..<3000, partitions: 3), to: "rows")
            let two = Self.worker(topics, store)
            async let second: Void = two.run()
            try await eventually("the rest") { Self.rows(store).count >= 3000 }
            two.stop()
            try await second
            Self.expectOnce(store, 3000)
        }
    }

    @Test("a store that goes away keeps the partitions waiting, and nothing is lost or doubled")
    func storeAway() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            let store = MemoryStore()
            let worker = Self.worker(topics, store)
            async let running: Void = worker.run()
            try topics.append(Self.records(0..<100, partitions: 2), to: "rows")
            try await eventually("the first rows") { Self.rows(store).count >= 100 }
            store.state.withLock { $0.isAway = true }
            try topics.append(Self.records(100..<1100, partitions: 2), to: "rows")
            // Long enough for the partitions to be paused and the group to be served from within the retries.
            try await eventually("several failed attempts") { store.state.withLock { $0.failedAttempts >= 6 } }
            let status = worker.status.snapshot
            #expect(!status.isReady)
            #expect(status.reason?.contains("The memory store is away.") == true)
            #expect(status.partitions.map(\.state) == [.waiting, .waiting])
            store.state.withLock { $0.isAway = false }
            try await eventually("the rest") { Self.rows(store).count >= 1100 }
            try await eventually("readiness") { worker.status.snapshot.isReady }
            worker.stop()
            try await running
            Self.expectOnce(store, 1100)
        }
    }

    @Test("a write whose answer was lost is not written again")
    func lostAnswer() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 1) { topics in
            let store = MemoryStore()
            let worker = Self.worker(topics, store)
            async let running: Void = worker.run()
            try topics.append(Self.records(0..<50, partitions: 1), to: "rows")
            try await eventually("the first rows") { Self.rows(store).count >= 50 }
            store.state.withLock { $0.losesNextAnswer = true }
            try topics.append(Self.records(50..<500, partitions: 1), to: "rows")
            try await eventually("the rest") { Self.rows(store).count >= 500 }
            worker.stop()
            try await running
            Self.expectOnce(store, 500)
        }
    }

    @Test("a silent partition gets back what a store lacks that went back, whether its break was seen or not")
    func storeWentBack() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            for breakIsSeen in [true, false] {
                let store = MemoryStore()
                let worker = Self.worker(
                    topics, store, maintenanceInterval: breakIsSeen ? .seconds(60) : .milliseconds(200))
                async let running: Void = worker.run()
                if breakIsSeen { try topics.append(Self.records(0..<100, partitions: 2), to: "rows") }
                try await eventually("the first rows") { Self.rows(store).count == (breakIsSeen ? 100 : 101) }
                store.state.withLock { state in
                    state.isAway = breakIsSeen
                    state.rows.removeAll { $0.hasPrefix("1 4") && !$0.hasPrefix("1 4 ") }
                    state.clocks[SinkPartition(topic: "rows", partition: 1)] = 40
                }
                if breakIsSeen {
                    // Of partition 0: partition 1 has nothing new to find out by.
                    try topics.append([(0, "key", "one more")], to: "rows")
                    try await eventually("a failed attempt") { store.state.withLock { $0.failedAttempts > 0 } }
                    store.state.withLock { $0.isAway = false }
                }
                try await eventually("all rows") { Self.rows(store).count >= 101 }
                worker.stop()
                try await running
                Self.expectOnce(store, 101)
            }
        }
    }

    @Test("two workers share the partitions, and one that dies is taken over")
    func takeover() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 4) { topics in
            let store = MemoryStore()
            let doomed = Self.worker(topics, store)
            let survivor = Self.worker(topics, store)
            async let first: Void = doomed.run()
            async let second: Void = survivor.run()
            try await eventually("both to hold partitions") {
                doomed.status.snapshot.partitions.count == 2 && survivor.status.snapshot.partitions.count == 2
            }
            try topics.append(Self.records(0..<2000, partitions: 4), to: "rows")
            try await eventually("some rows") { Self.rows(store).count >= 100 }
            doomed.abandon()
            try await first
            try topics.append(Self.records(2000..<4000, partitions: 4), to: "rows")
            try await eventually("all rows") { Self.rows(store).count >= 4000 }
            survivor.stop()
            try await second
            Self.expectOnce(store, 4000)
        }
    }

    @Test("a store that is away at the assignment gets its partitions when it is back")
    func awayAtAssignment() async throws {
        try await KafkaTestTopics.with(["rows"], partitions: 2) { topics in
            let store = MemoryStore()
            try topics.append(Self.records(0..<100, partitions: 2), to: "rows")
            let one = Self.worker(topics, store)
            async let first: Void = one.run()
            try await eventually("the rows") { Self.rows(store).count >= 100 }
            let two = Self.worker(topics, store)
            async let second: Void = two.run()
            try await eventually("both to hold a partition") {
                one.status.snapshot.partitions.count == 1 && two.status.snapshot.partitions.count == 1
            }
            store.state.withLock { $0.isAway = true }
            one.stop()
            try await first
            try await eventually("the partition to move") {
                two.status.snapshot.partitions.contains { $0.state == .restoring }
            }
            try topics.append(Self.records(100..<300, partitions: 2), to: "rows")
            store.state.withLock { $0.isAway = false }
            try await eventually("the rest") { Self.rows(store).count >= 300 }
            two.stop()
            try await second
            Self.expectOnce(store, 300)
        }
    }
}
