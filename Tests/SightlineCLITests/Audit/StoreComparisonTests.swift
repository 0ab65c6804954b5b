import Testing

@testable import Domain
@testable import Gateways
@testable import PositionWorker
@testable import Redis
@testable import SightlineCLI
@testable import Support

@Suite("Comparing the stores with the topics")
struct StoreComparisonTests {
    private let scope = PartitionScope(
        partition: 2, firstRaw: 0, firstTrip: 0, settledRaw: 60, settledTrips: 0, endsNow: { (62, 0) })

    private func stream(_ partition: AuditedPartition = AuditedPartition()) -> VerdictStream {
        VerdictStream(RecordList(partition.verdicts), check: AuditCheck("", "", exampleLimit: 0))
    }

    private func rows(
        _ partition: AuditedPartition = AuditedPartition()
    ) throws -> [(event: EventID, row: LocationRow)] {
        let stream = stream(partition)
        var rows: [(event: EventID, row: LocationRow)] = []
        while let verdict = try stream.next() { rows.append((verdict.event, verdict.row)) }
        return rows
    }

    /// Compares rows with the partition's verdicts; verdicts from raw offset `due` on may lack a row.
    private func compare(
        _ rows: [(event: EventID, row: LocationRow)], with partition: AuditedPartition = AuditedPartition(),
        due: Int64 = .max, isSampled: Bool = false
    ) throws -> AuditCheck {
        let check = AuditCheck("", "", exampleLimit: 10)
        let stream = stream(partition)
        let comparison = RowComparison(check: check, scope, columns: LocationRow.columns.map(\.name)) {
            try stream.next().map {
                let reason: AuditCheck.ToleratedReason? = isSampled && $0.row.hasPosition ? .sampled : nil
                return RowComparison.Expected(
                    event: $0.event, key: $0.driver, offset: $0.offset, at: $0.row.receivedAt, values: $0.row.values,
                    mayBeAbsent: $0.offset >= due ? .tooNew : reason)
            }
        }
        for (event, row) in rows {
            try comparison.compare(event, at: row.receivedAt, row.values, key: row.text("driver_id"))
        }
        try comparison.finish()
        return check
    }

    @Test("one equal row per verdict is no difference")
    func clean() throws {
        let check = try compare(try rows())
        #expect(check.counts == [:] && check.compared == 60)
    }

    @Test("a missing row and a second row of another verdict are both reported, although the row count is right")
    func missingAndDoubled() throws {
        var rows = try rows()
        rows.insert(rows[30], at: 31)
        let lost = rows.remove(at: 10)
        let check = try compare(rows)
        #expect(check.counts == [.missing: 1, .duplicate: 1])
        #expect(check.examples.first?.event == lost.event)
        rows.removeLast()
        #expect(try compare(rows).counts == [.missing: 2, .duplicate: 1])
        #expect(try compare(rows, due: 59).counts == [.missing: 1, .duplicate: 1])
    }

    @Test("a row without a verdict is unexpected, unless its raw record arrived after the topic was read")
    func unexpected() throws {
        var rows = try rows()
        let last = rows[59].row
        rows.append((EventID(partition: 2, offset: 61), last))
        #expect(try compare(rows).tolerated == [.tooNew: 1])
        rows.append((EventID(partition: 2, offset: 62), last))
        rows.insert((EventID(partition: 2, offset: 4), last), at: 4)
        let check = try compare(rows)
        #expect(check.counts == [.unexpected: 2] && check.compared == 60)
    }

    @Test("rows from before the topics were recreated are tolerated, and missing rows are still reported")
    func earlierTopics() throws {
        let rows = try rows()
        let first = rows[0].row.receivedAt
        let old = rows.map { row in
            var old = row
            old.row["received_at"] = .integer(row.row.receivedAt - 3_600_000)
            return old
        }
        let beyond = (event: EventID(partition: 2, offset: 70), row: old[0].row)
        let check = try compare(zip(old, rows).flatMap { [$0, $1] } + [beyond])
        #expect(check.counts == [:] && check.compared == 60 && check.tolerated == [.earlierTopics: 61])
        #expect(try compare(old).counts == [.missing: 60])
        #expect(try compare(rows, with: AuditedPartition(), due: 0).counts == [:])
        // A row with the time of the first record is from the recreated topics.
        var same = beyond
        same.row["received_at"] = .integer(first)
        #expect(try compare(rows + [same]).counts == [.unexpected: 1])
        same.row["received_at"] = .integer(first - 1)
        #expect(try compare(rows + [same]).tolerated == [.earlierTopics: 1])
    }

