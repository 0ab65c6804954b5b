import Testing

@testable import Codec
@testable import Domain
@testable import SightlineCLI
@testable import Support

@Suite("Sources of arrival times and rider updates")
struct SourceAuditTests {
    private let partition = AuditedPartition(rejected: 5)
    private func audit(firstRaw: Int64 = 0) throws -> SourceAudit {
        let stream = VerdictStream(RecordList(partition.verdicts), check: AuditCheck("", "", exampleLimit: 0))
        try stream.finish()
        let scope = PartitionScope(
            partition: 2, firstRaw: firstRaw, firstTrip: 0, settledRaw: 60, settledTrips: 5, endsNow: { (60, 5) })
        return SourceAudit(stream.index, tripsEnd: 5, scope)
    }

    private func eta(
        _ event: EventID, driver: String, body: EventID? = nil, stops: [TripEta.Stop] = []
    ) -> AuditedRecord {
        var writer = ByteWriter()
        var eta = TripEta(tripID: "t", driverID: driver, state: .accepted, computedAt: AuditedPartition.start)
        eta.stops = stops
        TripEtaWriter.write(event: body ?? event, eta: eta, into: &writer)
        return AuditedRecord(
            partition: 2, offset: 0, event: event, timestamp: AuditedPartition.start, key: [116],
            value: Array(writer.bytes.buffer))
    }

    private func counts(_ etas: [AuditedRecord], firstRaw: Int64 = 0) throws -> [AuditDifference.Kind: Int] {
        let check = AuditCheck("", "", exampleLimit: 9)
        try audit(firstRaw: firstRaw).checkEtas(RecordList(etas), into: check)
        return check.counts
    }

