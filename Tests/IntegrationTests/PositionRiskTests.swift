import Domain
import Support
import TestSupport
import Testing

@Suite("Position sink: risk and flag", .blocking, .enabled(if: RedisFixture.url != nil, RedisFixture.hint))
struct PositionRiskTests {
    private let fixture: RedisFixture
    private let records = PositionRecords(.locations)

    init() throws { fixture = try RedisFixture() }

    /// Adds one verdict on `drv_1`.
    private func add(_ verdict: String, flagged isFlagged: Bool, risk: Double) {
        records.addVerdict(of: "drv_1", verdict: verdict, reasons: isFlagged ? ["FLAGGED"] : [], risk: risk)
    }

    /// What Redis says of the driver's risk, and whether it stands in the nearest-driver set.
    private struct SequenceOrder: Equatable {
        var risk: String?
        var isFlagged: String?
        var event: String?
        var area: String?
        var isNearby: Bool
    }

    private func standing() throws -> SequenceOrder {
        let hash = try fixture.hash("driver:drv_1")
        return SequenceOrder(
            risk: hash["risk"], isFlagged: hash["is_flagged"], event: hash["risk_event_id"], area: hash["area"],
            isNearby: try fixture.members(of: "9q8y") == ["drv_1"])
    }

    private static let ways = ["one batch", "a batch each", "a process each"]

    /// Writes the records in one of the ``ways``.
    private func write(_ way: String) throws {
        var sink = try fixture.sink()
        guard way != Self.ways[0] else {
            _ = try sink.write([records.batch()])
            return
        }
        for offset in 0..<records.next {
            if way == Self.ways[2] { sink = try fixture.sink() }
            _ = try sink.write([records.batch(from: offset, to: offset + 1)])
        }
    }

