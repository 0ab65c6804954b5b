import Processors
import Codec
import Domain
import TestSupport
import Testing

@Suite("A partition that was silent produces the same results as a busy one")
struct QuietPartitionTests {
    private static let start = SimulatedTraffic.start
    private static let busy = "busy"

    /// Verdict without its event id.
    private struct Summary: Equatable, CustomStringConvertible {
        var driver: String
        var verdict: Verdict
        var reasons: Reasons
        var received: Double
        var fixed: Double
        var estimate: Estimate?
        /// Timestamp of the verdict's record; earlier than the receipt time while stream time waits.
        var dated = 0.0

        var description: String { "\(driver) \(verdict) \(reasons.rawValue) received \(received) fixed \(fixed)" }

        static func == (left: Self, right: Self) -> Bool {
            (left.driver, left.verdict, left.reasons, left.received, left.fixed)
                == (right.driver, right.verdict, right.reasons, right.received, right.fixed)
                && left.estimate?.coordinate == right.estimate?.coordinate
        }
    }

    private let partition = LocationPartition()

    /// Returns a fix of a driver who moves east at 10 m/s.
    private func record(_ driver: String, lane: Int, measured: Double, received: Double) -> RecordedTopic.Record {
        let at = Self.start.advanced(bySeconds: measured)
        let noise = Double(Int(measured * 7) % 5) * 0.6
        let value = """
            {"type":"location","sequence":\(Int(measured * 10) + 1),"payload":{"latitude":\(48 + Double(lane) / 100),\
            "longitude":\(11 + (measured * 10 + noise) / 74_488),"accuracy_meters":8,"trip_id":"t\(lane)",\
            "timestamp":\(at.milliseconds)}}
            """
        return .init(
            key: Array(driver.utf8), value: Array(value.utf8), timestamp: Self.start.advanced(bySeconds: received))
    }

