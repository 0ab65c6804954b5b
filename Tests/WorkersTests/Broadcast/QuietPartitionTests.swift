import Codec
import Model
import TestSupport
import Testing
import BroadcastWorker

@Suite("A partition that was silent gives the answers of a busy one")
struct QuietPartitionTests {
    private static let start = SimulatedTraffic.start
    private static let busy = "busy"

    /// What a verdict says, without its number in the topic.
    private struct Answer: Equatable, CustomStringConvertible {
        var driver: String
        var verdict: Verdict
        var reasons: Reasons
        var received: Double
        var fixed: Double
        var estimate: Estimate?
        /// What the record is dated by, behind the receipt where stream time had not followed that.
        var dated = 0.0

        var description: String { "\(driver) \(verdict) \(reasons.rawValue) received \(received) fixed \(fixed)" }

        static func == (left: Self, right: Self) -> Bool {
            (left.driver, left.verdict, left.reasons, left.received, left.fixed)
                == (right.driver, right.verdict, right.reasons, right.received, right.fixed)
                && left.estimate?.coordinate == right.estimate?.coordinate
        }
    }

    private let partition = LocationPartition()

    /// A fix of a driver who drives east at 10 m/s, taken at `taken` and received at `received`, in seconds.
    private func record(_ driver: String, lane: Int, taken: Double, received: Double) -> RecordedTopic.Record {
        let at = Self.start.advanced(bySeconds: taken)
        let noise = Double(Int(taken * 7) % 5) * 0.6
        let value = """
            {"type":"location","sequence":\(Int(taken * 10) + 1),"payload":{"latitude":\(48 + Double(lane) / 100),\
            "longitude":\(11 + (taken * 10 + noise) / 74_488),"accuracy_meters":8,"trip_id":"t\(lane)",\
            "timestamp":\(at.milliseconds)}}
            """
        return .init(
            key: Array(driver.utf8), value: Array(value.utf8), timestamp: Self.start.advanced(bySeconds: received))
    }

    /// Live fixes of `drivers` drivers over the periods, one each `interval` seconds.
    private func live(_ drivers: Int, every interval: Double, _ periods: [ClosedRange<Double>]) -> RecordedTopic {
        var raw = RecordedTopic()
        for driver in 0..<drivers {
            let phase = interval * Double(driver) / Double(drivers)
            for period in periods {
                for second in stride(from: period.lowerBound + phase, through: period.upperBound, by: interval) {
                    raw.records.append(
                        record("d\(driver)", lane: driver, taken: second, received: second + 0.2))
                }
            }
        }
        return raw
    }

    private func sorted(_ raw: RecordedTopic) -> RecordedTopic {
        var raw = raw
        let order = raw.records.indices.sorted { (raw.records[$0].timestamp, $0) < (raw.records[$1].timestamp, $1) }
        raw.records = order.map { raw.records[$0] }
        return raw
    }

    /// With another driver who sends a fix each second.
    private func withBusyDriver(_ raw: RecordedTopic) -> RecordedTopic {
        var raw = raw
        let end = raw.records.map(\.timestamp).max()?.seconds(since: Self.start) ?? 0
        for second in stride(from: 0, through: end, by: 1) {
            raw.records.append(record(Self.busy, lane: 90, taken: second, received: second + 0.1))
        }
        return sorted(raw)
    }

    private func answers(_ written: RecordedTopic) -> [Answer] {
        let reader = VerdictReader()
        return written.records.indices.compactMap { offset in
            var answer: Answer?
            written.with(offset, input: 0) { record, _ in
                guard let found = record.value.flatMap({ reader.read($0) }), found.driverID.string != Self.busy
                else { return }
                answer = Answer(
                    driver: found.driverID.string, verdict: found.verdict, reasons: found.reasons,
                    received: found.receivedAt.seconds(since: Self.start),
                    fixed: found.fixedAt.seconds(since: Self.start), estimate: found.estimate,
                    dated: record.timestamp.seconds(since: Self.start))
            }
            return answer
        }
    }

    private func expectSame(_ quiet: [Answer], _ busy: [Answer], _ note: String) {
        #expect(quiet.count == busy.count, "\(note)")
        let different = zip(quiet, busy).first { $0 != $1 }
        #expect(different == nil, "\(note): \(different.map { "\($0), busy: \($1)" } ?? "")")
    }

    @Test(
        "every live fix after a silence is judged as in a busy partition, whatever its length, fleet and rate",
        arguments: [31, 149, 151, 288, 301, 1000, 28_800] as [Double], [1, 2, 5])
    func live(silence: Double, drivers: Int) {
        for interval in [1.0, 5, 30] {
            let end = 4 * interval
            let raw = sorted(
                live(drivers, every: interval, [0...end, end + silence...end + silence + 45 + 4 * interval]))
            let note = "\(silence) s, \(drivers) drivers, every \(interval) s"
            let found = answers(partition.run(raw)[0])
            #expect(found.count == raw.records.count, "\(note)")
            let other = found.first { $0.verdict != .accepted || !$0.reasons.isEmpty }
            #expect(other == nil, "\(note): \(other.map(String.init(describing:)) ?? "")")
            for (answer, record) in zip(found, raw.records) {
                #expect(answer.received == record.timestamp.seconds(since: Self.start), "\(note)")
            }
            // A busy partition of hours would take as many records as seconds.
            if silence <= 1000 { expectSame(found, answers(partition.run(withBusyDriver(raw))[0]), note) }
        }
    }