    @Test("a position of a flagged driver is marked, and the driver leaves the nearest-driver set", arguments: ways)
    func flagged(way: String) throws {
        add("accepted", flagged: false, risk: 0.021)
        add("accepted", flagged: true, risk: 0.973)
        try write(way)
        #expect(
            try standing() == SequenceOrder(risk: "0.973", isFlagged: "1", event: "0-1", area: "", isNearby: false))
        #expect(try fixture.hash("driver:drv_1")["event_id"] == "0-1", "the position is kept")
        #expect(try fixture.list("driver:drv_1:trail").count == 2)
    }

    @Test("a driver whose flag has fallen is found again with the next accepted position", arguments: ways)
    func released(way: String) throws {
        add("accepted", flagged: false, risk: 0.021)
        add("accepted", flagged: true, risk: 0.973)
        add("accepted", flagged: false, risk: 0.28)
        try write(way)
        #expect(
            try standing() == SequenceOrder(risk: "0.28", isFlagged: "0", event: "0-2", area: "9q8y", isNearby: true))
    }

    @Test(
        "a driver flagged by fixes that are not accepted is marked and leaves the set, the position stays as it was",
        arguments: ways, ["rejected", "throttled", "late"])
    func flaggedByRejectedFixes(way: String, verdict: String) throws {
        add("accepted", flagged: false, risk: 0.021)
        add(verdict, flagged: false, risk: 0.8)
        add(verdict, flagged: true, risk: 0.973)
        try write(way)
        #expect(
            try standing() == SequenceOrder(risk: "0.973", isFlagged: "1", event: "0-2", area: "", isNearby: false))
        let hash = try fixture.hash("driver:drv_1")
        #expect(hash["event_id"] == "0-0" && hash["lat"] == "37.775")
        #expect(try fixture.list("driver:drv_1:trail").count == 1)
    }

    @Test("a flag that falls with a fix that is not accepted is taken off, and the place waits for one that is")
    func releasedByRejectedFix() throws {
        for way in Self.ways {
            try fixture.deleteAll()
            let records = PositionRiskTests.makeRecords()
            var sink = try fixture.sink()
            for offset in 0..<records.next where way != Self.ways[0] {
                if way == Self.ways[2] { sink = try fixture.sink() }
                _ = try sink.write([records.batch(from: offset, to: offset + 1)])
            }
            if way == Self.ways[0] { _ = try sink.write([records.batch()]) }
            let expected = SequenceOrder(risk: "0.2", isFlagged: "0", event: "0-2", area: "", isNearby: false)
            #expect(try standing() == expected, "\(way)")
        }
    }

    /// Whether the driver stands in the nearest-driver set after each of the `verdicts`, written one by one.
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

    @Test("whether suspects and flagged drivers are found nearby is a setting, for accepted fixes and for others")
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
        for (nearest, isFound) in expected {
            #expect(try isNearby(nearest, after: verdicts) == isFound, "\(nearest)")
        }
    }

    @Test("the hash says why the risk is high and who is a suspect, by the verdict that risk_event_id names")
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

    private static func makeRecords() -> PositionRecords {
        let records = PositionRecords(.locations)
        records.addVerdict(of: "drv_1")
        records.addVerdict(of: "drv_1", verdict: "rejected", reasons: ["MOCK_LOCATION", "FLAGGED"], risk: 0.99)
        records.addVerdict(of: "drv_1", verdict: "rejected", reasons: ["LOW_ACCURACY"], risk: 0.2)
        return records
    }

    @Test("a driver without any accepted position gets no key, whatever is said of it", arguments: ways)
    func unknownDriver(way: String) throws {
        add("rejected", flagged: true, risk: 0.99)
        add("rejected", flagged: false, risk: 0.1)
        try write(way)
        #expect(try fixture.keys() == ["progress:driver.locations:0"])
    }

    @Test("what is written of a driver's risk does not depend on where batches end", arguments: 1...8)
    func batching(seed: Int) throws {
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

    @Test("a partition that is read again leaves the same standing, and none older than the position on the way back")
    func readAgain() throws {
        add("accepted", flagged: false, risk: 0.021)
        add("rejected", flagged: true, risk: 0.99)
        add("accepted", flagged: true, risk: 0.98)
        add("rejected", flagged: true, risk: 0.97)
        _ = try fixture.sink().write([records.batch()])
        let before = try standing()
        #expect(before.isFlagged == "1" && before.event == "0-2" && before.risk == "0.98")
        try fixture.delete("progress:driver.locations:0")
        let sink = try fixture.sink()
        for offset in 0..<2 {
            _ = try sink.write([records.batch(from: Int64(offset), to: Int64(offset) + 1)])
            #expect(try standing() == before, "after record \(offset)")
        }
        _ = try sink.write([records.batch(from: 2)])
        #expect(try standing() == before)
    }

    @Test("keys that ran out are not made anew by a verdict that is not accepted")
    func expired() throws {
        add("accepted", flagged: false, risk: 0.021)
        add("rejected", flagged: true, risk: 0.99)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        try fixture.delete("driver:drv_1")
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.hash("driver:drv_1").isEmpty)
    }

    @Test("a verdict that is not accepted leaves no key without a lifetime, should the key have run out meanwhile")
    func lifetime() throws {
        add("accepted", flagged: false, risk: 0.021)
        add("rejected", flagged: true, risk: 0.99)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch(to: 1)])
        // As a key that ran out after the sink had looked at it, and that HSET made anew.
        try fixture.redis.call("PERSIST", "\(fixture.prefix)driver:drv_1")
        _ = try sink.write([records.batch(from: 1)])
        #expect(try fixture.secondsToLive("driver:drv_1") > 0)
    }

    @Test("the sweep takes out a flagged driver that still stands in a set")
    func swept() throws {
        add("accepted", flagged: true, risk: 0.98)
        let sink = try fixture.sink()
        _ = try sink.write([records.batch()])
        try fixture.redis.call("ZADD", "\(fixture.prefix)drivers:geo:9q8y", "1367859558520463", "drv_1")
        try fixture.redis.call("SADD", "\(fixture.prefix)drivers:areas", "9q8y")
        try sink.maintain(now: Timestamp(milliseconds: PositionRecords.start))
        #expect(try fixture.members(of: "9q8y").isEmpty)
    }
}
