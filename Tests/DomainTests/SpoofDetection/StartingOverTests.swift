import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection

/// A fix that is elsewhere after a gap, in a new session or after a poor accuracy is where the vehicle is.
@Suite struct StartingOverTests {
    /// Distance of an estimate from a place in metres from the driver's origin; endless when there is no estimate.
    private func error(_ judgement: VerdictResult, _ driver: TestDriver, _ east: Double, _ north: Double) -> Double {
        guard let estimate = judgement.estimate else { return .infinity }
        return driver.plane.point(of: estimate.coordinate)
            .distanceMeters(to: TangentPlane.Point(east: east, north: north))
    }

    /// Stands at the origin for `seconds` seconds from 0 on, a fix a second, and is halted then.
    private func stand(_ driver: TestDriver, seconds: Int, withSpeed: Bool) {
        driver.template.speedMetersPerSecond = withSpeed ? 0 : nil
        for second in 0..<seconds { driver.send(Double(second % 3) - 1, Double(second % 2), at: Double(second)) }
        #expect(driver.state.motion.halt.isHalted)
    }

    @Test("a new session 600 m away starts the filter over there", arguments: [1.0, 9, 20], [true, false])
    func newSession(gap: Double, isHalted: Bool) throws {
        // What lies within reach is no jump; the filter alone has to notice. A second's reach is 111 m.
        let east = gap < 2 ? 100.0 : gap < 10 ? 500 : 600
        let driver = TestDriver()
        driver.template.sessionHash = 1
        driver.template.speedMetersPerSecond = isHalted ? 0 : nil
        for second in 0..<60 {
            driver.send(isHalted ? Double(second % 2) : 0.3 * Double(second), at: Double(second))
        }
        driver.template.sessionHash = 2
        for index in 0..<5 {
            let judgement = driver.send(east, 0.1 * Double(index), at: 59 + gap + Double(index))
            #expect(judgement.verdict == .accepted && judgement.reasons.isEmpty)
            #expect(error(judgement, driver, east, 0) < 5)
        }
    }

    @Test(
        "a halted vehicle that was moved 400 m unheard is where it is heard", arguments: [10.1, 30, 119], [true, false])
    func movedWhileHalted(gap: Double, withSpeed: Bool) throws {
        let driver = TestDriver()
        stand(driver, seconds: 60, withSpeed: withSpeed)
        let first = driver.send(400, 0, at: 59 + gap)
        #expect(first.verdict == .accepted && first.risk < 0.05)
        #expect(error(first, driver, 400, 0) < 1)
        let estimate = try #require(first.estimate)
        #expect(!estimate.isHalted)
        #expect((4...12).contains(estimate.accuracyMeters))
        #expect(error(driver.send(401, 0, at: 60 + gap), driver, 401, 0) < 5)
        // Having been carried is no lie about the speed.
        #expect(driver.state.motion.refutations == 0)
    }

    @Test("a gap of 10 s exactly is none: one fix elsewhere is an outlier still")
    func noGap() throws {
        let driver = TestDriver()
        stand(driver, seconds: 60, withSpeed: true)
        #expect(error(driver.send(350, 0, at: 69), driver, 0, 0) < 5)
    }

    @Test("a vehicle that stood through a gap and is where it was stays halted", arguments: [true, false])
    func stoodThroughGap(withSpeed: Bool) throws {
        let driver = TestDriver()
        stand(driver, seconds: 60, withSpeed: withSpeed)
        for index in 1...20 {
            let estimate = try #require(driver.send(Double(index % 5) - 2, 3, at: 59 + 30 * Double(index)).estimate)
            #expect(estimate.isHalted && estimate.speedMetersPerSecond == 0)
        }
    }

    @Test("fixes throttled in between do not hide a gap from the filter")
    func throttled() {
        var settings = TrackingSettings()
        let driver = TestDriver(settings)
        driver.template.isOnTrip = true
        stand(driver, seconds: 60, withSpeed: true)
        settings.rate.onTripPerSecond = 1.0 / 30
        driver.judge = SpoofDetector(settings: settings)
        var heard = 0
        for second in 60..<200 {
            // What may come at once is spent before it drives on, to where it stands again.
            let east = min(400, max(0, 20 * (Double(second) - 75)))
            let judgement = driver.send(east, 0, at: Double(second))
            guard judgement.verdict == .accepted, second > 75 else { continue }
            heard += 1
            #expect(error(judgement, driver, east, 0) < 5)
        }
        #expect((3...5).contains(heard))
    }

