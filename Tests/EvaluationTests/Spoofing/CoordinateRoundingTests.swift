import Testing

@testable import Domain
@testable import Evaluation
@testable import Simulation

@Suite struct CoordinateRoundingTests {
    @Test("simulated honest devices round to four grids in about equal shares")
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

    @Test("rounding moves a coordinate by at most half a step", arguments: CoordinateRounding.allCases)
    func error(rounding: CoordinateRounding) {
        let place = Coordinate(latitude: 48.123_456_789, longitude: -11.987_654_321)
        let rounded = rounding.rounded(place)
        let most = 0.5 / rounding.stepsPerDegree + 1e-12
        #expect(abs(rounded.latitude - place.latitude) <= most && abs(rounded.longitude - place.longitude) <= most)
        #expect(rounding.rounded(rounded) == rounded)
    }

    @Test("100 simulated honest drivers with various roundings are neither suspect nor flagged")
    func honest() {
        var fleet = SimulatedFleet(seed: 20_264)
        var run = EvaluatedRun()
        for number in 0..<100 {
            let outcomes = run.evaluate(fleet.drive(number))
            #expect(!outcomes.contains { $0.isSuspect || $0.isFlagged }, "drive \(number)")
        }
    }
}
