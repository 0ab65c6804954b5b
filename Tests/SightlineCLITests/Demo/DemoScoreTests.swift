import Testing

@testable import Domain
@testable import SightlineCLI
@testable import Simulation
@testable import Support

@Suite("Scores of a run against the simulation's ground truth")
struct DemoScoreTests {
    @Test("smoothing errors are measured on accepted honest fixes with a true position")
    func smoothing() throws {
        let here = Coordinate(latitude: 48, longitude: 11)
        let true10North = Coordinate(latitude: 48 + 10 / Geodesy.metersPerDegree, longitude: 11)
        var score = AccuracyScore()
        #expect(score.rootMeanSquares == nil)
        for sequence in Int64(0)..<4 {
            score.expect(
                FixGroundTruth(
                    driverID: "d", sessionID: "s", sequence: sequence, coordinate: true10North,
                    takenAt: Timestamp(milliseconds: 0), reported: here, isForged: sequence == 3))
        }
        // Accepted, rejected, forged, and without a true position.
        for (sequence, estimate): (Int64, Coordinate?) in [(0, true10North), (1, nil), (3, here), (4, here)] {
            let fix = AccuracyScore.Fix(driverID: "d", sessionID: "s", sequence: sequence)
            score.addVerdict(on: fix, reported: here, estimate: estimate)
        }
        #expect(score.count == 1)
        let errors = try #require(score.rootMeanSquares)
        #expect(abs(errors.raw - 10) < 0.01 && errors.smoothed < 0.001)
    }

    @Test("errors of honest drivers are grouped by receiver and surroundings")
    func conditions() throws {
        let here = Coordinate(latitude: 48, longitude: 11)
        var figures = DemoFigures()
        figures.spoofing.expect([
            DriverGroundTruth(driverID: "honest", cheat: nil), DriverGroundTruth(driverID: "cheat", cheat: .teleport),
        ])
        let canyon = ReceptionConditions(receiver: .raw, environment: .streetCanyon)
        let open = ReceptionConditions(receiver: .phone, environment: .openRoad)
        for (sequence, (driver, conditions)) in [("honest", canyon), ("honest", open), ("cheat", open)].enumerated() {
            figures.expect(
                FixGroundTruth(
                    driverID: driver, sessionID: "s", sequence: Int64(sequence), coordinate: here,
                    takenAt: Timestamp(milliseconds: 0), reported: here, conditions: conditions))
            let north = { (meters: Double) in
                Coordinate(latitude: 48 + meters / Geodesy.metersPerDegree, longitude: 11)
            }
            figures.accuracy.addVerdict(
                on: AccuracyScore.Fix(driverID: driver, sessionID: "s", sequence: Int64(sequence)),
                reported: north(20), estimate: north(sequence == 0 ? 5 : 20))
        }
        #expect(figures.accuracy.count == 2 && figures.accuracy.byConditions.count == 2)
        let errors = try #require(figures.accuracy.byConditions[canyon]?.rootMeanSquares)
        #expect(abs(errors.raw - 20) < 0.1 && abs(errors.smoothed - 5) < 0.1)
        let phones = try #require(figures.accuracy.byConditions[open])
        #expect(phones.count == 1)
    }

    @Test("a flagged honest driver counts as rejected, and any rejected honest fix as lost")
    func flagged() throws {
        let drivers = ["a", "b"].map { DriverGroundTruth(driverID: $0, cheat: nil) }
        var score = SpoofingScore()
        score.expect(drivers + [DriverGroundTruth(driverID: "cheat", cheat: .teleport)])
        score.addFlag(of: "a")
        score.addRejection(of: "b", reasons: .clockSkew, at: Timestamp(milliseconds: 0))
        score.addRejection(of: "cheat", reasons: .clockSkew, at: Timestamp(milliseconds: 0))
        #expect(score.result(drivers, seen: ["a", "b"])?.honestRejected == 1)
        #expect(score.honestLosses == [.clockSkew: 1])
    }

