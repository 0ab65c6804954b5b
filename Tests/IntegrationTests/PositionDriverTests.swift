import Domain
import PositionWorker
import TestSupport
import Testing

@Suite("Position sink: drivers", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionDriverTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.locations)

    init() throws { fixture = try RedisFixture() }

    @Test("an accepted position is written to the driver's hash, trail and geo set")
    func acceptedPosition() throws {
        records.addVerdict(of: "drv_1", trip: "tr_9")
        let report = try fixture.sink().write([records.batch()])
        #expect(report.written == 1)
        #expect(
            try fixture.hash("driver:drv_1") == [
                "lat": "37.775", "lon": "-122.418", "heading": "44.6", "speed_mps": "12.3", "accuracy_meters": "3.9",
                "confidence": "HIGH", "fixed_at": "1741977134923", "received_at": "1741977135123", "event_id": "0-0",
                "trip_id": "tr_9", "is_halted": "0", "area": "9q8y", "risk": "0.02", "is_flagged": "0",
                "risk_event_id": "0-0", "is_suspect": "0", "risk_signals": "",
            ])
        #expect(try fixture.list("driver:drv_1:trail") == ["37.775,-122.418,1741977134923,44.6,12.3"])
        #expect(try fixture.members(of: "9q8y") == ["drv_1"])
        #expect(try fixture.text("progress:driver.locations:0") == "1 0-0 -")
        let near = try fixture.redis.call(
            "GEOSEARCH", "\(fixture.prefix)drivers:geo:9q8y", "FROMLONLAT", "-122.418", "37.776", "BYRADIUS", "200", "m"
        )
        #expect(near.elements.compactMap(\.text) == ["drv_1"])
    }

    @Test("a throttled fix updates the driver's position only if it has an estimate")
    func throttledPosition() throws {
        records.addVerdict(of: "drv_1")
        records.addVerdict(
            of: "drv_1", latitude: 37.776, verdict: "throttled", reasons: ["RATE_LIMITED"], hasEstimate: true)
        records.addVerdict(of: "drv_1", latitude: 37.777, verdict: "throttled", reasons: ["RATE_LIMITED"])
        let sink = try fixture.sink()
        for offset in 0..<records.next { _ = try sink.write([records.batch(from: offset, to: offset + 1)]) }
        let hash = try fixture.hash("driver:drv_1")
        #expect(hash["event_id"] == "0-1" && hash["lat"] == "37.776")
        #expect(try fixture.list("driver:drv_1:trail").count == 2)
        #expect(try fixture.members(of: "9q8y") == ["drv_1"])
    }

    @Test("fields that the newest position does not have are cleared")
    func missingFields() throws {
        records.addVerdict(of: "drv_1", trip: "tr_9")
        records.addVerdict(of: "drv_1", heading: "null")
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        _ = try sink.write([records.batch(from: 1)])
        let hash = try fixture.hash("driver:drv_1")
        #expect(hash["trip_id"]?.isEmpty == true)
        #expect(hash["heading"]?.isEmpty == true)
        #expect(try fixture.list("driver:drv_1:trail").first == "37.775,-122.418,1741977135923,,12.3")
    }

    @Test("a batch writes only each driver's newest position; the trail contains the last 100, newest first")
    func coalescedBatch() throws {
        for index in 0..<1000 { records.addVerdict(of: "drv_\(index % 3)", latitude: 10 + Double(index) / 10_000) }
        let report = try fixture.sink().write([records.batch()])
        #expect(report.written == 3)
        #expect(report.repeated == 0)
        #expect(try fixture.hash("driver:drv_0")["lat"] == "10.0999")
        #expect(try fixture.hash("driver:drv_1")["event_id"] == "0-997")
        let trail = try fixture.list("driver:drv_0:trail").compactMap {
            $0.split(separator: ",").first.map(String.init)
        }
        #expect(trail.count == 100)
        let expected: [Double] = (0..<100).map { 10 + Double(999 - 3 * $0) / 10_000 }
        #expect(trail.compactMap { Double($0) } == expected)
    }

    @Test("a trail that several batches wrote has at most 100 entries", arguments: [99, 100, 101])
    func trailLength(count: Int) throws {
        for _ in 0..<count { records.addVerdict(of: "drv_1") }
        let sink = try fixture.sink()
        for offset in stride(from: 0, to: Int64(count), by: 7) {
            _ = try sink.write([records.batch(from: offset, to: min(offset + 7, Int64(count)))])
        }
        #expect(try fixture.list("driver:drv_1:trail").count == min(count, 100))
    }

    @Test(
        "a driver's first verdict creates the driver's keys if it is accepted; any verdict advances the progress",
        arguments: Verdict.allCases)
    func otherVerdicts(verdict: Verdict) throws {
        records.addVerdict(of: "drv_1", verdict: "\(verdict.code)")
        let report = try fixture.sink().write([records.batch()])
        let keys = try fixture.keys()
        if verdict == .accepted {
            #expect(keys.count == 5)
        } else {
            #expect(keys == ["progress:driver.locations:0"])
            #expect(report.written == 0)
        }
        #expect(try fixture.text("progress:driver.locations:0") == "1 0-0 -")
    }

    @Test("an unreadable record is counted and skipped")
    func unreadableRecords() throws {
        records.add(key: "x", event: nil, timestamp: 0, value: "{\"driver_id\":")
        records.add(key: "x", event: nil, timestamp: 0, value: "")
        records.addVerdict(of: "drv_1")
        let report = try fixture.sink().write([records.batch()])
        #expect(report.unreadable == 2)
        #expect(report.written == 1)
        #expect(try fixture.text("progress:driver.locations:0")?.hasPrefix("3 ") == true)
    }

    @Test("a driver id that would collide with another driver's trail is skipped")
    func collidingID() throws {
        records.addVerdict(of: "drv_1:trail")
        records.addVerdict(of: "drv_1")
        let report = try fixture.sink().write([records.batch()])
        #expect(report.unreadable == 1)
        #expect(try fixture.list("driver:drv_1:trail").count == 1)
    }

    @Test("a driver who changes area is only in the geo set of the new area")
    func areaChange() throws {
        records.addVerdict(of: "drv_1", latitude: 37.775)
        records.addVerdict(of: "drv_1", latitude: 40.0)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        #expect(try fixture.members(of: "9q8y") == ["drv_1"])
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.members(of: "9q8y").isEmpty)
        #expect(try fixture.members(of: "9r0g") == ["drv_1"])
    }

    @Test("a new process removes a driver from the geo set to which an earlier process added the driver")
    func areaChangeAfterRestart() throws {
        records.addVerdict(of: "drv_1", latitude: 37.775)
        records.addVerdict(of: "drv_1", latitude: 40.0)
        _ = try fixture.sink().write([records.batch(to: 1)])
        _ = try fixture.sink().write([records.batch(from: 1)])
        #expect(try fixture.members(of: "9q8y").isEmpty)
        #expect(try fixture.members(of: "9r0g") == ["drv_1"])
    }

    @Test("a process that gets a partition back ignores its cached areas")
    func areaChangeAfterReturn() throws {
        for latitude in [37.775, 40.0, 37.775] { records.addVerdict(of: "drv_1", latitude: latitude) }
        let first = try fixture.sink()
        _ = try first.write([records.batch(to: 1)])
        _ = try fixture.sink().write([records.batch(from: 1, to: 2)])
        // With its cached area 9q8y, the first process would not remove the driver from 9r0g.
        _ = try first.write([records.batch(from: 2)])
        #expect(try fixture.members(of: "9q8y") == ["drv_1"])
        #expect(try fixture.members(of: "9r0g").isEmpty)
    }

    @Test("a position at 86° latitude is stored in the driver's hash, and removes the driver from the geo set")
    func polarPosition() throws {
        records.addVerdict(of: "drv_1", latitude: 37.775)
        records.addVerdict(of: "drv_1", latitude: 86)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.hash("driver:drv_1")["lat"] == "86")
        #expect(try fixture.members(of: "9q8y").isEmpty)
    }

    @Test("a driver's keys expire after a day, and lifetimeSlack must pass before a position renews their lifetime")
    func keyLifetime() throws {
        for _ in 0..<3 { records.addVerdict(of: "drv_1") }
        let lazySink = try fixture.sink()
        _ = try lazySink.write([records.batch(to: 1)])
        for key in ["driver:drv_1", "driver:drv_1:trail"] {
            #expect((86_390...86_400).contains(try fixture.secondsToLive(key)))
            try fixture.redis.call("EXPIRE", fixture.prefix + key, "100")
        }
        _ = try lazySink.write([records.batch(from: 1, to: 2)])
        #expect(try fixture.secondsToLive("driver:drv_1") <= 100)
        let eagerSink = try fixture.sink { $0.lifetimeSlack = .zero }
        _ = try eagerSink.write([records.batch(from: 2)])
        for key in ["driver:drv_1", "driver:drv_1:trail"] {
            #expect((86_390...86_400).contains(try fixture.secondsToLive(key)))
        }
    }

    @Test("areas equal the geohash cells that Redis computes")
    func geohashAreas() throws {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        var checked = 0
        while checked < 500 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // The middle of a random cell, because rounding in Redis could matter next to an edge.
            let column = Double(state >> 40 & 1023)
            let row = Double(state >> 52 & 1023)
            let middle = Coordinate(
                latitude: (row + 0.5) / 1024 * 180 - 90, longitude: (column + 0.5) / 1024 * 360 - 180)
            guard abs(middle.latitude) < 85 else { continue }
            try fixture.redis.call(
                "GEOADD", "\(fixture.prefix)cells", String(middle.longitude), String(middle.latitude), "cell")
            let hash = try fixture.redis.call("GEOHASH", "\(fixture.prefix)cells", "cell").elements.first?.text
            #expect(hash?.prefix(4) == "\(GeoArea(middle))", "seed \(seed), \(middle)")
            checked += 1
        }
    }

    @Test("scores in the geo set equal the scores of GEOADD")
    func geoScore() throws {
        let seed = UInt64.random(in: .min ... .max)
        var state = seed
        for index in 0..<500 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let latitude = Double(Int(state >> 33) % 85_000_000 - 42_500_000) / 500_000
            let longitude = Double(Int(state >> 13 & 0xFFFF_FFFF) % 360_000_000 - 180_000_000) / 1_000_000
            records.addVerdict(of: "drv_\(index)", latitude: latitude, longitude: longitude)
            try fixture.redis.call(
                "GEOADD", "\(fixture.prefix)all", String(longitude), String(latitude), "drv_\(index)")
        }
        _ = try fixture.sink().write([records.batch()])
        for index in 0..<500 {
            let driver = "drv_\(index)"
            let area = try #require(try fixture.hash("driver:\(driver)")["area"])
            let actual = try fixture.redis.call("ZSCORE", "\(fixture.prefix)drivers:geo:\(area)", driver).text
            let expected = try fixture.redis.call("ZSCORE", "\(fixture.prefix)all", driver).text
            #expect(actual == expected, "seed \(seed), \(driver)")
        }
    }
}
