import Foundation
import Pipeline
import Simulation
import Testing
import Tracking

@testable import SightlineCLI

@Suite("The report of a run")
struct DemoReportTests {
    private static let here = Coordinate(latitude: 48, longitude: 11)

    /// A ledger of raw records 10 to 19 in partition 0, each with an accepted verdict unless `verdicts` says otherwise.
    private func ledger(verdicts: [Int64: Int] = [:]) -> RunLedger {
        var ledger = RunLedger(scope: RunScope(raw: [0: 10], trips: [0: 100]))
        for offset in Int64(10)..<20 {
            ledger.noteRaw(
                partition: 0, offset: offset, at: Timestamp(milliseconds: offset * 1000), driverID: "d\(offset % 3)",
                outcomes: 1, readable: 1)
            for _ in 0..<(verdicts[offset] ?? 1) { ledger.note(Self.verdict(offset)) }
        }
        return ledger
    }

    private static func verdict(
        _ offset: Int64, _ verdict: Verdict = .accepted, reasons: Reasons = [], driver: String? = nil,
        at: Timestamp? = nil
    ) -> RunLedger.SeenVerdict {
        RunLedger.SeenVerdict(
            event: EventID(partition: 0, offset: offset), driverID: driver ?? "d\(offset % 3)", sessionID: "s",
            sequence: offset, verdict: verdict, reasons: reasons, reported: here,
            estimate: verdict == .accepted ? here : nil, receivedAt: at ?? Timestamp(milliseconds: offset * 1000))
    }

    private func stores(_ rows: Int, distinct: Int? = nil) -> StoreCounts {
        var stores = StoreCounts()
        stores.locations = StoreCounts.Rows(all: rows, distinct: distinct ?? rows)
        stores.drivers = 3
        return stores
    }

    @Test("a run in which all came through once is clean")
    func clean() {
        let report = DemoReport(ledger: ledger(), stores: stores(10), isLive: true)
        #expect(report.isClean && report.lost == 0 && report.doubled == 0 && report.complaints.isEmpty)
        #expect(report.rawRecords == 10 && report.fixes == 10 && report.verdicts == [.accepted: 10])
        #expect(report.historyRows == 10 && report.redisDrivers == 3)
    }

    @Test("a fix without a verdict is lost")
    func lostFix() {
        let report = DemoReport(ledger: ledger(verdicts: [14: 0]), stores: stores(9), isLive: true)
        #expect(report.lost == 1 && report.doubled == 0)
        #expect(report.complaints == ["1 fixes have neither a verdict nor a dead letter."])
    }

    @Test("a verdict that is written twice is doubled, and counts once as a verdict")
    func doubledVerdict() {
        let report = DemoReport(ledger: ledger(verdicts: [14: 2]), stores: stores(10), isLive: true)
        #expect(report.doubled == 1 && report.lost == 0 && report.verdicts == [.accepted: 10])
    }

    @Test("a verdict without a row is lost, a row too many is doubled")
    func history() {
        #expect(DemoReport(ledger: ledger(), stores: stores(9), isLive: true).lost == 1)
        let doubled = DemoReport(ledger: ledger(), stores: stores(11, distinct: 10), isLive: true)
        #expect(doubled.doubled == 1 && doubled.lost == 0)
        // A row lost and another doubled do not make up for each other.
        let both = DemoReport(ledger: ledger(), stores: stores(10, distinct: 9), isLive: true)
        #expect(both.lost == 1 && both.doubled == 1)
    }

    @Test("a history that keeps a sample loses nothing by that")
    func sampled() {
        var sample = stores(4)
        sample.isSampled = true
        #expect(DemoReport(ledger: ledger(), stores: sample, isLive: true).isClean)
    }

    @Test("a dead letter is an outcome; a record that cannot be read is no fix")
    func deadLetters() {
        var ledger = ledger()
        ledger.noteRaw(
            partition: 0, offset: 20, at: Timestamp(milliseconds: 0), driverID: "x", outcomes: 1, readable: 0)
        #expect(DemoReport(ledger: ledger, stores: stores(10), isLive: true).lost == 1)
        ledger.noteDeadLetter(event: EventID(partition: 0, offset: 20))
        let report = DemoReport(ledger: ledger, stores: stores(10), isLive: true)
        #expect(report.isClean && report.deadLetters == 1 && report.fixes == 10 && report.rawRecords == 11)
        ledger.noteDeadLetter(event: EventID(partition: 0, offset: 20))
        #expect(DemoReport(ledger: ledger, stores: stores(10), isLive: true).doubled == 1)
    }

