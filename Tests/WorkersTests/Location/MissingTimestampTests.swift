import Processors
import Support
import Testing

@Suite("Raw records without a timestamp")
struct MissingTimestampTests {
    private let partition = LocationPartition()

    @Test("a record without timestamp gets the newest earlier timestamp", arguments: [Int64(0), -1, .min])
    func streamTime(milliseconds: Int64) throws {
        let raw = SimulatedTraffic(drivers: 6, seconds: 100, seed: 41).raw
        var undated = raw
        var dated = raw
        for number in stride(from: 20, to: raw.records.count, by: 17) {
            undated.records[number].timestamp = Timestamp(milliseconds: milliseconds)
            dated.records[number].timestamp = try #require(dated.records[..<number].map(\.timestamp).max())
        }
        let actual = partition.run(undated)
        let expected = partition.run(dated)
        #expect(actual.map(\.records) == expected.map(\.records))
        let restarted = partition.run(undated, restartingAfter: 60)
        #expect(restarted.map(\.texts) == actual.map(\.texts))
    }

    @Test("a first record without timestamp gets its device time, and at most one fix less is accepted")
    func first() throws {
        // The clock of the first device is correct.
        var raw = SimulatedTraffic(drivers: 4, seconds: 30, seed: 45).raw
        let expected = partition.run(raw)
        raw.records[0].timestamp = Timestamp(milliseconds: 0)
        let actual = partition.run(raw)
        let at = try #require(actual[0].records.first?.timestamp.milliseconds)
        #expect(abs(at - (expected[0].records.first?.timestamp.milliseconds ?? 0)) < 30_000)
        #expect(actual[0].records.count == expected[0].records.count)
        #expect(Self.accepted(actual[0].texts) >= Self.accepted(expected[0].texts) - 1)
    }

    @Test("records without timestamp do not prevent other records from ending a silence")
    func silence() {
        var raw = SimulatedTraffic(drivers: 6, seconds: 200, seed: 43).raw
        let hour: Int64 = 3_600_000
        let middle = raw.records.count / 2
        for number in middle..<raw.records.count {
            raw.records[number].timestamp = Timestamp(milliseconds: raw.records[number].timestamp.milliseconds + hour)
        }
        var mixed = raw
        for number in stride(from: middle, to: raw.records.count, by: 9) {
            mixed.records[number].timestamp = Timestamp(milliseconds: 0)
        }
        let end = partition.run(mixed)[0].records.last?.timestamp.milliseconds ?? 0
        let expected = partition.run(raw)[0].records.last?.timestamp.milliseconds ?? 0
        #expect(end >= expected - 60_000)
    }

    private static func accepted(_ texts: [String]) -> Int {
        texts.count { $0.contains(#""verdict":"accepted""#) }
    }
}
