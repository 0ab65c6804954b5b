import Support
import TestSupport
import Testing

@Suite("Position sink: sweep", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionSweepTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.locations)
    private let lastReceipt = PositionRecords.start

    init() throws { fixture = try RedisFixture() }

    @Test("a driver silent for over ten minutes is removed from the geo set", arguments: [-1, 0, 1])
    func silenceLimit(milliseconds: Int64) throws {
        records.addVerdict(of: "drv_1", receivedAt: lastReceipt)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch()])
        try sink.maintain(now: Timestamp(milliseconds: lastReceipt + 600_000 + milliseconds))
        #expect(try fixture.members(of: "9q8y") == (milliseconds > 0 ? [] : ["drv_1"]))
        // Only the geo set changes; the driver's hash stays until it expires.
        #expect(try fixture.hash("driver:drv_1")["area"] == "9q8y")
    }

    @Test("drivers whose hash expired or has another area are removed from the geo set")
    func staleMembers() throws {
        for driver in ["gone", "moved", "here"] { records.addVerdict(of: driver, receivedAt: lastReceipt) }
        let sink = try fixture.sink()
        _ = try sink.write([records.batch()])
        try fixture.delete("driver:gone")
        try fixture.redis.call("HSET", "\(fixture.prefix)driver:moved", "area", "u33d")
        try sink.maintain(now: Timestamp(milliseconds: lastReceipt))
        #expect(try fixture.members(of: "9q8y") == ["here"])
    }

    @Test("an area without members is deleted, and added again with a driver")
    func emptyArea() throws {
        for _ in 0..<2 { records.addVerdict(of: "drv_1", receivedAt: lastReceipt) }
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        #expect(try fixture.keys().contains("drivers:areas"))
        try sink.maintain(now: Timestamp(milliseconds: lastReceipt + 3_600_000))
        #expect(try fixture.keys().filter { $0.hasPrefix("drivers:") }.isEmpty)
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.members(of: "9q8y") == ["drv_1"])
        #expect(try fixture.keys().contains("drivers:areas"))
    }

    @Test("a sweep checks a limited number of members, and later sweeps check the remaining members")
    func sweepLimit() throws {
        for index in 0..<3000 {
            records.addVerdict(of: "drv_\(index)", latitude: index < 2500 ? 37.775 : 40, receivedAt: lastReceipt)
        }
        let sink = try fixture.sink { $0.sweepLimit = 400 }
        _ = try sink.write([records.batch()])
        let afterSilence = Timestamp(milliseconds: lastReceipt + 3_600_000)
        func remaining() throws -> Int { try fixture.members(of: "9q8y").count + fixture.members(of: "9r0g").count }
        var before = 3000
        var calls = 0
        while before > 0, calls < 60 {
            try sink.maintain(now: afterSilence)
            let now = try remaining()
            // ZSCAN may return more members than requested.
            #expect(before - now <= 1000)
            before = now
            calls += 1
        }
        #expect(before == 0)
        #expect(calls >= 3)
    }

    @Test("the sink's time for the sweep is the time of Redis")
    func storeClock() throws {
        func redisTime() throws -> Int64 {
            let parts = try fixture.redis.call("TIME").elements.compactMap(\.text).compactMap { Int64($0) }
            return try #require(parts.count == 2 ? parts[0] * 1000 + parts[1] / 1000 : nil)
        }
        let before = try redisTime()
        let now = try fixture.sink().now().milliseconds
        #expect(try (before...redisTime()).contains(now))
    }

    @Test("a sweep of an empty database writes nothing")
    func emptyDatabase() throws {
        try fixture.sink().maintain(now: Timestamp(milliseconds: 0))
        #expect(try fixture.keys().isEmpty)
    }
}