    /// Returns whether a verdict has a smoothed position, as accepted and some throttled fixes have.
    private func hasPosition(_ verdict: AuditedRecord) -> Bool {
        String(decoding: verdict.value ?? [], as: UTF8.self).contains(#""confidence":"#)
    }

    private func verdict(hasPosition: Bool) throws -> (event: EventID, driver: String) {
        let first = partition.verdicts.first { self.hasPosition($0) == hasPosition }
        let record = try #require(first)
        return (try #require(record.event), record.keyText)
    }

    @Test("trip messages, punctuations, and the driver's verdicts with a position are sources")
    func clean() throws {
        let positioned = try verdict(hasPosition: true)
        let unpositioned = try verdict(hasPosition: false)
        let trip = EventID(origin: .trips, partition: 2, offset: 4)
        let etas = [
            eta(positioned.event, driver: positioned.driver),
            eta(positioned.event.withMessage(1), driver: positioned.driver),
            eta(trip, driver: "x"), eta(unpositioned.event.withPunctuation(1), driver: "x"),
        ]
        #expect(try counts(etas) == [:])
        // A trip message that does not exist.
        #expect(try counts([eta(EventID(origin: .trips, partition: 2, offset: 5), driver: "x")]) == [.unexpected: 1])
    }

    @Test("a verdict is no source if it has no position, is of another driver, or does not exist")
    func unexpected() throws {
        let positioned = try verdict(hasPosition: true)
        let unpositioned = try verdict(hasPosition: false)
        #expect(try counts([eta(unpositioned.event, driver: unpositioned.driver)]) == [.unexpected: 1])
        #expect(try counts([eta(positioned.event, driver: "drv_9")]) == [.unexpected: 1])
        let missing = EventID(partition: 2, offset: 60)
        #expect(try counts([eta(missing, driver: "drv_0")]) == [.unexpected: 1])
        #expect(try counts([eta(missing.withPunctuation(1), driver: "drv_0")]) == [.unexpected: 1])
    }

    @Test("between two records of a trip, each verdict of its driver with a position must have a record")
    func gap() throws {
        let positioned = partition.verdicts.filter { $0.keyText == "drv_1" && hasPosition($0) }
        #expect(positioned.contains { String(decoding: $0.value ?? [], as: UTF8.self).contains(#"t":"throttled""#) })
        let etas = positioned.compactMap { record in record.event.map { eta($0, driver: "drv_1") } }
        #expect(etas.count > 3)
        #expect(try counts(etas) == [:])
        #expect(try counts(Array(etas.dropFirst(2))) == [:], "the trip began later")
        var gap = etas
        gap.remove(at: 1)
        #expect(try counts(gap) == [.missing: 1])
        // With a message in between, the trip may have had another driver for a while.
        gap.insert(eta(EventID(origin: .trips, partition: 2, offset: 1), driver: "drv_1"), at: 1)
        #expect(try counts(gap) == [:])
    }

    @Test("a record is unreadable if the event ids in its value and header differ")
    func otherBody() throws {
        let positioned = try verdict(hasPosition: true)
        let missing = EventID(partition: 2, offset: 60)
        #expect(try counts([eta(positioned.event, driver: positioned.driver, body: missing)]) == [.unreadable: 1])
    }

    /// Returns a stop that arrives `late` seconds after the timetable; `nil` for no arrival time.
    private func stop(_ late: Double?, delay: Int?, _ delayClass: TripEta.Delay) -> TripEta.Stop {
        var stop = TripEta.Stop(id: "s", kind: .stop, status: late == nil ? .unavailable : .valid, delay: delayClass)
        stop.scheduledAt = AuditedPartition.start.advanced(bySeconds: 600)
        stop.arrivesAt = late.map { AuditedPartition.start.advanced(bySeconds: 600 + $0) }
        stop.delaySeconds = delay
        return stop
    }

    @Test("a delay is wrong if it is not the arrival minus the timetable, or contradicts its class")
    func delays() throws {
        let positioned = try verdict(hasPosition: true)
        func kinds(_ stops: TripEta.Stop...) throws -> [AuditDifference.Kind: Int] {
            try counts([eta(positioned.event, driver: positioned.driver, stops: stops)])
        }
        #expect(try kinds(stop(120.499, delay: 120, .onTime), stop(120.5, delay: 121, .delayed)) == [:])
        #expect(try kinds(stop(-60.499, delay: -60, .onTime), stop(-60.5, delay: -61, .early)) == [:])
        #expect(try kinds(stop(nil, delay: nil, .unknown)) == [:])
        // The class is kept until the delay has clearly decreased.
        #expect(try kinds(stop(1, delay: 1, .delayed), stop(-1, delay: -1, .early)) == [:])
        for wrong in [
            stop(35, delay: 34, .onTime), stop(35, delay: nil, .unknown), stop(nil, delay: 35, .onTime),
            stop(121, delay: 121, .onTime), stop(-61, delay: -61, .onTime), stop(0, delay: 0, .early),
            stop(5, delay: 5, .early), stop(0, delay: 0, .delayed), stop(35, delay: 35, .unknown),
            stop(nil, delay: nil, .onTime),
        ] {
            #expect(try kinds(stop(0, delay: 0, .onTime), wrong) == [.wrong: 1], "\(wrong)")
        }
        let trip = EventID(origin: .trips, partition: 2, offset: 4)
        #expect(try counts([eta(trip, driver: "x", stops: [stop(35, delay: 34, .onTime)])]) == [.wrong: 1])
    }

    @Test("records whose verdicts retention has deleted are skipped")
    func cut() throws {
        #expect(
            try counts([eta(EventID(partition: 2, offset: 4), driver: "x")]) == [.unexpected: 1], "4 is a dead letter")
        #expect(try counts([eta(EventID(partition: 2, offset: 4), driver: "x")], firstRaw: 5) == [:])
    }

    @Test("a rider update needs an existing source, which has a position unless a punctuation wrote the update")
    func updates() throws {
        let check = AuditCheck("", "", exampleLimit: 9)
        let audit = try audit()
        let unpositioned = try verdict(hasPosition: false).event
        let positioned = try verdict(hasPosition: true).event
        for event in [
            positioned.withMessage(3), positioned.withPunctuation(2).withMessage(17),
            unpositioned.withPunctuation(1).withMessage(2),
            EventID(origin: .trips, partition: 2, offset: 4).withMessage(16),
        ] {
            audit.checkUpdate(partition.verdicts[0], event, into: check)
        }
        #expect(check.counts == [:] && check.compared == 4)
        audit.checkUpdate(partition.verdicts[0], unpositioned.withMessage(1), into: check)
        audit.checkUpdate(partition.verdicts[0], EventID(partition: 2, offset: 60), into: check)
        audit.checkUpdate(partition.verdicts[0], EventID(origin: .trips, partition: 2, offset: 5), into: check)
        #expect(check.counts == [.unexpected: 3])
    }
}
