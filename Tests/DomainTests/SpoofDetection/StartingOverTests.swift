import TestSupport
import Testing

@testable import Domain

/// A distant fix after a gap, in a new session or after a poor accuracy restarts the filter.
@Suite struct StartingOverTests {
    /// Returns the distance of an estimate from a position, in metres; infinite without an estimate.
    private func error(_ result: VerdictResult, _ driver: TestDriver, _ east: Double, _ north: Double) -> Double {
        guard let estimate = result.estimate else { return .infinity }
        return driver.plane.point(of: estimate.coordinate)
            .distanceMeters(to: TangentPlane.Point(east: east, north: north))
    }

    /// Sends one fix per second of a vehicle at the origin, until the vehicle is halted.
    private func halt(_ driver: TestDriver, seconds: Int, withSpeed: Bool) {
        driver.template.speedMetersPerSecond = withSpeed ? 0 : nil
        for second in 0..<seconds { driver.send(Double(second % 3) - 1, Double(second % 2), at: Double(second)) }
        #expect(driver.state.motion.halt.isHalted)
    }

    @Test("a new session at a reachable position restarts the filter there", arguments: [1.0, 9, 20], [true, false])
    func newSession(gap: Double, isHalted: Bool) throws {
        // Reachable fixes are not jumps, so the filter must detect the new position. In a second, 111 m are reachable.
        let east = gap < 2 ? 100.0 : gap < 10 ? 500 : 600
        let driver = TestDriver()
        driver.template.sessionHash = 1
        driver.template.speedMetersPerSecond = isHalted ? 0 : nil
        for second in 0..<60 {
            driver.send(isHalted ? Double(second % 2) : 0.3 * Double(second), at: Double(second))
        }
        driver.template.sessionHash = 2
        for index in 0..<5 {
            let result = driver.send(east, 0.1 * Double(index), at: 59 + gap + Double(index))
            #expect(result.verdict == .accepted && result.reasons.isEmpty)
            #expect(error(result, driver, east, 0) < 5)
        }
    }

    @Test(
        "a halted vehicle that was moved 400 m during a silence restarts at its next fix", arguments: [10.1, 30, 119],
        [true, false])
    func movedWhileHalted(gap: Double, withSpeed: Bool) throws {
        let driver = TestDriver()
        halt(driver, seconds: 60, withSpeed: withSpeed)
        let first = driver.send(400, 0, at: 59 + gap)
        #expect(first.verdict == .accepted && first.risk < 0.05)
        #expect(error(first, driver, 400, 0) < 1)
        let estimate = try #require(first.estimate)
        #expect(!estimate.isHalted)
        #expect((4...12).contains(estimate.accuracyMeters))
        #expect(error(driver.send(401, 0, at: 60 + gap), driver, 401, 0) < 5)
        // The move during the silence does not contradict the reported standstill.
        #expect(driver.state.motion.refutations == 0)
    }

    @Test("exactly 10 s are not a gap, so one distant fix is an outlier")
    func noGap() throws {
        let driver = TestDriver()
        halt(driver, seconds: 60, withSpeed: true)
        #expect(error(driver.send(350, 0, at: 69), driver, 0, 0) < 5)
    }

    @Test("a vehicle that does not move through a gap stays halted", arguments: [true, false])
    func haltedThroughGap(withSpeed: Bool) throws {
        let driver = TestDriver()
        halt(driver, seconds: 60, withSpeed: withSpeed)
        for index in 1...20 {
            let estimate = try #require(driver.send(Double(index % 5) - 2, 3, at: 59 + 30 * Double(index)).estimate)
            #expect(estimate.isHalted && estimate.speedMetersPerSecond == 0)
        }
    }

    @Test("throttled fixes do not hide a gap from the filter")
    func throttled() {
        var settings = TrackingSettings()
        let driver = TestDriver(settings)
        driver.template.isOnTrip = true
        halt(driver, seconds: 60, withSpeed: true)
        settings.rate.onTripPerSecond = 1.0 / 30
        driver.detector = SpoofDetector(settings: settings)
        var accepted = 0
        for second in 60..<200 {
            // The burst is used up before the vehicle drives 400 m and stops again.
            let east = min(400, max(0, 20 * (Double(second) - 75)))
            let result = driver.send(east, 0, at: Double(second))
            guard result.verdict == .accepted, second > 75 else { continue }
            accepted += 1
            #expect(error(result, driver, east, 0) < 5)
        }
        #expect((3...5).contains(accepted))
    }

