import Testing

@testable import Domain
@testable import Evaluation

/// Errors that last over many fixes, and the reported accuracy.
@Suite struct LastingErrorTests {
    /// Seeds that neither the fitting nor the report uses.
    private static let seeds: ClosedRange<UInt64> = 11...16

    @Test(
        "with lasting errors and an optimistic device, most errors are within the accuracy",
        arguments: [
            // Without the estimate of lasting errors, the shares are 35 to 40 %.
            ("street canyon, every 0.2 s", 0.50), ("parked without a useful fix", 0.55),
        ])
    func honesty(name: String, least: Double) throws {
        let scenario = try #require(SmoothingScenario.all.first { $0.name == name })
        let share = try #require(scenario.score(seeds: Self.seeds).smoothed.honesty.shareWithin)
        #expect(share >= least, "\(share), seeds \(Self.seeds)")
    }

    @Test("five fixes a second do not count as five measurements with lasting errors")
    func rate() throws {
        // If every fix counted in full, the ratio would be 0.94.
        let scenario = try #require(SmoothingScenario.all.first { $0.name == "dense city, every 0.2 s" })
        let ratio = try #require(scenario.score(seeds: Self.seeds).ratio)
        #expect(ratio <= 0.92, "\(ratio), seeds \(Self.seeds)")
    }

    @Test(
        "fixes within a second share one measurement",
        arguments: [(0.0, 20.0), (0.05, 20), (0.1, 10), (0.5, 2), (0.999, 1 / 0.999), (1, 1), (1.001, 1), (30, 1)])
    func fixesAtOnce(seconds: Double, fixes: Double) {
        #expect(abs(KinematicFilter().fixesAtOnce(every: seconds) - fixes) < 1e-12)
    }

    @Test("alternating residuals leave no lasting error; constant residuals leave their mean square per axis")
    func residuals() {
        let filter = KinematicFilter()
        var (changing, staying) = (MotionState(), MotionState())
        for index in 0..<600 {
            filter.learnLastingError(&changing, east: index.isMultiple(of: 2) ? 8 : -8, north: 0, seconds: 1)
            filter.learnLastingError(&staying, east: 8, north: 0, seconds: 1)
        }
        #expect(changing.lasting.variance == 0)
        #expect(abs(staying.lasting.variance - 32) < 1)
    }

    @Test("an error measured five times a second counts like an error measured once a second")
    func perTime() {
        let filter = KinematicFilter()
        var (frequent, rare) = (MotionState(), MotionState())
        for index in 0..<150 {
            filter.learnLastingError(&frequent, east: 8, north: -8, seconds: 0.2)
            if index.isMultiple(of: 5) { filter.learnLastingError(&rare, east: 8, north: -8, seconds: 1) }
        }
        #expect(abs(frequent.lasting.variance / rare.lasting.variance - 1) < 0.05)
    }

    @Test(
        "residuals of any size leave a state that can be stored and read",
        arguments: [Double.infinity, -.infinity, .nan, 1e300, 254.9, 255, 255.1])
    func bounds(meters: Double) {
        var state = MotionState()
        for _ in 0..<1000 {
            KinematicFilter().learnLastingError(&state, east: meters, north: -meters, seconds: 100)
        }
        #expect(state.isPlausible)
        #expect(abs(state.lasting.meanEastMeters) <= 255)
    }

    @Test(
        "a stored variance is plausible from 0 to 65,536",
        arguments: [
            (Float(0), true), (65_536, true), (Float(65_536).nextUp, false), (-.leastNonzeroMagnitude, false),
            (.nan, false), (.infinity, false),
        ])
    func plausible(variance: Float, isPlausible: Bool) {
        var state = MotionState()
        state.lasting.variance = variance
        #expect(state.isPlausible == isPlausible)
    }

    @Test("a restart resets the residuals and keeps the variance")
    func restart() {
        let filter = KinematicFilter()
        var state = MotionState()
        for _ in 0..<100 { filter.learnLastingError(&state, east: 20, north: 0, seconds: 1) }
        let variance = state.lasting.variance
        _ = filter.restart(&state, at: Fix(coordinate: Coordinate(latitude: 48, longitude: 11)))
        #expect(state.lasting.variance == variance && variance > 0)
        #expect(state.lasting.meanEast == 0 && state.lasting.meanNorth == 0)
    }
}
