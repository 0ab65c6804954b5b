import Testing

@testable import Domain
@testable import Evaluation
@testable import Simulation

@Suite struct CoordinateRoundingTests {
    @Test("simulated honest devices round to each of four grids, each about as often as the others")
    func shares() {
        let seed: UInt64 = 9
        var fleet = SimulatedFleet(seed: seed)
        var counts: [Double: Int] = [:]
        for number in 0..<60 {
            guard let host = AttackHost(fleet.drive(number)) else { continue }
            counts[host.gridPerDegree, default: 0] += 1
        }
        for rounding in CoordinateRounding.usual {
            #expect((7...25).contains(counts[rounding.stepsPerDegree] ?? 0), "seed \(seed), \(rounding): \(counts)")
        }
    }

    @Test("a coordinate moves by half a step of its grid at most", arguments: CoordinateRounding.allCases)
    func error(rounding: CoordinateRounding) {
        let place = Coordinate(latitude: 48.123_456_789, longitude: -11.987_654_321)
        let rounded = rounding.rounded(place)
        let most = 0.5 / rounding.stepsPerDegree + 1e-12
        #expect(abs(rounded.latitude - place.latitude) <= most && abs(rounded.longitude - place.longitude) <= most)
        #expect(rounding.rounded(rounded) == rounded)
    }

    @Test("honest drives are no suspects, whatever their coordinates are rounded to")
    func honest() {
        var fleet = SimulatedFleet(seed: 20_264)
        var run = EvaluatedRun()
        for number in 0..<100 {
            let outcomes = run.judge(fleet.drive(number))
            #expect(!outcomes.contains { $0.isSuspect || $0.isFlagged }, "drive \(number)")
        }
    }
}
