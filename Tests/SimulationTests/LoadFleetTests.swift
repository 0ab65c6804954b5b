import Codec
import Domain
import Simulation
import Support
import Testing

@Suite("Traffic for load tests")
struct LoadFleetTests {
    private static let start = Timestamp(milliseconds: 1_768_471_200_000)

    private func records(_ drivers: Int, rounds: Int, seed: UInt64 = 1) -> [LoadFleet.Record] {
        var fleet = LoadFleet(drivers: drivers, start: Self.start, seed: seed)
        return (0..<drivers * rounds).map { _ in fleet.next() }
    }

    @Test("the same seed gives the same bytes, another seed different bytes")
    func determinism() {
        #expect(records(5, rounds: 3).map(\.value) == records(5, rounds: 3).map(\.value))
        #expect(records(5, rounds: 3).map(\.value) != records(5, rounds: 3, seed: 2).map(\.value))
    }

    @Test("every driver sends once per interval, evenly distributed and in order of time")
    func order() {
        let all = records(4, rounds: 3)
        #expect(all.map(\.driver) == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
        #expect(all.map { $0.at.milliseconds - Self.start.milliseconds } == (0..<12).map { Int64($0 * 250) })
    }

    @Test("spoof detection accepts every fix")
    func honest() throws {
        let fleet = LoadFleet(drivers: 20, start: Self.start)
        let detector = SpoofDetector(settings: TrackingSettings())
        var states = Array(repeating: DriverState(), count: 20)
        var tracks = TrackMemory()
        let reader = RawRecordReader()
        var highestRisk = 0.0
        for record in records(20, rounds: 150) {
            let readResult = ByteSlice.withBytes(of: fleet.driverID(record.driver)) { key in
                record.value.withUnsafeBytes { reader.read(key: key, value: ByteSlice($0)) }
            }
            guard case .fixes = readResult, let fix = reader.fixes.first?.fix else {
                Issue.record("Unreadable record: \(String(decoding: record.value, as: UTF8.self))")
                return
            }
            let result = detector.evaluate(
                fix, receivedAt: record.at, streamTime: record.at, state: &states[record.driver], tracks: &tracks)
            #expect(result.verdict == .accepted, "\(result.reasons)")
            highestRisk = max(highestRisk, result.risk)
        }
        #expect(highestRisk < 0.3)
    }

    @Test("a trip follows the road ahead of its driver")
    func trips() throws {
        var fleet = LoadFleet(drivers: 3, start: Self.start)
        let trip = fleet.trip(of: 1)
        #expect(trip.driverID == fleet.driverID(1) && trip.stops.count == 2)
        let points = try #require(trip.route?.points)
        for _ in 0..<3 * 200 {
            let record = fleet.next()
            guard record.driver == 1 else { continue }
            let reader = RawRecordReader()
            ByteSlice.withBytes(of: fleet.driverID(1)) { key in
                record.value.withUnsafeBytes { _ = reader.read(key: key, value: ByteSlice($0)) }
            }
            let position = try #require(reader.fixes.first?.fix.coordinate)
            // Points are 100 m apart; noise is a few metres.
            let nearest = points.map { Geodesy.distanceMeters(from: $0, to: position) }.min() ?? .infinity
            #expect(nearest < 50 + 15)
        }
    }
}
