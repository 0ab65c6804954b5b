import Support
import TestSupport
import Testing

@Suite("Position sink: sweep", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionSweepTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.locations)
    private let heard = PositionRecords.start

    init() throws { fixture = try RedisFixture() }

    @Test("a driver silent for exactly ten minutes stays, a millisecond more and they go", arguments: [-1, 0, 1])
    func boundary(milliseconds: Int64) throws {
        records.addVerdict(of: "drv_1", receivedAt: heard)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch()])
        try sink.maintain(now: Timestamp(milliseconds: heard + 600_000 + milliseconds))
        #expect(try fixture.members(of: "9q8y") == (milliseconds > 0 ? [] : ["drv_1"]))
        // Nearest-driver queries lose them; what is known of them stays until it expires.
        #expect(try fixture.hash("driver:drv_1")["area"] == "9q8y")
    }

    @Test("a driver whose keys expired, and one who is elsewhere by now, are taken out")
    func strays() throws {
        for driver in ["gone", "moved", "here"] { records.addVerdict(of: driver, receivedAt: heard) }
        let sink = try fixture.sink()
        _ = try sink.write([records.batch()])
        try fixture.delete("driver:gone")
        try fixture.redis.call("HSET", "\(fixture.prefix)driver:moved", "area", "u33d")
        try sink.maintain(now: Timestamp(milliseconds: heard))
        #expect(try fixture.members(of: "9q8y") == ["here"])
    }

    @Test("an area without members is forgotten, and comes back with a driver")
    func emptyArea() throws {
        for _ in 0..<2 { records.addVerdict(of: "drv_1", receivedAt: heard) }
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        #expect(try fixture.keys().contains("drivers:areas"))
        try sink.maintain(now: Timestamp(milliseconds: heard + 3_600_000))
        #expect(try fixture.keys().filter { $0.hasPrefix("drivers:") }.isEmpty)
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.members(of: "9q8y") == ["drv_1"])
        #expect(try fixture.keys().contains("drivers:areas"))
    }

    @Test("a sweep looks at a limited number of members and continues at the place where it stopped")
    func bounded() throws {
        for index in 0..<3000 {
            records.addVerdict(of: "drv_\(index)", latitude: index < 2500 ? 37.775 : 40, receivedAt: heard)
        }
        let sink = try fixture.sink { $0.sweepLimit = 400 }
        _ = try sink.write([records.batch()])
        let late = Timestamp(milliseconds: heard + 3_600_000)
        func left() throws -> Int { try fixture.members(of: "9q8y").count + fixture.members(of: "9r0g").count }
        var before = 3000
        var calls = 0
        while before > 0, calls < 60 {
            try sink.maintain(now: late)
            let now = try left()
            // A page may be somewhat larger than what is left of the limit.
            #expect(before - now <= 1000)
            before = now
            calls += 1
        }
        #expect(before == 0)
        #expect(calls >= 3)
    }

    @Test("what time it is for a sweep is what Redis says, not the worker's own clock")
    func storeTime() throws {
        func redisTime() throws -> Int64 {
            let parts = try fixture.redis.call("TIME").elements.compactMap(\.text).compactMap { Int64($0) }
            return try #require(parts.count == 2 ? parts[0] * 1000 + parts[1] / 1000 : nil)
        }
        let before = try redisTime()
        let now = try fixture.sink().now().milliseconds
        #expect(try (before...redisTime()).contains(now))
    }

    @Test("a sweep of nothing does nothing")
    func nothing() throws {
        try fixture.sink().maintain(now: Timestamp(milliseconds: 0))
        #expect(try fixture.keys().isEmpty)
    }
}