    @Test("a cheater is caught only by a matching code inside a window or up to 3 s after it")
    func spoofing() throws {
        let window = CheatWindow(
            from: Timestamp(milliseconds: 10_000), to: Timestamp(milliseconds: 20_000), forgedFixes: 10)
        func result(_ reasons: Reasons, at milliseconds: Int64, kind: CheatKind = .teleport) throws
            -> SpoofingScore.Result
        {
            let drivers = [
                DriverGroundTruth(driverID: "cheat", cheat: kind, windows: [window]),
                DriverGroundTruth(
                    driverID: "brief", cheat: kind, windows: [CheatWindow(from: window.from, forgedFixes: 1)]),
                DriverGroundTruth(driverID: "honest", cheat: nil), DriverGroundTruth(driverID: "absent", cheat: nil),
            ]
            var score = SpoofingScore()
            score.expect(drivers)
            score.addWarning(of: "cheat", reason: reasons, at: Timestamp(milliseconds: milliseconds))
            return try #require(score.result(drivers, seen: ["cheat", "brief", "honest"]))
        }
        #expect(
            try result(.teleportation, at: 12_000)
                == .init(cheaters: 1, caught: 1, briefCheaters: 1, honest: 1, silent: 1))
        #expect(try result(.teleportation, at: 9_999).caught == 0)
        #expect(try result(.teleportation, at: 23_000).caught == 1)
        #expect(try result(.teleportation, at: 23_001).caught == 0)
        #expect(try result(.lowAccuracy, at: 12_000).caught == 0)
        #expect(try result(.teleportation, at: 12_000, kind: .replayedTrack).cheaters == 0, "ten fixes are too few")
        #expect(SpoofingScore().result([], seen: ["x"]) == nil)
    }

    @Test("an honest driver counts as rejected once, and only for codes of spoofing")
    func honest() throws {
        let drivers = [DriverGroundTruth(driverID: "a", cheat: nil), DriverGroundTruth(driverID: "b", cheat: nil)]
        var score = SpoofingScore()
        score.expect(drivers)
        for _ in 0..<3 {
            score.addRejection(of: "a", reasons: .impossibleSpeed, at: Timestamp(milliseconds: 0))
            score.addRejection(of: "b", reasons: [.lowAccuracy, .clockSkew], at: Timestamp(milliseconds: 0))
        }
        #expect(
            score.result(drivers, seen: ["a", "b"])
                == .init(cheaters: 0, caught: 0, honest: 2, honestRejected: 1, rejectedDevices: ["phone": 1]))
    }

    @Test("predictions, sampled at most every 5 s, are compared with true arrivals within the run")
    func arrivals() throws {
        var score = ArrivalScore()
        var eta = TripEta(tripID: "t", driverID: "d", state: .accepted, computedAt: Timestamp(milliseconds: 0))
        eta.stops = [
            TripEta.Stop(id: "pickup", kind: .pickup, status: .valid),
            TripEta.Stop(id: "dropoff", kind: .dropoff, status: .valid),
        ]
        (eta.stops[0].seconds, eta.stops[0].minSeconds, eta.stops[0].maxSeconds) = (100, 90, 110)
        (eta.stops[1].seconds, eta.stops[1].minSeconds, eta.stops[1].maxSeconds) = (500, 400, 600)
        score.add(eta)
        eta.computedAt = Timestamp(milliseconds: 4999)
        score.add(eta)
        eta.computedAt = Timestamp(milliseconds: 5000)
        score.add(eta)
        let trip = TripGroundTruth(
            tripID: "t", driverID: "d", kind: .ride,
            stops: [
                TripGroundTruth.Stop(id: "pickup", arrivedAt: Timestamp(milliseconds: 110_000)),
                TripGroundTruth.Stop(id: "dropoff"),
            ], state: .arrived)
        // Errors of 10 s and 5 s, both within their intervals.
        let result = try #require(score.result([trip]))
        #expect(result.count == 2 && result.meanAbsoluteErrorSeconds == 7.5 && result.withinInterval == 1)
        #expect(score.result([]) == nil)
    }
}
