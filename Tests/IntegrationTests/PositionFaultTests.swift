import Foundation
import PositionWorker
import Processing
import Redis
import TestSupport
import Testing

@Suite("Position sink: faults", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionFaultTests {
    /// Creates positions and rider updates in two partitions, of drivers who move between areas.
    private func feed(count: Int, random: inout SeededGenerator) -> [PositionRecords] {
        (Int32(0)..<2).flatMap { partition in
            let positions = PositionRecords(.locations, partition: partition)
            let updates = PositionRecords(.riderUpdates, partition: partition)
            for index in 0..<count {
                let driver = "drv_\(partition)_\(Int.random(in: 0..<5, using: &random))"
                // One event in ten repeats the previous event, as if a zombie upstream worker had written it.
                let event = Int64(index - (Int.random(in: 0..<10, using: &random) == 0 && index > 0 ? 1 : 0))
                positions.addVerdict(
                    of: driver, latitude: 10 + Double(Int.random(in: 0..<40, using: &random)) / 10,
                    verdict: Int.random(in: 0..<8, using: &random) == 0 ? "rejected" : "accepted", event: event)
                updates.addUpdate("driver_location", channel: "trip:\(driver)", payload: #"{"latitude":\#(index)}"#)
            }
            return [positions, updates]
        }
    }

    /// Returns the contents of Redis after one sink has written the feed without faults.
    private func reference(_ feed: [PositionRecords]) throws -> [String: String] {
        let fixture = try RedisFixture()
        _ = try fixture.sink { $0.streamLength = 100_000 }.write(feed.map { $0.batch() })
        return try contents(of: fixture)
    }

    /// Returns all keys and values except the set of areas, which contains empty areas until the next sweep.
    private func contents(of fixture: RedisFixture) throws -> [String: String] {
        var contents = try fixture.contents()
        contents["drivers:areas"] = nil
        return contents
    }

    private func expectEqual(_ actual: [String: String], _ expected: [String: String], _ seed: UInt64) {
        for key in Set(actual.keys).union(expected.keys).sorted() where actual[key] != expected[key] {
            Issue.record("seed \(seed): \(key) is \(actual[key] ?? "absent"), not \(expected[key] ?? "absent")")
        }
        #expect(!actual.isEmpty)
    }

    /// Writes the feed in batches of random size.
    ///
    /// Continues at the stored offsets after a superseded or failed write.
    private static func deliver(_ sink: PositionSink, _ feed: [PositionRecords], random: inout SeededGenerator) throws {
        var offsets: [SinkPartition: Int64]?
        var failures = 0
        while true {
            do {
                let current = try offsets ?? sink.nextOffsets(of: feed.map(\.partition))
                let batches = feed.compactMap { records -> PartitionBatch? in
                    let from = current[records.partition] ?? 0
                    guard from < records.next, Int.random(in: 0..<4, using: &random) > 0 else { return nil }
                    let end = from + Int64.random(in: 1...25, using: &random)
                    return records.batch(from: from, to: min(records.next, end))
                }
                offsets = current
                if batches.isEmpty {
                    if feed.allSatisfy({ current[$0.partition] ?? 0 >= $0.next }) { return }
                    continue
                }
                let report = try sink.write(batches)
                for batch in batches { offsets?[batch.partition] = batch.to }
                if !report.superseded.isEmpty { offsets = nil }
            } catch let error as RedisError where error.isRetriable && failures < 1000 {
                failures += 1
                offsets = nil
            }
        }
    }

    @Test("a key of another type fails a write before anything is written, and the write succeeds once the key is gone")
    func keyOfAnotherType() throws {
        let fixture = try RedisFixture()
        let positions = PositionRecords(.locations)
        let updates = PositionRecords(.riderUpdates)
        for driver in ["drv_1", "drv_2"] { positions.addVerdict(of: driver) }
        updates.addUpdate("notification", channel: "trip:a", payload: "{}")
        for key in ["driver:drv_2:trail", "trip:a:events", "driver:drv_1"] {
            try fixture.redis.call("SET", "\(fixture.prefix)\(key)", "mine")
            let error = #expect(throws: RedisError.self) {
                try fixture.sink().write([positions.batch(), updates.batch()])
            }
            #expect(error?.code == .wrongType)
            #expect(try fixture.keys() == [key])
            try fixture.delete(key)
        }
        #expect(try fixture.sink().write([positions.batch(), updates.batch()]).superseded == [])
        #expect(try fixture.list("driver:drv_2:trail").count == 1)
        #expect(try fixture.stream("trip:a:events").count == 1)
    }

    @Test("a key that changes its type between two writes loses no records of its partition")
    func keyTypeChangesLater() throws {
        let fixture = try RedisFixture()
        let positions = PositionRecords(.locations)
        for index in 0..<6 { positions.addVerdict(of: "drv_\(index % 2)", latitude: 10 + Double(index)) }
        let sink = try fixture.sink()
        _ = try sink.write([positions.batch(to: 2)])
        try fixture.delete("driver:drv_0")
        try fixture.redis.call("SET", "\(fixture.prefix)driver:drv_0", "mine")
        let error = #expect(throws: RedisError.self) { try sink.write([positions.batch(from: 2)]) }
        #expect(error?.code == .wrongType)
        #expect(try fixture.text("progress:driver.locations:0") == "2 0-1 -")
        try fixture.delete("driver:drv_0")
        let next = try fixture.sink()
        #expect(try next.nextOffsets(of: [positions.partition]) == [positions.partition: 2])
        #expect(try next.write([positions.batch(from: 2)]).superseded == [])
        #expect(try fixture.hash("driver:drv_0")["lat"]?.hasPrefix("14") == true)
        #expect(try fixture.list("driver:drv_1:trail").count == 3, "a position was written twice")
        #expect(try fixture.text("progress:driver.locations:0") == "6 0-5 -")
    }

    @Test("connections cut after random numbers of bytes cause no loss and no duplicates", arguments: 0..<6)
    func cutConnections(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let feed = feed(count: 150, random: &random)
        let address = try RedisFixture.address()
        let limits = (0..<60).map { _ in
            CuttingProxy.Limit(
                direction: Bool.random(using: &random) ? .toServer : .toClient,
                bytes: Int.random(in: 100..<12_100, using: &random))
        }
        let proxy = try CuttingProxy(to: (address.host, address.port), limits: limits)
        defer { proxy.stop() }
        let fixture = try RedisFixture()
        let sink = try fixture.sink {
            $0.redis.host = "127.0.0.1"
            $0.redis.port = proxy.port
            $0.streamLength = 100_000
            $0.transactionRecords = [1, 20, 2000][round % 3]
        }
        try Self.deliver(sink, feed, random: &random)
        try expectEqual(contents(of: fixture), reference(feed), seed)
    }

    @Test("two concurrent sinks that write the same partitions produce the same result as one sink", arguments: 0..<6)
    func concurrentWriters(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        let random = SeededGenerator(seed: seed)
        // Each thread has its own copy of the records, because they must not be shared between threads.
        let feeds = [random, random].map { start in
            var random = start
            return feed(count: 200, random: &random)
        }
        let fixture = try RedisFixture()
        let configuration = try fixture.configuration {
            $0.streamLength = 100_000
            $0.transactionRecords = [1, 20, 2000][round % 3]
        }
        let outcomes = Outcomes()
        let threads = feeds.enumerated().map { number, feed in
            let job = Job(feed: feed)
            return Thread {
                outcomes.add(
                    Result {
                        var random = SeededGenerator(seed: seed &+ UInt64(number))
                        try Self.deliver(PositionSink(configuration), job.feed, random: &random)
                    })
            }
        }
        for thread in threads { thread.start() }
        let deadline = ContinuousClock.now + .seconds(60)
        while outcomes.count < threads.count, ContinuousClock.now < deadline { Thread.sleep(forTimeInterval: 0.005) }
        #expect(outcomes.count == threads.count, "seed \(seed)")
        for outcome in outcomes.all { try outcome.get() }
        try expectEqual(contents(of: fixture), reference(feeds[0]), seed)
    }

    /// A feed for the only thread that uses it.
    private struct Job: @unchecked Sendable {
        let feed: [PositionRecords]
    }

    private final class Outcomes: @unchecked Sendable {
        // @unchecked: the lock guards the outcomes.
        private let lock = NSLock()
        private var outcomes: [Result<Void, any Error>] = []

        func add(_ outcome: Result<Void, any Error>) { lock.withLock { outcomes.append(outcome) } }
        var count: Int { lock.withLock { outcomes.count } }
        var all: [Result<Void, any Error>] { lock.withLock { outcomes } }
    }
}
