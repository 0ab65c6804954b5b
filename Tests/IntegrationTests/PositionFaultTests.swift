import Foundation
import PositionWorker
import Processing
import Redis
import TestSupport
import Testing

@Suite("Position sink: faults", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionFaultTests {
    /// A reproducible source of chance (splitmix64).
    private struct Chance {
        var state: UInt64

        mutating func below(_ bound: Int) -> Int {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
        }
    }

    /// Two partitions of positions and updates of a few drivers, who move about between areas.
    private func feed(count: Int, chance: inout Chance) -> [PositionRecords] {
        (Int32(0)..<2).flatMap { partition in
            let positions = PositionRecords(.locations, partition: partition)
            let updates = PositionRecords(.riderUpdates, partition: partition)
            for index in 0..<count {
                let driver = "drv_\(partition)_\(chance.below(5))"
                // Every tenth repeats the event before it, as a zombie upstream would.
                let event = Int64(index - (chance.below(10) == 0 && index > 0 ? 1 : 0))
                positions.addVerdict(
                    of: driver, latitude: 10 + Double(chance.below(40)) / 10,
                    verdict: chance.below(8) == 0 ? "rejected" : "accepted", event: event)
                updates.addUpdate("driver_location", channel: "trip:\(driver)", payload: #"{"latitude":\#(index)}"#)
            }
            return [positions, updates]
        }
    }

    /// What one undisturbed process makes of the feed.
    private func reference(_ feed: [PositionRecords]) throws -> [String: String] {
        let fixture = try RedisFixture()
        _ = try fixture.sink { $0.streamLength = 100_000 }.write(feed.map { $0.batch() })
        return try contents(of: fixture)
    }

    /// Everything but the list of areas: smaller batches pass through more of them, until a sweep forgets the empty.
    private func contents(of fixture: RedisFixture) throws -> [String: String] {
        var contents = try fixture.contents()
        contents["drivers:areas"] = nil
        return contents
    }

    private func expectEqual(_ found: [String: String], _ expected: [String: String], _ seed: UInt64) {
        for key in Set(found.keys).union(expected.keys).sorted() where found[key] != expected[key] {
            Issue.record("seed \(seed): \(key) is \(found[key] ?? "absent"), not \(expected[key] ?? "absent")")
        }
        #expect(!found.isEmpty)
    }

    /// Writes all of the feed in batches of random size, as a worker would: after an error, and for partitions lost to
    /// another worker, from where the store says.
    private static func work(_ sink: PositionSink, _ feed: [PositionRecords], chance: inout Chance) throws {
        var clocks: [SinkPartition: Int64]?
        var failures = 0
        while true {
            do {
                let known = try clocks ?? sink.nextOffsets(of: feed.map(\.partition))
                let batches = feed.compactMap { records -> PartitionBatch? in
                    let from = known[records.partition] ?? 0
                    guard from < records.next, chance.below(4) > 0 else { return nil }
                    return records.batch(from: from, to: min(records.next, from + 1 + Int64(chance.below(25))))
                }
                clocks = known
                if batches.isEmpty {
                    if feed.allSatisfy({ known[$0.partition] ?? 0 >= $0.next }) { return }
                    continue
                }
                let report = try sink.write(batches)
                for batch in batches { clocks?[batch.partition] = batch.to }
                if !report.superseded.isEmpty { clocks = nil }
            } catch let error as RedisError where error.isRetriable && failures < 1000 {
                failures += 1
                clocks = nil
            }
        }
    }

    @Test("a key of another type ends a write before anything of it is written, and all is written once it is gone")
    func foreignKey() throws {
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

    @Test("a key that takes another type between two writes does not lose what its partition writes")
    func foreignKeyLater() throws {
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
        #expect(try fixture.list("driver:drv_1:trail").count == 3, "what was written is not written twice")
        #expect(try fixture.text("progress:driver.locations:0") == "6 0-5 -")
    }

    @Test("connections cut at any byte lose nothing and double nothing", arguments: 0..<6)
    func cutConnections(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var chance = Chance(state: seed)
        let feed = feed(count: 150, chance: &chance)
        let address = try RedisFixture.address()
        let limits = (0..<60).map { _ in
            CuttingProxy.Limit(
                direction: chance.below(2) == 0 ? .toServer : .toClient, bytes: 100 + chance.below(12_000))
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
        try Self.work(sink, feed, chance: &chance)
        try expectEqual(contents(of: fixture), reference(feed), seed)
    }

    @Test("two processes that both believe to hold the partitions leave what one would have left", arguments: 0..<6)
    func rivals(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        let chance = Chance(state: seed)
        // Each rival has records of its own: their memory is not shared between threads.
        let feeds = [chance, chance].map { start in
            var chance = start
            return feed(count: 200, chance: &chance)
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
                        var chance = Chance(state: seed &+ UInt64(number))
                        try Self.work(PositionSink(configuration), job.feed, chance: &chance)
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

    /// A feed on its way to the one thread that uses it.
    private struct Job: @unchecked Sendable {
        let feed: [PositionRecords]
    }

    /// How the threads ended.
    private final class Outcomes: @unchecked Sendable {
        // @unchecked: every access holds the lock.
        private let lock = NSLock()
        private var outcomes: [Result<Void, any Error>] = []

        func add(_ outcome: Result<Void, any Error>) { lock.withLock { outcomes.append(outcome) } }
        var count: Int { lock.withLock { outcomes.count } }
        var all: [Result<Void, any Error>] { lock.withLock { outcomes } }
    }
}