    /// Returns live fixes of each driver during the periods, one every `interval` seconds.
    private func live(_ drivers: Int, every interval: Double, _ periods: [ClosedRange<Double>]) -> RecordedTopic {
        var raw = RecordedTopic()
        for driver in 0..<drivers {
            let phase = interval * Double(driver) / Double(drivers)
            for period in periods {
                for second in stride(from: period.lowerBound + phase, through: period.upperBound, by: interval) {
                    raw.records.append(
                        record("d\(driver)", lane: driver, measured: second, received: second + 0.2))
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

    /// Returns `raw` with an additional driver who sends a fix every second.
    private func withBusyDriver(_ raw: RecordedTopic) -> RecordedTopic {
        var raw = raw
        let end = raw.records.map(\.timestamp).max()?.seconds(since: Self.start) ?? 0
        for second in stride(from: 0, through: end, by: 1) {
            raw.records.append(record(Self.busy, lane: 90, measured: second, received: second + 0.1))
        }
        return sorted(raw)
    }

    private func summaries(_ written: RecordedTopic) -> [Summary] {
        let reader = VerdictReader()
        return written.records.indices.compactMap { offset in
            var result: Summary?
            written.with(offset, input: 0) { record, _ in
                guard let entry = record.value.flatMap({ reader.read($0) }), entry.driverID.string != Self.busy
                else { return }
                result = Summary(
                    driver: entry.driverID.string, verdict: entry.verdict, reasons: entry.reasons,
                    received: entry.receivedAt.seconds(since: Self.start),
                    fixed: entry.fixedAt.seconds(since: Self.start), estimate: entry.estimate,
                    dated: record.timestamp.seconds(since: Self.start))
            }
            return result
        }
    }

    private func expectSame(_ quiet: [Summary], _ busy: [Summary], _ context: String) {
        #expect(quiet.count == busy.count, "\(context)")
        let different = zip(quiet, busy).first { $0 != $1 }
        #expect(different == nil, "\(context): \(different.map { "\($0), busy: \($1)" } ?? "")")
    }

    @Test(
        "every live fix after a silence has the same verdict as in a busy partition",
        arguments: [31, 149, 151, 288, 301, 1000, 28_800] as [Double], [1, 2, 5])
    func live(silence: Double, drivers: Int) {
        for interval in [1.0, 5, 30] {
            let end = 4 * interval
            let raw = sorted(
                live(drivers, every: interval, [0...end, end + silence...end + silence + 45 + 4 * interval]))
            let context = "\(silence) s, \(drivers) drivers, every \(interval) s"
            let actual = summaries(partition.run(raw)[0])
            #expect(actual.count == raw.records.count, "\(context)")
            let unexpected = actual.first { $0.verdict != .accepted || !$0.reasons.isEmpty }
            #expect(unexpected == nil, "\(context): \(unexpected.map(String.init(describing:)) ?? "")")
            for (result, record) in zip(actual, raw.records) {
                #expect(result.received == record.timestamp.seconds(since: Self.start), "\(context)")
            }
            // For a silence of hours, a busy partition would need thousands of records.
            if silence <= 1000 { expectSame(actual, summaries(partition.run(withBusyDriver(raw))[0]), context) }
        }
    }

    @Test("all fixes of vehicles that report every 4 to 10 minutes are accepted", arguments: [1, 2, 3, 5, 12])
    func rareReports(drivers: Int) {
        for interval in [240.0, 299, 300, 301, 600] {
            let raw = sorted(live(drivers, every: interval, [0...20 * interval]))
            let actual = summaries(partition.run(raw)[0])
            #expect(actual.count == raw.records.count)
            #expect(actual.allSatisfy { $0.verdict == .accepted && $0.received - $0.fixed < 1 }, "every \(interval) s")
        }
    }

    @Test("fixes stored during a silence keep their receipt times and ages", arguments: [60, 100, 200, 620])
    func stored(silence: Double) {
        for drivers in [1, 2] {
            var raw = live(drivers, every: 1, [0...20])
            // Stored fixes arrive within half a second after the silence, followed by live fixes.
            let end = 20 + silence
            for number in 0..<24 {
                let measured = 21 + Double(number) * (silence - 2) / 24
                raw.records.append(
                    record("d0", lane: 0, measured: measured.rounded(), received: end + Double(number) * 0.02))
            }
            for second in 1...40 {
                raw.records.append(
                    record("d0", lane: 0, measured: end + Double(second), received: end + Double(second) + 0.2))
            }
            let context = "\(silence) s, \(drivers) drivers"
            raw = sorted(raw)
            let actual = summaries(partition.run(raw)[0])
            #expect(actual.count == raw.records.count, "\(context)")
            for (result, record) in zip(actual, raw.records) {
                #expect(result.received == record.timestamp.seconds(since: Self.start), "\(context)")
            }
            let stored = actual.filter { $0.received >= end && $0.fixed < end }
            #expect(stored.count == 24, "\(context)")
            for result in stored {
                // `fixed` is the device time, because a stored fix must not count as a fix with a slow clock.
                #expect(abs(result.fixed - result.fixed.rounded() - 0.2) < 0.21, "\(context): \(result)")
                #expect(result.received - result.fixed > 1, "\(context)")
            }
            #expect(stored.first.map { $0.received - $0.fixed > silence - 3 } ?? false, "\(context)")
            let live = actual.filter { $0.fixed > end }
            #expect(live.count == 40 && live.allSatisfy { $0.verdict == .accepted }, "\(context)")
            expectSame(actual, summaries(partition.run(withBusyDriver(raw))[0]), context)
        }
    }

    @Test("a restart changes no byte, also after a silence of 151 to 800 s", arguments: [151.0, 288, 800])
    func restart(silence: Double) {
        var raw = live(3, every: 2, [0...30, 30 + silence...110 + silence])
        for number in 0..<10 {
            raw.records.append(
                record("d9", lane: 9, measured: 31 + Double(number), received: 30.5 + silence + Double(number) / 10))
        }
        raw = sorted(raw)
        let expected = partition.run(raw)
        for restart in stride(from: 0, to: raw.records.count, by: 5) {
            let actual = partition.run(raw, restartingAfter: restart)
            #expect(actual.map(\.records) == expected.map(\.records), "restart at \(restart)")
        }
    }

    @Test("until 30 s after a silence, stream time stands still and is the timestamp of the verdicts")
    func dates() {
        var raw = live(2, every: 1, [0...30, 430...500])
        // This driver does not resume, and would be evicted if stream time advanced.
        raw.records.append(record("d9", lane: 9, measured: 29.6, received: 29.6))
        raw = sorted(raw)
        let actual = summaries(partition.run(raw)[0])
        for result in actual where result.received > 400 {
            #expect((result.dated == result.received) == (result.received >= 460.2), "\(result)")
        }
    }

    @Test("riders immediately see a driver who resumes after a silence of the partition, and not as stale")
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
        let updates = BroadcastPartition(etas: etas).resume(from: RecordedTopic())
        let reader = RiderUpdateReader()
        var locations: [RiderUpdate.DriverLocation] = []
        for offset in updates.records.indices {
            updates.with(offset, input: 0) { record, _ in
                guard let envelope = record.value.flatMap({ reader.read($0) }),
                    case .driverLocation(let location) = envelope.update
                else { return }
                locations.append(location)
            }
        }
        let resumed = locations.filter { $0.fixedAt >= Self.start.advanced(bySeconds: 430) }
        let first = try #require(resumed.first)
        #expect(first.fixedAt.seconds(since: Self.start) < 431)
        #expect(resumed.count > 40 && resumed.allSatisfy { !$0.isStale && $0.staleSeconds == 0 })
        let texts = etas.texts.suffix(60)
        #expect(texts.allSatisfy { !$0.contains("\"is_stale\":true") })
    }
}