    @Test("warnings, changes of trips and Redis are checked too")
    func otherStores() {
        var ledger = ledger()
        ledger.noteWarning(
            event: EventID(partition: 0, offset: 12), driverID: "d0", reason: .teleportation,
            at: Timestamp(milliseconds: 0))
        var eta = TripEta(tripID: "t", driverID: "d0", state: .requested, computedAt: Timestamp(milliseconds: 0))
        eta.change = TripEta.Change(previousState: nil, changedAt: Timestamp(milliseconds: 0))
        ledger.note(eta, event: EventID(origin: .trips, partition: 0, offset: 100))
        var stores = stores(10)
        #expect(DemoReport(ledger: ledger, stores: stores, isLive: true).lost == 2)
        stores.warnings = StoreCounts.Rows(all: 1, distinct: 1)
        stores.tripEvents = StoreCounts.Rows(all: 2, distinct: 1)
        stores.missingDrivers = 1
        let report = DemoReport(ledger: ledger, stores: stores, isLive: true)
        #expect(report.lost == 1 && report.doubled == 1)
    }

    @Test("what was made from records before the run is not looked at")
    func scope() {
        var ledger = ledger()
        ledger.note(Self.verdict(9))
        ledger.noteDeadLetter(event: EventID(partition: 0, offset: 3))
        ledger.noteRiderUpdate(
            event: EventID(origin: .trips, partition: 0, offset: 99), seenAt: Timestamp(milliseconds: 0))
        ledger.note(Self.verdict(10_000, .late))
        #expect(ledger.verdictCount == 11 && ledger.deadLetters == 0 && ledger.riderUpdates == 0)
        #expect(DemoReport(ledger: ledger, stores: stores(11), isLive: true).doubled == 1, "nobody sent record 10000")
    }

    @Test("latency is from receipt to the rider update, whichever of both records is read first")
    func latency() throws {
        var ledger = RunLedger(scope: RunScope(raw: [0: 0], trips: [0: 0]))
        for offset in Int64(0)..<100 {
            let event = EventID(partition: 0, offset: offset)
            let sent = Timestamp(milliseconds: 1_000_000 + offset * 100)
            let seen = Timestamp(milliseconds: sent.milliseconds + offset + 1)
            if offset % 2 == 0 { ledger.noteRiderUpdate(event: event, seenAt: seen) }
            ledger.noteRaw(partition: 0, offset: offset, at: sent, driverID: "d", outcomes: 1, readable: 1)
            if offset % 2 == 1 { ledger.noteRiderUpdate(event: event, seenAt: seen) }
            ledger.noteRiderUpdate(event: event.withPunctuation(1), seenAt: Timestamp(milliseconds: 9_000_000))
        }
        let report = DemoReport(ledger: ledger, stores: StoreCounts(), isLive: true)
        #expect(report.latency == DemoReport.Latency(p50: 50, p99: 99))
        #expect(DemoReport(ledger: ledger, stores: StoreCounts(), isLive: false).latency == nil)
        #expect(ledger.riderUpdates == 200)
    }

    @Test("smoothing is judged on accepted honest fixes with a truth")
    func smoothing() throws {
        var ledger = RunLedger(scope: RunScope(raw: [0: 0], trips: [:]))
        let true10North = Coordinate(latitude: 48 + 10 / Geodesy.metersPerDegree, longitude: 11)
        for sequence in Int64(0)..<4 {
            ledger.accuracy.expect(
                FixTruth(
                    driverID: "d", sessionID: "s", sequence: sequence, coordinate: true10North,
                    takenAt: Timestamp(milliseconds: 0), reported: Self.here, isForged: sequence == 3))
        }
        for (sequence, verdict) in [(0, Verdict.accepted), (1, .rejected), (3, .accepted), (4, .accepted)] {
            var seen = Self.verdict(Int64(sequence), verdict, driver: "d")
            seen.estimate = verdict == .accepted ? true10North : nil
            ledger.note(seen)
        }
        #expect(ledger.accuracy.count == 1)
        let smoothing = try #require(DemoReport(ledger: ledger, stores: StoreCounts(), isLive: true).smoothing)
        #expect(abs(smoothing.rawRMSEMeters - 10) < 0.01 && smoothing.smoothedRMSEMeters < 0.001)
    }