    @Test(
        "in a session's first five fixes what is over 150 m away starts the filter over, what is nearer does not",
        arguments: [(2, 170.0, true), (5, 170, true), (6, 95, false), (5, 140, false)])
    func youngTrack(number: Int, meters: Double, startsOver: Bool) throws {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = 0.6
        for index in 1..<number { driver.send(0.5 * Double(index), 0, at: 4 * Double(index)) }
        let judgement = driver.send(0, meters, at: 4 * Double(number))
        #expect((error(judgement, driver, 0, meters) < 1) == startsOver)
        #expect(try startsOver || #require(judgement.estimate).confidence == .low)
    }

    @Test("a driving vehicle's position that is sent again after a gap is no news of where it is")
    func repeatedAfterGap() {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = 20
        driver.template.headingDegrees = 90
        driver.send(0, 0, at: 0)
        driver.send(20, 0, at: 1)
        driver.send(900, 300, at: 31)
        // Old for longer than the vehicle's movement is extrapolated.
        #expect(error(driver.send(900, 300, at: 34), driver, 900, 300) > 20)
    }

    @Test("after an accuracy worse than 50 m too", arguments: [(50.0, false), (50.1, true)])
    func afterPoorAccuracy(accuracy: Double, startsOver: Bool) {
        let driver = TestDriver()
        driver.drive(for: 60)
        driver.template.accuracyMeters = accuracy
        driver.send(600, 0, at: 60)
        driver.template.accuracyMeters = 5
        #expect((error(driver.send(610, 150, at: 61), driver, 610, 150) < 1) == startsOver)
    }

    /// A drive at 15 m/s along blocks of houses, a fix a minute, with stops in between.
    private func blocks(_ index: Int, _ random: inout SeededGenerator) -> (east: Double, north: Double) {
        let way = 15 * 60 * Double(index - min(index, 40) / 4)
        let block = (way / 500).rounded(.down)
        let along = way - block * 500
        let turns = Int(block)
        // East and north in turns.
        let east = Double((turns + 1) / 2) * 500 + (turns % 2 == 0 ? along : 0)
        let north = Double(turns / 2) * 500 + (turns % 2 == 0 ? 0 : along)
        return (east + 3 * random.normal(), north + 3 * random.normal())
    }

    @Test(
        "with a fix a minute no estimate is further from its fix than its accuracy admits, restored or not",
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
            // Around some stops the device is heard every second, and the vehicle halts.
            let fixes = withStops && index % 7 == 3 ? 20 : 1
            for second in 0..<fixes {
                if fixes > 1, withSpeed { driver.template.speedMetersPerSecond = 0 }
                let at = 60 * Double(index) + Double(second)
                let fix = driver.fix(place.east, place.north + 0.01 * Double(second), at: at)
                let judgement = driver.judge(fix)
                let estimate = try #require(judgement.estimate)
                let distance = Geodesy.distanceMeters(from: estimate.coordinate, to: fix.coordinate)
                #expect(distance <= 3 * estimate.accuracyMeters + 30, "seed \(seed), fix \(index)")
                #expect(distance < 50, "seed \(seed), fix \(index)")

                var bytes = [UInt8](repeating: 0, count: DriverState.maximumEncodedByteCount)
                let count = bytes.withUnsafeMutableBytes { restored.state.encode(into: $0) }
                restored.state = try #require(bytes.prefix(count).withUnsafeBytes { DriverState(decoding: $0) })
                let other = try #require(restored.judge(fix).estimate)
                #expect(other.coordinate.latitude.bitPattern == estimate.coordinate.latitude.bitPattern)
                #expect(other.coordinate.longitude.bitPattern == estimate.coordinate.longitude.bitPattern)
                #expect(other.accuracyMeters.bitPattern == estimate.accuracyMeters.bitPattern)
                #expect(restored.state == driver.state)
            }
        }
    }
}
