import Runtime
import TestSupport
import Testing

@Suite(
    "Processor worker with two inputs", .blocking, .serialized, .timeLimit(.minutes(10)),
    .enabled(if: KafkaTestBroker.isAvailable, KafkaTestBroker.hint))
struct ProcessorWorkerJoinTests {
    private static func worker(_ topics: KafkaTestTopics) -> StreamWorker {
        var settings = ProcessorWorkerSettings()
        settings.sessionTimeoutMilliseconds = 6000
        settings.commitInterval = .milliseconds(200)
        return StreamWorker(
            layout: JoiningProcessor.layout, names: topics.names, kafka: KafkaTestBroker.configuration,
            settings: settings,
            logger: KafkaTestBroker.logger
        ) { _ in JoiningProcessor() }
    }

    private static func values(_ topics: KafkaTestTopics) throws -> [String] {
        try topics.readAll("joined").map(\.value)
    }

    @Test("a backlog is joined in timestamp order, and a restarted worker joins with trips from before its start")
    func backlogAndRestart() async throws {
        try await KafkaTestTopics.with(["positions", "trips", "joined"], partitions: 1) { topics in
            // In timestamp order: p1 before any trip, p2 on trip a, p3 on trip b; fetches may have another order.
            try topics.append([(0, "d", "a")], to: "trips", from: 1_000_010)
            try topics.append([(0, "d", "b")], to: "trips", from: 1_000_030)
            for (number, time) in [(1, 1_000_000), (2, 1_000_020), (3, 1_000_040)] as [(Int, Int64)] {
                try topics.append([(0, "d", "p\(number)")], to: "positions", from: time)
            }
            let one = Self.worker(topics)
            async let first: Void = one.run()
            try await eventually("the backlog is processed") { try Self.values(topics).count >= 5 }
            #expect(try Self.values(topics) == ["p1 on no trip", "trip a", "p2 on a", "trip b", "p3 on b"])
            one.stop()
            try await first

            // While no worker runs: a position of the old trip, a new trip, and a position of the new trip.
            try topics.append([(0, "d", "p4")], to: "positions", from: 1_000_050)
            try topics.append([(0, "d", "c")], to: "trips", from: 1_000_060)
            try topics.append([(0, "d", "p5")], to: "positions", from: 1_000_070)
            let two = Self.worker(topics)
            async let second: Void = two.run()
            try await eventually("the records since the stop are processed") { try Self.values(topics).count >= 8 }
            #expect(try Self.values(topics).suffix(3) == ["p4 on b", "trip c", "p5 on c"])

            try topics.append([(0, "d", "e")], to: "trips", from: 1_000_080)
            try await eventually("a live trip is processed") { try Self.values(topics).count >= 9 }
            try topics.append([(0, "d", "p6")], to: "positions", from: 1_000_090)
            try await eventually("a live position is processed") { try Self.values(topics).count >= 10 }
            #expect(try Self.values(topics).suffix(2) == ["trip e", "p6 on e"])
            two.stop()
            try await second
        }
    }

    @Test("after a rebalance, each position is still joined with the trip of its driver")
    func copartitionedRebalance() async throws {
        try await KafkaTestTopics.with(["positions", "trips", "joined"], partitions: 4) { topics in
            let one = Self.worker(topics)
            async let first: Void = one.run()
            try topics.append((0..<4).map { (Int32($0), "d\($0)", "t\($0)") }, to: "trips", from: 1_000_000)
            try await eventually("the trips are processed") { try Self.values(topics).count >= 4 }
            let two = Self.worker(topics)
            async let second: Void = two.run()
            try await eventually("both workers have partitions") {
                one.status.snapshot.partitions.count == 2 && two.status.snapshot.partitions.count == 2
            }
            try topics.append(
                (0..<400).map { (Int32($0 % 4), "d\($0 % 4)", "p\($0)") }, to: "positions", from: 1_000_100)
            try await eventually("the positions are processed") { try topics.readDeduplicated("joined").count >= 404 }
            one.stop()
            two.stop()
            try await first
            try await second
            let joined = try topics.readDeduplicated("joined").map(\.value).filter { !$0.hasPrefix("trip") }
            #expect(Set(joined) == Set((0..<400).map { "p\($0) on t\($0 % 4)" }))
            #expect(joined.count == 400)
        }
    }
}