    @Test("a cheater is caught by a fitting code inside a window only")
    func spoofing() throws {
        let window = CheatWindow(
            from: Timestamp(milliseconds: 10_000), to: Timestamp(milliseconds: 20_000), forgedFixes: 10)
        func result(_ reasons: Reasons, at milliseconds: Int64, kind: CheatKind = .teleport) throws
            -> SpoofingScore.Result
        {
            let drivers = [
                DriverTruth(driverID: "cheat", cheat: kind, windows: [window]),
                DriverTruth(driverID: "brief", cheat: kind, windows: [CheatWindow(from: window.from, forgedFixes: 1)]),
                DriverTruth(driverID: "honest", cheat: nil), DriverTruth(driverID: "absent", cheat: nil),
            ]
            var score = SpoofingScore()
            score.expect(drivers)
            score.noteWarning(of: "cheat", reason: reasons, at: Timestamp(milliseconds: milliseconds))
            return try #require(score.result(drivers, seen: ["cheat", "brief", "honest"]))
        }
        #expect(try result(.teleportation, at: 12_000) == .init(cheaters: 1, caught: 1, honest: 1, honestRejected: 0))
        #expect(try result(.teleportation, at: 9_999).caught == 0)
        #expect(try result(.teleportation, at: 23_000).caught == 1)
        #expect(try result(.teleportation, at: 23_001).caught == 0)
        #expect(try result(.lowAccuracy, at: 12_000).caught == 0)
        #expect(try result(.teleportation, at: 12_000, kind: .replayedTrack).cheaters == 0, "ten fixes are too few")
        #expect(SpoofingScore().result([], seen: ["x"]) == nil)
    }

    @Test("an honest driver counts as rejected once, and only for what accuses")
    func honest() throws {
        let drivers = [DriverTruth(driverID: "a", cheat: nil), DriverTruth(driverID: "b", cheat: nil)]
        var score = SpoofingScore()
        score.expect(drivers)
        for _ in 0..<3 {
            score.noteRejection(of: "a", reasons: .impossibleSpeed, at: Timestamp(milliseconds: 0))
            score.noteRejection(of: "b", reasons: [.lowAccuracy, .clockSkew], at: Timestamp(milliseconds: 0))
        }
        #expect(score.result(drivers, seen: ["a", "b"]) == .init(cheaters: 0, caught: 0, honest: 2, honestRejected: 1))
    }

    @Test("promises are judged by true arrivals, those that came within the run")
    func arrivals() throws {
        var score = ArrivalScore()
        var eta = TripEta(tripID: "t", driverID: "d", state: .accepted, computedAt: Timestamp(milliseconds: 0))
        eta.stops = [
            TripEta.Stop(id: "pickup", kind: .pickup, status: .valid),
            TripEta.Stop(id: "dropoff", kind: .dropoff, status: .valid),
        ]
        (eta.stops[0].seconds, eta.stops[0].minSeconds, eta.stops[0].maxSeconds) = (100, 90, 110)
        (eta.stops[1].seconds, eta.stops[1].minSeconds, eta.stops[1].maxSeconds) = (500, 400, 600)
        score.note(eta)
        eta.computedAt = Timestamp(milliseconds: 4999)
        score.note(eta)
        eta.computedAt = Timestamp(milliseconds: 5000)
        score.note(eta)
        let trip = TripTruth(
            tripID: "t", driverID: "d", kind: .ride,
            stops: [
                TripTruth.Stop(id: "pickup", arrivedAt: Timestamp(milliseconds: 110_000)),
                TripTruth.Stop(id: "dropoff"),
            ], state: .arrived)
        // Off by 10 s and by 5 s; both within their intervals.
        let result = try #require(score.result([trip]))
        #expect(result.count == 2 && result.meanAbsoluteErrorSeconds == 7.5 && result.withinInterval == 1)
        #expect(score.result([]) == nil)
    }

    @Test("the JSON has every key, and null for what could not be measured")
    func json() throws {
        let report = DemoReport(ledger: ledger(), stores: stores(10), isLive: false)
        let object = try #require(try JSONSerialization.jsonObject(with: try report.json()) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "raw_records", "fixes", "verdicts", "dead_letters", "history_rows", "redis_drivers", "rider_updates",
                "lost", "doubled", "latency_ms", "smoothing", "spoofing", "eta",
            ])
        for key in ["latency_ms", "smoothing", "spoofing", "eta"] { #expect(object[key] is NSNull) }
        #expect(
            object["verdicts"] as? [String: Int]
                == ["accepted": 10, "late": 0, "duplicate": 0, "throttled": 0, "rejected": 0])
    }

    @Test("the text names what is wrong")
    func text() {
        let text = DemoReport(ledger: ledger(verdicts: [14: 0]), stores: stores(9), isLive: false).text
        #expect(text.contains("neither a verdict nor a dead letter") && text.contains("lost, doubled"))
        #expect(text.contains("not measurable"))
    }
}