    @Test("a row with a differing column is wrong, and the difference contains the column's name")
    func wrongColumn() throws {
        var rows = try rows()
        rows[7].row["speed_mps"] = .real(3.25)
        rows[7].row["trip_id"] = .text("t")
        rows[9].row["device_at"] = nil
        let check = try compare(rows)
        #expect(check.counts == [.wrong: 2])
        #expect(check.examples[0].what.contains("speed_mps is 3.25, expected"))
        #expect(check.examples[0].what.contains("trip_id is t, expected null"))
        #expect(check.examples[1].what.contains("device_at is null"))
    }

    @Test("in a sampled history, only verdicts with a position may lack a row")
    func sampled() throws {
        let partition = AuditedPartition(rejected: 5)
        let rows = try rows(partition)
        let positioned = rows.filter(\.row.hasPosition)
        // Some fixes are throttled, because they have no trip id.
        #expect(
            Set(positioned.map { $0.row.text("verdict") }) == ["accepted", "throttled"] && positioned.count < rows.count
        )
        let check = try compare(rows.filter { !$0.row.hasPosition }, with: partition, isSampled: true)
        #expect(check.counts == [:] && check.tolerated == [.sampled: positioned.count])
        let partial = try compare(positioned, with: partition, isSampled: true)
        #expect(partial.counts == [.missing: rows.count - positioned.count])
    }

    // MARK: Redis

    /// Returns the fields of a driver's hash with this position.
    private func hash(_ position: ExpectedPosition) -> [String?] {
        let row = position.row
        let coordinate = Coordinate(latitude: row.double("latitude") ?? 0, longitude: row.double("longitude") ?? 0)
        return [
            position.event.description, row.text("latitude"), row.text("longitude"), row.text("fixed_at"),
            row.text("received_at"), row.text("trip_id"), row["is_halted"] == .boolean(true) ? "1" : "0",
            row.text("confidence"), row.text("risk"), "0", position.event.description, "\(GeoArea(coordinate))", "0",
            row.text("risk_signals"),
        ]
    }

    private func position() throws -> ExpectedPosition {
        let stream = stream()
        try stream.finish()
        return try #require(stream.positions["drv_0"])
    }

    private func comparison(ageSeconds: Double = 3600) throws -> PositionComparison {
        let now = Timestamp(milliseconds: try position().row.receivedAt).advanced(bySeconds: ageSeconds)
        let configuration = PositionSinkConfiguration(redis: try RedisConfiguration(url: "redis://127.0.0.1:1/0"))
        return PositionComparison(configuration, AuditChecks(examples: 5), now: now)
    }

    private func counts(
        _ stored: [String?], ageSeconds: Double = 3600, isDue: Bool = true
    ) throws -> [AuditDifference.Kind: Int] {
        let comparison = try comparison(ageSeconds: ageSeconds)
        try comparison.compare("drv_1", position(), stored, isDue: isDue, scope)
        return comparison.drivers.counts
    }

    @Test("positions that agree to the six decimals of Redis are no difference")
    func driverPosition() throws {
        var stored = try hash(position())
        #expect(try counts(stored) == [:])
        stored[1] = "\(try #require(position().row.double("latitude")) + 0.0000004)"
        #expect(try counts(stored) == [:])
        stored[1] = "\(try #require(position().row.double("latitude")) + 0.000001)"
        #expect(try counts(stored) == [.wrong: 1])
    }

    /// Returns the risk of a verdict without a position, `later` records after the position's verdict.
    private func risk(_ risk: Float, flagged isFlagged: Bool, later: Int64) throws -> ExpectedPosition.Risk {
        let position = try position()
        var row = position.row
        row["risk"] = .real(risk)
        row["reasons"] = .text(isFlagged ? "MOCK_LOCATION,FLAGGED" : "LOW_ACCURACY")
        var event = position.event
        event.offset += later
        return ExpectedPosition.Risk(row, event: event, offset: position.offset + later)
    }

    @Test("risk and flag come from the position's verdict, or from a later one that changed the flag")
    func driverRisk() throws {
        var stored = hash(try position())
        func kinds(
            _ expected: ExpectedPosition, isRiskDue: Bool = true
        ) throws -> (counts: [AuditDifference.Kind: Int], what: String, tolerated: [AuditCheck.ToleratedReason: Int]) {
            let comparison = try comparison()
            try comparison.compare("drv_1", expected, stored, isDue: true, isRiskDue: isRiskDue, scope)
            return (
                comparison.drivers.counts, comparison.drivers.examples.first?.what ?? "", comparison.drivers.tolerated
            )
        }
        let area = stored[11] ?? ""
        var flagged = try position()
        flagged.apply(try risk(0.5, flagged: false, later: 1))
        #expect(try kinds(flagged).counts == [:], "a later verdict that does not change the flag is ignored")
        flagged.apply(try risk(0.98, flagged: true, later: 2))
        #expect(try kinds(flagged).counts == [.wrong: 1])
        #expect(try kinds(flagged).what.contains("risk is"))
        #expect(try kinds(flagged, isRiskDue: false).counts == [:])
        #expect(try kinds(flagged, isRiskDue: false).tolerated == [.tooNew: 1])
        (stored[8], stored[9], stored[10], stored[11]) = ("0.98", "1", flagged.risk.event.description, "")
        #expect(try kinds(flagged).counts == [:])
        stored[10] = flagged.event.description
        #expect(
            try kinds(flagged).what == "risk_event_id is \(flagged.event), expected \(flagged.risk.event)",
            "the verdict that set the flag is expected")
        (stored[9], stored[10]) = ("0", flagged.risk.event.description)
        #expect(try kinds(flagged).what == "is_flagged is 0, expected 1")
        (stored[9], stored[11]) = ("1", area)
        #expect(try kinds(flagged).what == "area is \(area), expected ")
        // A verdict without a position cleared the flag: the area stays empty until the next position.
        var released = flagged
        released.apply(try risk(0.2, flagged: false, later: 3))
        (stored[8], stored[9], stored[10], stored[11]) = ("0.2", "0", released.risk.event.description, "")
        #expect(try kinds(released).counts == [:])
        stored[11] = area
        #expect(try kinds(released).what == "area is \(area), expected ")
        // The event id of a verdict written after the read, an id without a verdict, and no id (earlier version).
        stored[10] = "2-61"
        #expect(try kinds(released).tolerated == [.tooNew: 1])
        stored[10] = "2-62"
        #expect(try kinds(released).counts == [.wrong: 1])
        stored[10] = nil
        #expect(try kinds(released).tolerated == [.earlierVersion: 1])
    }

    @Test("a driver whose position is from before the topics were recreated is tolerated")
    func earlierDriver() throws {
        let comparison = try comparison()
        let event = EventID(partition: 2, offset: 3)
        try comparison.compareUnknown("drv_old", event, scope, isEarlier: true)
        #expect(comparison.drivers.counts == [:] && comparison.drivers.tolerated == [.earlierTopics: 1])
        try comparison.compareUnknown("drv_old", event, scope)
        #expect(comparison.drivers.counts == [.unexpected: 1])
    }

    @Test("an older position is stale, a position without a verdict is wrong, and an absent position is missing")
    func stale() throws {
        let expected = try position()
        var stored = hash(expected)
        var older = expected.event
        older.offset -= 1
        stored[0] = older.description
        #expect(try counts(stored) == [.stale: 1])
        #expect(try counts(stored, isDue: false) == [:])
        var newer = expected.event
        newer.offset += 1
        stored[0] = newer.description
        #expect(try counts(stored) == [.wrong: 1])
        stored[0] = "2-61"
        #expect(try counts(stored) == [:], "record 61 arrived after the topic was read")
        stored[0] = "2-62"
        #expect(try counts(stored) == [.wrong: 1])
        stored[0] = "0-3"
        #expect(try counts(stored) == [.wrong: 1])
        let absent = [String?](repeating: nil, count: stored.count)
        #expect(try counts(absent) == [.missing: 1])
        #expect(try counts(absent, isDue: false) == [:])
    }

    @Test("a key may be absent once its lifetime minus the renewal slack has passed")
    func expired() throws {
        let absent = [String?](repeating: nil, count: ExpectedPosition.fields.count)
        let requiredSeconds = 24.0 * 3600 - 600
        #expect(try counts(absent, ageSeconds: requiredSeconds - 0.001) == [.missing: 1])
        #expect(try counts(absent, ageSeconds: requiredSeconds) == [:])
    }

    @Test("a driver without a verdict is unexpected, unless the event is out of scope or may be new")
    func unknownDriver() throws {
        let comparison = try comparison()
        let later = PartitionScope(
            partition: 2, firstRaw: 60, firstTrip: 0, settledRaw: 60, settledTrips: 0, endsNow: { (62, 0) })
        try comparison.compareUnknown("x", EventID(partition: 2, offset: 59), later)
        #expect(comparison.drivers.counts == [:])
        try comparison.compareUnknown("x", EventID(partition: 2, offset: 59), scope)
        try comparison.compareUnknown("y", EventID(partition: 2, offset: 61), scope)
        #expect(comparison.drivers.counts == [.unexpected: 1] && comparison.drivers.tolerated == [.tooNew: 1])
    }

    @Test(
        "a driver in another partition is tolerated if the position from there is later",
        arguments: [-1, 0, 1])
    func movedDriver(laterMilliseconds: Int64) throws {
        let expected = try position()
        var stored = hash(expected)
        stored[0] = "0-3"
        stored[4] = "\(expected.row.receivedAt + laterMilliseconds)"
        let comparison = try comparison()
        try comparison.compare("drv_1", expected, stored, isDue: true, scope)
        #expect(comparison.drivers.counts == (laterMilliseconds > 0 ? [:] : [.wrong: 1]))
        #expect(comparison.drivers.tolerated == (laterMilliseconds > 0 ? [.moved: 1] : [:]))
    }

    @Test(
        "a channel is compared by the partition's watermark and, if that is equal, by its last event",
        arguments: ["trip:t", "route:R1"])
    func channel(name: String) throws {
        let state = ChannelState(
            watermark: Watermark(
                raw: EventID(partition: 2, offset: 8), trips: EventID(origin: .trips, partition: 2, offset: 4)),
            event: EventID(partition: 2, offset: 8), offset: 30,
            at: Timestamp(milliseconds: try position().row.receivedAt))
        func counts(_ stored: [String?], isDue: Bool = true) throws -> [AuditDifference.Kind: Int] {
            let comparison = try comparison()
            comparison.compare(name, state, stored, isDue: isDue)
            return comparison.channels.counts
        }
        #expect(try counts(["2-8 t2-4", "2-8"]) == [:])
        #expect(try counts(["2-9 t2-4", "2-9"]) == [:])
        #expect(try counts(["2-8 t2-5", "t2-5"]) == [:])
        for older in ["2-7 t2-4", "2-8 t2-3", "2-8 -", "- t2-4", "2-9 t2-3"] {
            #expect(try counts([older, "2-8"]) == [.stale: 1])
            #expect(try counts([older, "2-8"], isDue: false) == [:])
        }
        #expect(try counts(["2-8 t2-4", "0-3"]) == [:], "another partition wrote later")
        #expect(try counts(["2-8 t2-4", "t2-4"]) == [.wrong: 1])
        #expect(try counts(["2-8 t2-4", nil]) == [.wrong: 1])
        #expect(try counts(["30", "2-8"]) == [.wrong: 1])
        #expect(
            try counts([nil, "0-3"]) == [.missing: 1],
            "the partition has no watermark, although another partition wrote updates")
        #expect(try counts([nil, nil], isDue: false) == [:])
    }
}
