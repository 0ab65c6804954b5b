import Codec
import Domain
import Processors
import Support
import TestSupport
import Testing

@Suite("Fixes without a trip id of a driver on a trip")
struct ThrottledFixTests {
    private static let start = Timestamp(milliseconds: 1_770_000_000_000)
    private static let drivers = ["on_trip", "idle"]

    /// Returns locations without trip ids of two drivers on the same road, every 1 to 4 s.
    private func raw(fixes: Int = 40, seed: UInt64 = 7) -> RecordedTopic {
        var generator = SeededGenerator(seed: seed)
        var topic = RecordedTopic()
        var second = 0.0
        for number in 0..<fixes {
            second += Double.random(in: 1...4, using: &generator)
            for driver in Self.drivers {
                let at = Self.start.advanced(bySeconds: second)
                let text = """
                    {"type":"location","payload":{"latitude":\(37.765 + second * 1e-4),"longitude":-122.41,\
                    "accuracy_meters":5.\(number % 10),"heading":0.\(number % 7),"speed_mps":11.\(number % 9),\
                    "altitude_meters":15.\(number % 8),"timestamp":\(at.milliseconds - 200),"battery_percent":72,\
                    "is_charging":false},"sequence":\(number + 1)}
                    """
                topic.records.append(.init(key: Array(driver.utf8), value: Array(text.utf8), timestamp: at))
            }
        }
        return topic
    }

    private var trips: RecordedTopic {
        let text = """
            {"trip_id":"tr_1","driver_id":"on_trip","kind":"ride","state":"ACCEPTED","version":1,"stops":[\
            {"stop_id":"pickup","kind":"PICKUP","latitude":37.79,"longitude":-122.41},\
            {"stop_id":"dropoff","kind":"DROPOFF","latitude":37.8,"longitude":-122.41}]}
            """
        var topic = RecordedTopic()
        topic.records.append(.init(key: Array("on_trip".utf8), value: Array(text.utf8), timestamp: Self.start))
        return topic
    }

    private func partition() -> EtaPartition { EtaPartition(raw: raw(), trips: trips, isRateLimited: true) }

    /// Returns the event ids of records that a location caused.
    private func locationEvents(_ written: EtaPartition.Written) -> [EventID] {
        written.changelog.records.compactMap(\.event).filter { $0.origin == .raw && $0.punctuation == 0 }
    }

    @Test("each of forty fixes causes an arrival record, even if the fix is throttled")
    func everyFixIsFollowed() {
        let partition = partition()
        let ownFixes = (0..<40).map { EventID(partition: 0, offset: Int64($0) * 2) }
        #expect(locationEvents(partition.run()) == ownFixes)
    }

    @Test("without a trip, five fixes and then one in 30 s are accepted; further fixes are evaluated but throttled")
    func idleIsThrottled() throws {
        let partition = partition()
        let reader = VerdictReader()
        var counts: [Verdict: Int] = [:]
        for offset in partition.verdicts.records.indices {
            partition.verdicts.with(offset, input: 0) { record, _ in
                guard let verdict = record.value.flatMap(reader.read), verdict.driverID.string == "idle" else { return }
                counts[verdict.verdict, default: 0] += 1
                #expect(verdict.estimate != nil)
                #expect(verdict.reasons == (verdict.verdict == .accepted ? [] : [.rateLimited]))
            }
        }
        let seconds = try #require(partition.steps.last).at.seconds(since: Self.start)
        #expect(counts[.accepted] == 5 + Int(seconds / 30))
        #expect(counts[.throttled] == 40 - (counts[.accepted] ?? 0))
    }

    @Test("fixes without a trip id during a trip raise no warning")
    func noWarnings() {
        let topics = LocationPartition().run(raw())
        #expect(topics[0].records.count == 80)
        #expect(topics[2].records.isEmpty, "\(topics[2].texts)")
    }

    @Test("a restart at any record changes no byte of the verdicts")
    func locationRestart() {
        let raw = raw()
        let partition = LocationPartition()
        let undisturbed = partition.run(raw)
        for restart in 1..<raw.records.count {
            let disturbed = partition.run(raw, restartingAfter: restart)
            #expect(disturbed.map(\.texts) == undisturbed.map(\.texts), "restart at \(restart)")
            #expect(disturbed[0].records.map(\.state) == undisturbed[0].records.map(\.state), "restart at \(restart)")
        }
    }

    @Test("a restart at any record changes no byte of the arrival times")
    func etaRestart() {
        let partition = partition()
        let undisturbed = partition.run()
        for stop in 1..<undisturbed.order.count {
            let disturbed = partition.resume(from: undisturbed.prefix(stop))
            #expect(disturbed.changelog.records == undisturbed.changelog.records, "stopped after \(stop)")
        }
    }

    @Test("a trip that begins after its driver's last fix starts from this fix")
    func tripBeginsLater() throws {
        var partition = partition()
        let later = try #require(partition.verdicts.records.last).timestamp.advanced(bySeconds: 0.5)
        partition.trips.records[0].timestamp = later
        partition.steps = partition.steps.filter { $0.input == 0 } + [.init(input: 1, offset: 0, at: later)]
        let written = partition.run()
        #expect(written.changelog.records.count == 1)
        let fixedAt = #""fixed_at":"2026-02-02T02:4"#
        #expect(written.changelog.texts[0].contains(fixedAt), "\(written.changelog.texts)")
    }

    @Test(
        "a fix of a flagged driver or without an estimate causes no arrival record",
        arguments: [("throttled", "RATE_LIMITED\",\"FLAGGED", true), ("throttled", "RATE_LIMITED", false)])
    func failsClosed(verdict: String, reasons: String, hasEstimate: Bool) {
        var partition = EtaPartition(raw: RecordedTopic(), trips: trips)
        let at = Self.start.advanced(bySeconds: 10)
        let estimate =
            #""latitude":37.77,"longitude":-122.41,"speed_mps":1,"accuracy_meters":3,"confidence":"HIGH","is_halted":false,"#
        let text = """
            {"event_id":"0-0","driver_id":"on_trip","verdict":"\(verdict)","reasons":["\(reasons)"],"risk":0.5,\
            \(hasEstimate ? estimate : "")"raw":{"latitude":37.77,"longitude":-122.41},\
            "fixed_at":\(at.milliseconds),"received_at":\(at.milliseconds)}
            """
        partition.verdicts.records.append(.init(key: Array("on_trip".utf8), value: Array(text.utf8), timestamp: at))
        partition.steps.append(.init(input: 0, offset: 0, at: at))
        #expect(locationEvents(partition.run()).isEmpty)
        partition.verdicts.records[0].value = Array(
            text.replacing(#"["\#(reasons)"]"#, with: "[\"RATE_LIMITED\"]").utf8)
        #expect(locationEvents(partition.run()).count == (hasEstimate ? 1 : 0))
    }
}
