import Domain
import Processors
import Support
import TestSupport
import Testing

@Suite("Stream time and wrong timestamps")
struct StreamTimeTests {
    private let partition = LocationPartition()
    private static let hours = 3 * 3600.0

    private func expectSame(_ actual: [RecordedTopic], _ expected: [RecordedTopic], _ context: String) {
        for output in expected.indices {
            let (actualRecords, expectedRecords) = (
                actual[output].ofSimulatedDrivers.records, expected[output].ofSimulatedDrivers.records
            )
            let different = zip(actualRecords, expectedRecords).enumerated().first { !$1.0.isSame(as: $1.1) }?.offset
            #expect(
                different == nil && actualRecords.count == expectedRecords.count,
                "\(context), output \(output), record \(different ?? min(actualRecords.count, expectedRecords.count))")
        }
    }

    @Test(
        "one record hours ahead changes no byte for other drivers, and no flag is lost",
        arguments: SkewedTraffic.Device.allCases)
    func oneRecord(device: SkewedTraffic.Device) {
        let seed: UInt64 = 31
        let traffic = SkewedTraffic(seed: seed, seconds: 400, every: 40)
        let expected = partition.run(traffic.raw(ahead: Self.hours, device) { _ in false })
        let flagged = expected[0].ofSimulatedDrivers.texts.filter { $0.contains("FLAGGED") }
        #expect(!flagged.isEmpty, "seed \(seed)")
        for wrong in [3, 17] {
            let actual = partition.run(traffic.raw(ahead: Self.hours, device) { $0 == wrong })
            expectSame(actual, expected, "seed \(seed), number \(wrong)")
        }
    }

    @Test(
        "a producer whose clock is hours ahead changes no byte for drivers of other producers",
        arguments: SkewedTraffic.Device.allCases)
    func wholeProducer(device: SkewedTraffic.Device) {
        let seed: UInt64 = 32
        let traffic = SkewedTraffic(seed: seed, seconds: 200, every: 2, drivers: 7)
        let expected = partition.run(traffic.raw(ahead: 0, device))
        let actual = partition.run(traffic.raw(ahead: Self.hours, device))
        expectSame(actual, expected, "seed \(seed)")
        let newest = traffic.simulated.raw.records.map(\.timestamp).max() ?? Timestamp(milliseconds: 0)
        #expect(actual[0].records.allSatisfy { $0.timestamp <= newest }, "no verdict is dated hours ahead")
        let other = actual[0].ofOtherProducer.texts
        #expect(other.count > 50)
        if device == .correct {
            // Correct device times replace the wrong timestamps.
            #expect(other.allSatisfy { !$0.contains("CLOCK_SKEW") })
        } else {
            // The first two records could end a silence; the second refutation shows a wrong clock.
            #expect(other.prefix(2).allSatisfy { !$0.contains("CLOCK_SKEW") })
            #expect(other.dropFirst(2).allSatisfy { $0.contains(#""verdict":"rejected","reasons":["CLOCK_SKEW"]"#) })
        }
    }

    @Test("a record hours ahead changes no arrival record of another driver")
    func otherArrivals() {
        let seed: UInt64 = 33
        let traffic = SkewedTraffic(seed: seed, seconds: 240, every: 50)
        func etas(_ raw: RecordedTopic) -> [String] {
            EtaPartition(raw: raw, trips: traffic.simulated.trips).run().changelog.ofSimulatedDrivers.texts
        }
        let expected = etas(traffic.raw(ahead: Self.hours, .ahead) { _ in false })
        #expect(expected.count > 40, "seed \(seed): \(expected.count)")
        #expect(etas(traffic.raw(ahead: Self.hours, .ahead) { $0 == 4 }) == expected, "seed \(seed)")
    }

    @Test("after hours without records, fixes get the same verdicts as in a new partition")
    func idle() {
        let seed: UInt64 = 34
        let traffic = SimulatedTraffic(drivers: 8, seconds: 120, seed: seed, cheaterShare: 0)
        var raw = traffic.raw
        // The tracks differ from the earlier tracks, because identical tracks would be rejected as replays.
        let later = SimulatedTraffic(
            drivers: 8, seconds: 120, seed: seed + 1, cheaterShare: 0,
            start: SimulatedTraffic.start.advanced(bySeconds: 6 * 3600)
        ).raw
        raw.records += later.records
        let actual = partition.run(raw)
        func verdicts(_ records: some Sequence<RecordedTopic.Record>) -> [Substring] {
            records.map { record in
                let text = record.text
                return text.firstRange(of: "\"verdict\":").map { text[$0.upperBound...].prefix(24) } ?? text[...]
            }
        }
        let fresh = partition.run(later)[0].records
        let after = actual[0].records.suffix(fresh.count)
        #expect(verdicts(after) == verdicts(fresh), "seed \(seed)")
        #expect(after.allSatisfy { !$0.text.contains("CLOCK_SKEW") }, "seed \(seed)")
        #expect(after.last?.timestamp == later.records.map(\.timestamp).max())
    }

    @Test("after hours without records, the only driver of a partition is accepted at once")
    func idleAlone() {
        var raw = RecordedTopic()
        let time = Timestamp(milliseconds: 1_770_000_000_000)
        for number in 0..<40 {
            let gap = number < 20 ? 0.0 : 7 * 3600
            raw.records.append(
                SkewedTraffic.record("drv_1", at: time.advanced(bySeconds: gap + Double(number) * 30), number: number))
        }
        let actual = partition.run(raw)[0].records
        #expect(actual.map(\.timestamp) == raw.records.map(\.timestamp))
        #expect(actual.allSatisfy { $0.text.contains(#""verdict":"accepted""#) })
    }

    @Test("a restart at any record changes no byte, with timestamps hours ahead and after hours of silence")
    func restart() {
        let seed: UInt64 = 35
        func traffic(_ hours: Double) -> SkewedTraffic {
            SkewedTraffic(
                seed: seed, seconds: 40, every: 4, drivers: 2, simulatedDrivers: 3,
                start: SimulatedTraffic.start.advanced(bySeconds: hours * 3600))
        }
        var raw = traffic(0).raw(ahead: Self.hours, .ahead) { $0 % 2 == 0 }
        raw.records += traffic(5).raw(ahead: Self.hours, .absent).records
        raw.records += traffic(5.02).raw(ahead: Self.hours, .correct).records
        let expected = partition.run(raw)
        for restart in raw.records.indices {
            let actual = partition.run(raw, restartingAfter: restart)
            let same = actual.map(\.records) == expected.map(\.records)
            #expect(same, "seed \(seed), restart at \(restart)")
        }
    }
}

extension RecordedTopic.Record {
    var text: String { value.map { String(decoding: $0, as: UTF8.self) } ?? "null" }

    /// Whether two records are equal, apart from refutations in their state headers.
    func isSame(as other: RecordedTopic.Record) -> Bool {
        func driver(_ record: RecordedTopic.Record) -> [UInt8] {
            record.state.withUnsafeBytes { Array(VerdictState.split(ByteSlice($0)).state.buffer) }
        }
        var (left, right) = (self, other)
        if left.state != right.state { (left.state, right.state) = (driver(left), driver(right)) }
        return left == right
    }
}
