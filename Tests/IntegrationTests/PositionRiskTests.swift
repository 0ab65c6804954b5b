import Domain
import Support
import TestSupport
import Testing

@Suite("Position sink: risk and flag", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionRiskTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.locations)

    init() throws { fixture = try RedisFixture() }

    /// Adds one verdict about `drv_1`.
    private func add(_ verdict: String, flagged isFlagged: Bool, risk: Double) {
        records.addVerdict(of: "drv_1", verdict: verdict, reasons: isFlagged ? ["FLAGGED"] : [], risk: risk)
    }

    /// Stored risk of the driver, and whether the geo set contains the driver.
    private struct StoredRisk: Equatable {
        var risk: String?
        var isFlagged: String?
        var event: String?
        var area: String?
        var isNearby: Bool
    }

    private func storedRisk() throws -> StoredRisk {
        let hash = try fixture.hash("driver:drv_1")
        return StoredRisk(
            risk: hash["risk"], isFlagged: hash["is_flagged"], event: hash["risk_event_id"], area: hash["area"],
            isNearby: try fixture.members(of: "9q8y") == ["drv_1"])
    }

    enum Batching: CaseIterable { case oneBatch, batchPerRecord, processPerRecord }

    private func write(_ records: PositionRecords, _ batching: Batching) throws {
        var sink = try fixture.sink()
        guard batching != .oneBatch else {
            _ = try sink.write([records.batch()])
            return
        }
        for offset in 0..<records.next {
            if batching == .processPerRecord { sink = try fixture.sink() }
            _ = try sink.write([records.batch(from: offset, to: offset + 1)])
        }
    }

    @Test("a flagged driver is marked and leaves the geo set", arguments: Batching.allCases)
    func flaggedDriver(batching: Batching) throws {
        add("accepted", flagged: false, risk: 0.021)
        add("accepted", flagged: true, risk: 0.973)
        try write(records, batching)
        #expect(
            try storedRisk() == StoredRisk(risk: "0.973", isFlagged: "1", event: "0-1", area: "", isNearby: false))
        #expect(try fixture.hash("driver:drv_1")["event_id"] == "0-1", "the position was not stored")
        #expect(try fixture.list("driver:drv_1:trail").count == 2)
    }

    @Test("a driver whose flag ends with an accepted position is in the geo set again", arguments: Batching.allCases)
    func flagEnds(batching: Batching) throws {
        add("accepted", flagged: false, risk: 0.021)
        add("accepted", flagged: true, risk: 0.973)
        add("accepted", flagged: false, risk: 0.28)
        try write(records, batching)
        #expect(
            try storedRisk() == StoredRisk(risk: "0.28", isFlagged: "0", event: "0-2", area: "9q8y", isNearby: true))
    }

    @Test(
        "a driver flagged by a fix that is not accepted is marked and leaves the geo set; the position is unchanged",
        arguments: Batching.allCases, ["rejected", "throttled", "late"])
    func flaggedByRejectedFix(batching: Batching, verdict: String) throws {
        add("accepted", flagged: false, risk: 0.021)
        add(verdict, flagged: false, risk: 0.8)
        add(verdict, flagged: true, risk: 0.973)
        try write(records, batching)
        #expect(
            try storedRisk() == StoredRisk(risk: "0.973", isFlagged: "1", event: "0-2", area: "", isNearby: false))
        let hash = try fixture.hash("driver:drv_1")
        #expect(hash["event_id"] == "0-0" && hash["lat"] == "37.775")
        #expect(try fixture.list("driver:drv_1:trail").count == 1)
    }

    @Test(
        "a flag that ends with a fix that is not accepted is removed, but the driver is not in the geo set yet",
        arguments: Batching.allCases)
    func flagEndsByRejectedFix(batching: Batching) throws {
        records.addVerdict(of: "drv_1")
        records.addVerdict(of: "drv_1", verdict: "rejected", reasons: ["MOCK_LOCATION", "FLAGGED"], risk: 0.99)
        records.addVerdict(of: "drv_1", verdict: "rejected", reasons: ["LOW_ACCURACY"], risk: 0.2)
        try write(records, batching)
        #expect(
            try storedRisk() == StoredRisk(risk: "0.2", isFlagged: "0", event: "0-2", area: "", isNearby: false))
    }

    /// Writes the verdicts one by one, and returns whether the geo set contains the driver after each.
    private func isNearby(_ nearest: NearestDrivers, after verdicts: [(String, [String])]) throws -> [Bool] {
        try fixture.deleteAll()
        let records = PositionRecords(.locations)
        for (verdict, reasons) in verdicts {
            records.addVerdict(of: "drv_1", verdict: verdict, reasons: reasons, risk: reasons.isEmpty ? 0.02 : 0.8)
        }
        let sink = try fixture.sink { $0.nearestDrivers = nearest }
        return try (0..<records.next).map { offset in
            _ = try sink.write([records.batch(from: offset, to: offset + 1)])
            return try fixture.members(of: "9q8y") == ["drv_1"]
        }
    }

    @Test("the setting of nearest drivers determines whether the geo set contains suspects and flagged drivers")
    func nearestDrivers() throws {
        let verdicts = [
            ("accepted", []), ("accepted", ["SUSPECT"]), ("accepted", []), ("rejected", ["SUSPECT"]),
            ("rejected", []), ("accepted", []), ("rejected", ["FLAGGED"]), ("accepted", ["FLAGGED"]), ("accepted", []),
        ]
        let expected: [NearestDrivers: [Bool]] = [
            .all: [true, true, true, true, true, true, true, true, true],
            .unflagged: [true, true, true, true, true, true, false, false, true],
            .unsuspected: [true, false, true, false, false, true, false, false, true],
        ]
        for (nearest, expectedNearby) in expected {
            #expect(try isNearby(nearest, after: verdicts) == expectedNearby, "\(nearest)")
        }
    }

    @Test("the hash contains the risk signals, suspicion and flag of the last verdict")
    func riskSignals() throws {
        records.addVerdict(
            of: "drv_1", reasons: ["SUSPECT"], risk: 0.8, signals: ["JUMP", "RELOCATION", "FROZEN_SPEED"])
        _ = try fixture.sink().write([records.batch()])
        var hash = try fixture.hash("driver:drv_1")
        #expect(hash["risk_signals"] == "JUMP,RELOCATION,FROZEN_SPEED")
        #expect(hash["is_suspect"] == "1" && hash["is_flagged"] == "0")
        records.addVerdict(
            of: "drv_1", verdict: "rejected", reasons: ["FLAGGED"], risk: 0.97, signals: ["MOCK_LOCATION"])
        _ = try fixture.sink().write([records.batch(from: 1)])
        hash = try fixture.hash("driver:drv_1")
        #expect(hash["risk_signals"] == "MOCK_LOCATION" && hash["risk_event_id"] == "0-1")
        #expect(hash["is_suspect"] == "0" && hash["is_flagged"] == "1")
        records.addVerdict(of: "drv_1")
        _ = try fixture.sink().write([records.batch(from: 2)])
        hash = try fixture.hash("driver:drv_1")
        #expect(hash["risk_signals"] == "" && hash["is_suspect"] == "0" && hash["is_flagged"] == "0")
    }

    @Test("a driver without an accepted position gets no keys", arguments: Batching.allCases)
    func unknownDriver(batching: Batching) throws {
        add("rejected", flagged: true, risk: 0.99)
        add("rejected", flagged: false, risk: 0.1)
        try write(records, batching)
        #expect(try fixture.keys() == ["progress:driver.locations:0"])
    }

    @Test("the stored hash of a driver depends neither on batch boundaries nor on restarts", arguments: 1...8)
    func batchBoundaries(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<40 {
            let isAccepted = Int.random(in: 0..<4, using: &random) == 0
            add(
                isAccepted ? "accepted" : "rejected", flagged: Bool.random(using: &random),
                risk: [0.1, 0.5].randomElement(using: &random) ?? 0)
        }
        _ = try fixture.sink().write([records.batch()])
        let expected = try fixture.hash("driver:drv_1")
        for size in [1, 2, 3, 7] {
            try fixture.deleteAll()
            var sink = try fixture.sink()
            for offset in stride(from: 0, to: records.next, by: Int64.Stride(size)) {
                if Bool.random(using: &random) { sink = try fixture.sink() }
                _ = try sink.write([records.batch(from: offset, to: min(records.next, offset + Int64(size)))])
            }
            #expect(try fixture.hash("driver:drv_1") == expected, "seed \(seed), batches of \(size)")
            #expect(try fixture.members(of: "9q8y").isEmpty == (expected["area"]?.isEmpty == true), "seed \(seed)")
        }
    }

    @Test("rereading a partition leaves the stored risk unchanged after every batch")
    func rereadPartition() throws {
        add("accepted", flagged: false, risk: 0.021)
        add("rejected", flagged: true, risk: 0.99)
        add("accepted", flagged: true, risk: 0.98)
        add("rejected", flagged: true, risk: 0.97)
        _ = try fixture.sink().write([records.batch()])
        let before = try storedRisk()
        #expect(before.isFlagged == "1" && before.event == "0-2" && before.risk == "0.98")
        try fixture.delete("progress:driver.locations:0")
        let sink = try fixture.sink()
        for offset in 0..<2 {
            _ = try sink.write([records.batch(from: Int64(offset), to: Int64(offset) + 1)])
            #expect(try storedRisk() == before, "after record \(offset)")
        }
        _ = try sink.write([records.batch(from: 2)])
        #expect(try storedRisk() == before)
    }

    @Test("a verdict that is not accepted does not recreate expired keys")
    func expiredKeys() throws {
        add("accepted", flagged: false, risk: 0.021)
        add("rejected", flagged: true, risk: 0.99)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        try fixture.delete("driver:drv_1")
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.hash("driver:drv_1").isEmpty)
    }

    @Test("a verdict that is not accepted sets a lifetime for a key without one")
    func lifetimeOfRecreatedKey() throws {
        add("accepted", flagged: false, risk: 0.021)
        add("rejected", flagged: true, risk: 0.99)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        // Like a key that expired after the sink's check and was recreated by HSET.
        try fixture.redis.call("PERSIST", "\(fixture.prefix)driver:drv_1")
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.secondsToLive("driver:drv_1") > 0)
    }

    @Test("the sweep removes a flagged driver from a geo set")
    func sweepOfFlaggedDriver() throws {
        add("accepted", flagged: true, risk: 0.98)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch()])
        try fixture.redis.call("ZADD", "\(fixture.prefix)drivers:geo:9q8y", "1367859558520463", "drv_1")
        try fixture.redis.call("SADD", "\(fixture.prefix)drivers:areas", "9q8y")
        try sink.maintain(now: Timestamp(milliseconds: PositionRecords.start))
        #expect(try fixture.members(of: "9q8y").isEmpty)
    }
}
