import TestSupport
import Testing

@testable import Domain
@testable import Evaluation

/// Several vehicles in one street, with coordinates rounded to coarse and fine grids.
@Suite struct CoarseTrackTests {
    /// Grid to which devices or platforms round coordinates.
    struct Grid: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var round: @Sendable (Double) -> Double

        static func perDegree(_ lines: Double, _ name: String) -> Grid {
            Grid(testDescription: name) { ($0 * lines).rounded() / lines }
        }

        static let coarse = [
            perDegree(1e3, "1e-3 degrees"), perDegree(1e4, "1e-4 degrees"), perDegree(2e4, "5e-5 degrees"),
            perDegree(5e4, "2e-5 degrees"), perDegree(6e3, "0.01 minutes"), perDegree(6e4, "0.001 minutes"),
            perDegree(3.6e3, "1 second"), perDegree(3.6e4, "0.1 seconds"),
            perDegree(Double(1 << 24) / 360, "360 / 2^24 degrees"),
        ]
        static let fine = [
            perDegree(1e5, "1e-5 degrees"), perDegree(6e5, "1e-4 minutes"), perDegree(1e6, "1e-6 degrees"),
            perDegree(1e7, "1e-7 degrees"), Grid(testDescription: "single precision") { Double(Float($0)) },
        ]
    }

    /// Reporting interval in seconds, and noise per axis in metres.
    struct Service: Sendable {
        var interval: Int
        var sigmaMeters: Double
    }

    /// Evaluates vehicles of one line in one partition, each three minutes after the previous one's end.
    ///
    /// The vehicles have equal speeds and report at equal phases, which is the worst case of an honest fleet.
    private static func results(
        _ grid: Grid, _ service: Service, vehicles: Int, latitude: Double = 31.2, longitude: Double = -97.4,
        seed: UInt64
    ) -> [VerdictResult] {
        var random = SeededGenerator(seed: seed)
        let drive = SimulatedDrive(seed: seed, seconds: 1200)
        let plane = TangentPlane(origin: Coordinate(latitude: latitude, longitude: longitude))
        let detector = SpoofDetector(settings: .unlimited)
        var tracks = TrackMemory()
        var results: [VerdictResult] = []
        for vehicle in 0..<vehicles {
            var state = DriverState()
            for step in drive.steps(every: Double(service.interval)) {
                let place = plane.coordinate(
                    of: .init(
                        east: step.east + service.sigmaMeters * random.normal(),
                        north: step.north + service.sigmaMeters * random.normal()))
                var fix = Fix(
                    coordinate: Coordinate(latitude: grid.round(place.latitude), longitude: grid.round(place.longitude))
                )
                let at = TestDriver.start.advanced(bySeconds: Double(vehicle) * 1380 + step.seconds)
                fix.deviceAt = at
                fix.accuracyMeters = 5
                results.append(
                    detector.evaluate(fix, receivedAt: at, streamTime: at, state: &state, tracks: &tracks))
            }
        }
        return results
    }

    private static let services = [
        Service(interval: 1, sigmaMeters: 3), Service(interval: 1, sigmaMeters: 0.5),
        Service(interval: 5, sigmaMeters: 3), Service(interval: 20, sigmaMeters: 3),
        Service(interval: 300, sigmaMeters: 3),
    ]

    @Test("vehicles of one line are not replays of each other on coarse grids", arguments: Grid.coarse, services)
    func fleet(grid: Grid, service: Service) {
        for seed: UInt64 in [1, 2] {
            let results = Self.results(grid, service, vehicles: 4, seed: seed)
            #expect(results.allSatisfy { !$0.reasons.contains(.replayedTrack) && !$0.isFlagged }, "seed \(seed)")
        }
    }

    @Test("vehicles of one line are not replays of each other on fine grids", arguments: Grid.fine, services)
    func fineFleet(grid: Grid, service: Service) {
        let seed: UInt64 = 3
        let results = Self.results(grid, service, vehicles: 4, seed: seed)
        #expect(results.allSatisfy { !$0.reasons.contains(.replayedTrack) && !$0.isFlagged }, "seed \(seed)")
    }

    @Test(
        "on coarse grids, vehicles are not replays of each other in any tested part of the world",
        arguments: [(0.0, 0.0), (-33.9, 18.4), (51.5, -0.005), (64.1, -21.9), (-16.7, 179.995)])
    func places(latitude: Double, longitude: Double) {
        for grid in Grid.coarse.prefix(2) {
            let results = Self.results(
                grid, Service(interval: 1, sigmaMeters: 3), vehicles: 3, latitude: latitude, longitude: longitude,
                seed: 4)
            #expect(results.allSatisfy { !$0.reasons.contains(.replayedTrack) && !$0.isFlagged })
        }
    }

    @Test("a loop that one vehicle drives repeatedly is not a replay of itself", arguments: Grid.coarse)
    func loop(grid: Grid) {
        let seed: UInt64 = 5
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        var reasons: Reasons = []
        for second in 0..<3600 {
            // A square of 400 m at 9 m/s; a round does not last a whole number of seconds.
            let driven = (9 * Double(second)).truncatingRemainder(dividingBy: 1600)
            let (side, rest) = (Int(driven / 400), driven.truncatingRemainder(dividingBy: 400))
            let (east, north) = [(rest, 0.0), (400, rest), (400 - rest, 400), (0, 400 - rest)][side]
            var fix = driver.fix(east + 3 * random.normal(), north + 3 * random.normal(), at: Double(second))
            fix.coordinate = Coordinate(
                latitude: grid.round(fix.coordinate.latitude), longitude: grid.round(fix.coordinate.longitude))
            reasons.formUnion(driver.evaluate(fix).reasons)
        }
        #expect(!reasons.contains(.replayedTrack) && !reasons.contains(.flagged), "seed \(seed)")
    }

    @Test("a replay is detected within 200 s on fine grids", arguments: Grid.fine)
    func replay(grid: Grid) {
        let drive = SimulatedDrive(seed: 6, seconds: 600)
        let fixes = SimulatedReceiver.fixes(along: drive, sigmaMeters: 4, seed: 7).map { fix in
            var fix = fix
            fix.coordinate = Coordinate(
                latitude: grid.round(fix.coordinate.latitude), longitude: grid.round(fix.coordinate.longitude))
            return fix
        }
        let detector = SpoofDetector(settings: .unlimited)
        var tracks = TrackMemory()
        var detectedAt: Int?
        for (round, delay) in [0.0, 2000].enumerated() {
            var state = DriverState()
            for (second, original) in fixes.enumerated() {
                var fix = original
                let at = TestDriver.start.advanced(bySeconds: delay + Double(second))
                fix.deviceAt = at
                let result = detector.evaluate(fix, receivedAt: at, streamTime: at, state: &state, tracks: &tracks)
                guard result.reasons.contains(.replayedTrack) else { continue }
                #expect(round == 1)
                detectedAt = detectedAt ?? second
            }
        }
        #expect(detectedAt.map { $0 < 200 } ?? false, "\(detectedAt ?? -1)")
    }

    @Test(
        "a chunk has fewer bits with coarser coordinates, and no bits if their unit reaches the usual difference",
        arguments: [
            (1.0, 98.0...101.0), (10, 98...101), (100, 32...34), (200, 12...14), (310, 0.2...0.5), (315, 0...0),
            (10_000, 0...0),
        ])
    func bits(units: Double, expected: ClosedRange<Double>) {
        var points = (GridPoint(), GridPoint())
        // The points are at the equator, where a unit is 1.11 cm on both axes.
        let step = Int32(units)
        (points.0.latitude, points.0.longitude) = (7 * step, 1_003 * step)
        (points.1.latitude, points.1.longitude) = (13 * step, 1_009 * step)
        var replay = TrackingSettings.Replay()
        let known = GridPoint.commonSpacing(points.0.latitude, points.1.latitude)
        // A spacing between two known grids counts as the finer grid.
        if known < units { replay.usualDifferenceMeters *= known / units }
        let chunk = TrackChunk(hash: 1, isRepeated: true, fixes: 10, lastPoints: points)
        #expect(expected.contains(chunk.bits(replay)), "\(chunk.bits(replay))")
    }
}