    @Test(
        "in a session's first five fixes, a fix over 150 m away restarts the filter, a nearer fix does not",
        arguments: [(2, 170.0, true), (5, 170, true), (6, 95, false), (5, 140, false)])
    func youngTrack(number: Int, meters: Double, startsOver: Bool) throws {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = 0.6
        for index in 1..<number { driver.send(0.5 * Double(index), 0, at: 4 * Double(index)) }
        let result = driver.send(0, meters, at: 4 * Double(number))
        #expect((error(result, driver, 0, meters) < 1) == startsOver)
        #expect(try startsOver || #require(result.estimate).confidence == .low)
    }

    @Test("a moving vehicle's repeated position after a gap adds no information")
    func repeatedAfterGap() {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = 20
        driver.template.headingDegrees = 90
        driver.send(0, 0, at: 0)
        driver.send(20, 0, at: 1)
        driver.send(900, 300, at: 31)
        // The position is older than the filter extrapolates.
        #expect(error(driver.send(900, 300, at: 34), driver, 900, 300) > 20)
    }

    @Test(
        "a distant fix after an accuracy worse than 50 m restarts the filter", arguments: [(50.0, false), (50.1, true)])
    func afterPoorAccuracy(accuracy: Double, startsOver: Bool) {
        let driver = TestDriver()
        driver.drive(for: 60)
        driver.template.accuracyMeters = accuracy
        driver.send(600, 0, at: 60)
        driver.template.accuracyMeters = 5
        #expect((error(driver.send(610, 150, at: 61), driver, 610, 150) < 1) == startsOver)
    }

    /// Returns the position of the `index`-th fix, one a minute, of a drive along city blocks at 15 m/s with stops.
    private func blocks(_ index: Int, _ random: inout SeededGenerator) -> (east: Double, north: Double) {
        let driven = 15 * 60 * Double(index - min(index, 40) / 4)
        let block = (driven / 500).rounded(.down)
        let along = driven - block * 500
        let turns = Int(block)
        // East and north alternate.
        let east = Double((turns + 1) / 2) * 500 + (turns % 2 == 0 ? along : 0)
        let north = Double(turns / 2) * 500 + (turns % 2 == 0 ? 0 : along)
        return (east + 3 * random.normal(), north + 3 * random.normal())
    }

    @Test(
        "with a fix a minute, every estimate is within its accuracy of the fix, also after a restore",
        arguments: [true, false], [true, false])
    func aFixAMinute(withSpeed: Bool, withStops: Bool) throws {
        let seed: UInt64 = 60
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        let restored = TestDriver()
        for index in 0..<200 {
            let place = blocks(index, &random)
            if withSpeed {
                driver.template.speedMetersPerSecond = 15
                driver.template.headingDegrees = Double(index % 2) * 90
            }
            // Around some stops the device sends every second, and the vehicle halts.
            let fixes = withStops && index % 7 == 3 ? 20 : 1
            for second in 0..<fixes {
                if fixes > 1, withSpeed { driver.template.speedMetersPerSecond = 0 }
                let at = 60 * Double(index) + Double(second)
                let fix = driver.fix(place.east, place.north + 0.01 * Double(second), at: at)
                let result = driver.evaluate(fix)
                let estimate = try #require(result.estimate)
                let distance = Geodesy.distanceMeters(from: estimate.coordinate, to: fix.coordinate)
                #expect(distance <= 3 * estimate.accuracyMeters + 30, "seed \(seed), fix \(index)")
                #expect(distance < 50, "seed \(seed), fix \(index)")

                var bytes = [UInt8](repeating: 0, count: DriverState.maximumEncodedByteCount)
                let count = bytes.withUnsafeMutableBytes { restored.state.encode(into: $0) }
                restored.state = try #require(bytes.prefix(count).withUnsafeBytes { DriverState(decoding: $0) })
                let other = try #require(restored.evaluate(fix).estimate)
                #expect(other.coordinate.latitude.bitPattern == estimate.coordinate.latitude.bitPattern)
                #expect(other.coordinate.longitude.bitPattern == estimate.coordinate.longitude.bitPattern)
                #expect(other.accuracyMeters.bitPattern == estimate.accuracyMeters.bitPattern)
                #expect(restored.state == driver.state)
            }
        }
    }
}