    @Test("a fleet whose vehicles report every five minutes loses no fix", arguments: [1, 2, 3, 5, 12])
    func everyFiveMinutes(drivers: Int) {
        for interval in [240.0, 299, 300, 301, 600] {
            let raw = sorted(live(drivers, every: interval, [0...20 * interval]))
            let found = answers(partition.run(raw)[0])
            #expect(found.count == raw.records.count)
            #expect(found.allSatisfy { $0.verdict == .accepted && $0.received - $0.fixed < 1 }, "every \(interval) s")
        }
    }

    @Test("fixes that were stored in a silence keep their receipts and their ages", arguments: [60, 100, 200, 620])
    func stored(silence: Double) {
        for drivers in [1, 2] {
            var raw = live(drivers, every: 1, [0...20])
            // All come within half a second after the silence, and live ones after them.
            let end = 20 + silence
            for number in 0..<24 {
                let taken = 21 + Double(number) * (silence - 2) / 24
                raw.records.append(
                    record("d0", lane: 0, taken: taken.rounded(), received: end + Double(number) * 0.02))
            }
            for second in 1...40 {
                raw.records.append(
                    record("d0", lane: 0, taken: end + Double(second), received: end + Double(second) + 0.2))
            }
            let note = "\(silence) s, \(drivers) drivers"
            raw = sorted(raw)
            let found = answers(partition.run(raw)[0])
            #expect(found.count == raw.records.count, "\(note)")
            for (answer, record) in zip(found, raw.records) {
                #expect(answer.received == record.timestamp.seconds(since: Self.start), "\(note)")
            }
            let stored = found.filter { $0.received >= end && $0.fixed < end }
            #expect(stored.count == 24, "\(note)")
            for answer in stored {
                // Its device's time, of which no stored fix is taken for a slow clock's.
                #expect(abs(answer.fixed - answer.fixed.rounded() - 0.2) < 0.21, "\(note): \(answer)")
                #expect(answer.received - answer.fixed > 1, "\(note)")
            }
            #expect(stored.first.map { $0.received - $0.fixed > silence - 3 } ?? false, "\(note)")
            let live = found.filter { $0.fixed > end }
            #expect(live.count == 40 && live.allSatisfy { $0.verdict == .accepted }, "\(note)")
            expectSame(found, answers(partition.run(withBusyDriver(raw))[0]), note)
        }
    }

    @Test("a restart changes no byte, in silences up to the memory of flags", arguments: [151.0, 288, 800])
    func restart(silence: Double) {
        var raw = live(3, every: 2, [0...30, 30 + silence...110 + silence])
        for number in 0..<10 {
            raw.records.append(
                record("d9", lane: 9, taken: 31 + Double(number), received: 30.5 + silence + Double(number) / 10))
        }
        raw = sorted(raw)
        let wanted = partition.run(raw)
        for restart in stride(from: 0, to: raw.records.count, by: 5) {
            let found = partition.run(raw, restartingAfter: restart)
            #expect(found.map(\.records) == wanted.map(\.records), "restart at \(restart)")
        }
    }

    @Test("stream time follows a silence after 30 s of receipts, and verdicts are dated by it until then")
    func dates() {
        var raw = live(2, every: 1, [0...30, 430...500])
        // A driver who does not resume, and would be forgotten.
        raw.records.append(record("d9", lane: 9, taken: 29.6, received: 29.6))
        raw = sorted(raw)
        let found = answers(partition.run(raw)[0])
        for answer in found where answer.received > 400 {
            #expect((answer.dated == answer.received) == (answer.received >= 460.2), "\(answer)")
        }
    }

    @Test("riders are told of a driver who resumes in a silent partition at once, with the right times")
    func riders() throws {
        var trips = RecordedTopic()
        let end = 11 + 8000 * 10 / 74_488.0
        let trip = """
            {"trip_id":"t0","driver_id":"d0","state":"IN_PROGRESS","version":1,"stops":[{"stop_id":"pickup",\
            "latitude":48,"longitude":11},{"stop_id":"dropoff","latitude":48,"longitude":\(end)}]}
            """
        trips.records.append(
            .init(key: Array("d0".utf8), value: Array(trip.utf8), timestamp: Self.start))
        let raw = sorted(live(2, every: 1, [0...30, 430...500]))
        let etas = EtaPartition(raw: raw, trips: trips).run().changelog
        let updates = BroadcastPartition(etas: etas).goOn(from: RecordedTopic())
        let reader = RiderUpdateReader()
        var told: [RiderUpdate.DriverLocation] = []
        for offset in updates.records.indices {
            updates.with(offset, input: 0) { record, _ in
                guard let found = record.value.flatMap({ reader.read($0) }),
                    case .driverLocation(let location) = found.update
                else { return }
                told.append(location)
            }
        }
        let resumed = told.filter { $0.fixedAt >= Self.start.advanced(bySeconds: 430) }
        let first = try #require(resumed.first)
        #expect(first.fixedAt.seconds(since: Self.start) < 431)
        #expect(resumed.count > 40 && resumed.allSatisfy { !$0.isStale && $0.staleSeconds == 0 })
        let texts = etas.texts.suffix(60)
        #expect(texts.allSatisfy { !$0.contains("\"is_stale\":true") })
    }
}
