import Pipeline
import Testing
import Tracking

@Suite("Raw records without a timestamp")
struct MissingTimestampTests {
    private let partition = LocationPartition()

    @Test("count as received when the newest record before them was", arguments: [Int64(0), -1, .min])
    func streamTime(milliseconds: Int64) throws {
        let raw = SimulatedTraffic(drivers: 6, seconds: 100, seed: 41).raw
        var undated = raw
        var dated = raw
        for number in stride(from: 20, to: raw.records.count, by: 17) {
            undated.records[number].timestamp = Timestamp(milliseconds: milliseconds)
            dated.records[number].timestamp = try #require(dated.records[..<number].map(\.timestamp).max())
        }
        let found = partition.run(undated)
        let wanted = partition.run(dated)
        #expect(found.map(\.records) == wanted.map(\.records))
        let restarted = partition.run(undated, restartingAfter: 60)
        #expect(restarted.map(\.texts) == found.map(\.texts))
    }

    @Test("are dated a millisecond after 1970 where nothing was before them, and hold nothing up")
    func first() {
        var raw = SimulatedTraffic(drivers: 1, seconds: 30, seed: 42).raw
        raw.records[0].timestamp = Timestamp(milliseconds: 0)
        let found = partition.run(raw)
        #expect(found[0].records.first?.timestamp == Timestamp(milliseconds: 1))
        #expect(found[0].records.count >= raw.records.count)
        #expect(found[0].texts.contains { $0.contains(#""verdict":"accepted""#) })
    }
}
