import Testing

@testable import Codec
@testable import Model
@testable import SightlineCLI
@testable import Support

@Suite("Where arrival times and rider updates come from")
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

    /// Whether the fix was judged and believed: accepted, or throttled with an estimate.
    private func hasPosition(_ verdict: AuditedRecord) -> Bool {
        String(decoding: verdict.value ?? [], as: UTF8.self).contains(#""confidence":"#)
    }

    private func verdict(_ hasPosition: Bool) throws -> (event: EventID, driver: String) {
        let found = partition.verdicts.first { self.hasPosition($0) == hasPosition }
        let record = try #require(found)
        return (try #require(record.event), record.keyText)
    }

    @Test("a judged verdict of the driver, a punctuation after any verdict and a trip message are sources")
    func clean() throws {
        let judged = try verdict(true)
        let other = try verdict(false)
        let trip = EventID(origin: .trips, partition: 2, offset: 4)
        let etas = [
            eta(judged.event, driver: judged.driver), eta(judged.event.withMessage(1), driver: judged.driver),
            eta(trip, driver: "x"), eta(other.event.withPunctuation(1), driver: "x"),
        ]
        #expect(try counts(etas) == [:])
        // A trip message that is not there.
        #expect(try counts([eta(EventID(origin: .trips, partition: 2, offset: 5), driver: "x")]) == [.foreign: 1])
    }

    @Test("a verdict without a position, of another driver, or not there is no source")
    func foreign() throws {
        let judged = try verdict(true)
        let other = try verdict(false)
        #expect(try counts([eta(other.event, driver: other.driver)]) == [.foreign: 1])
        #expect(try counts([eta(judged.event, driver: "drv_9")]) == [.foreign: 1])
        let never = EventID(partition: 2, offset: 60)
        #expect(try counts([eta(never, driver: "drv_0")]) == [.foreign: 1])
        #expect(try counts([eta(never.withPunctuation(1), driver: "drv_0")]) == [.foreign: 1])
    }

    @Test("between two records of a trip no judged verdict of its driver is left out")
    func gap() throws {
        let judged = partition.verdicts.filter { $0.keyText == "drv_1" && hasPosition($0) }
        #expect(judged.contains { String(decoding: $0.value ?? [], as: UTF8.self).contains(#"t":"throttled""#) })
        let etas = judged.compactMap { record in record.event.map { eta($0, driver: "drv_1") } }
        #expect(etas.count > 3)
        #expect(try counts(etas) == [:])
        #expect(try counts(Array(etas.dropFirst(2))) == [:], "the trip began later")
        var gap = etas
        gap.remove(at: 1)
        #expect(try counts(gap) == [.missing: 1])
        // A message in between: the trip may have been another driver's, or none, for a while.
        gap.insert(eta(EventID(origin: .trips, partition: 2, offset: 1), driver: "drv_1"), at: 1)
        #expect(try counts(gap) == [:])
    }

    @Test("a record of another event than its header says cannot be trusted")
    func otherBody() throws {
        let judged = try verdict(true)
        let never = EventID(partition: 2, offset: 60)
        #expect(try counts([eta(judged.event, driver: judged.driver, body: never)]) == [.unreadable: 1])
    }

    /// A stop that is told to be reached so many seconds after its time.
    private func stop(_ told: Double?, says delay: Int?, _ flag: TripEta.Delay) -> TripEta.Stop {
        var stop = TripEta.Stop(id: "s", kind: .stop, status: told == nil ? .unavailable : .valid, delay: flag)
        stop.scheduledAt = AuditedPartition.start.advanced(bySeconds: 600)
        stop.arrivesAt = told.map { AuditedPartition.start.advanced(bySeconds: 600 + $0) }
        stop.delaySeconds = delay
        return stop
    }

    @Test("a delay that is not the arrival less the timetable is wrong, and so is a flag that contradicts it")
    func delays() throws {
        let judged = try verdict(true)
        func found(_ stops: TripEta.Stop...) throws -> [AuditDifference.Kind: Int] {
            try counts([eta(judged.event, driver: judged.driver, stops: stops)])
        }
        #expect(try found(stop(120.499, says: 120, .onTime), stop(120.5, says: 121, .delayed)) == [:])
        #expect(try found(stop(-60.499, says: -60, .onTime), stop(-60.5, says: -61, .early)) == [:])
        #expect(try found(stop(nil, says: nil, .unknown)) == [:])
        // A flag that has not fallen yet.
        #expect(try found(stop(1, says: 1, .delayed), stop(-1, says: -1, .early)) == [:])
        for wrong in [
            stop(35, says: 34, .onTime), stop(35, says: nil, .unknown), stop(nil, says: 35, .onTime),
            stop(121, says: 121, .onTime), stop(-61, says: -61, .onTime), stop(0, says: 0, .early),
            stop(5, says: 5, .early), stop(0, says: 0, .delayed), stop(35, says: 35, .unknown),
            stop(nil, says: nil, .onTime),
        ] {
            #expect(try found(stop(0, says: 0, .onTime), wrong) == [.wrong: 1], "\(wrong)")
        }
        let trip = EventID(origin: .trips, partition: 2, offset: 4)
        #expect(try counts([eta(trip, driver: "x", stops: [stop(35, says: 34, .onTime)])]) == [.wrong: 1])
    }

    @Test("records whose verdicts retention has deleted are passed over")
    func cut() throws {
        #expect(try counts([eta(EventID(partition: 2, offset: 4), driver: "x")]) == [.foreign: 1], "4 is a dead letter")
        #expect(try counts([eta(EventID(partition: 2, offset: 4), driver: "x")], firstRaw: 5) == [:])
    }

    @Test("a rider update from a verdict without a position is foreign; one of a punctuation after it is not")
    func updates() throws {
        let check = AuditCheck("", "", exampleLimit: 9)
        let audit = try audit()
        let other = try verdict(false).event
        let judged = try verdict(true).event
        for event in [
            judged.withMessage(3), judged.withPunctuation(2).withMessage(17),
            other.withPunctuation(1).withMessage(2),
            EventID(origin: .trips, partition: 2, offset: 4).withMessage(16),
        ] {
            audit.checkUpdate(partition.verdicts[0], event, into: check)
        }
        #expect(check.counts == [:] && check.compared == 4)
        audit.checkUpdate(partition.verdicts[0], other.withMessage(1), into: check)
        audit.checkUpdate(partition.verdicts[0], EventID(partition: 2, offset: 60), into: check)
        audit.checkUpdate(partition.verdicts[0], EventID(origin: .trips, partition: 2, offset: 5), into: check)
        #expect(check.counts == [.foreign: 3])
    }
}
