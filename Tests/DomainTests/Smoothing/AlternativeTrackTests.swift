import Testing

@testable import Domain

/// Gated-out fixes are outliers or an alternative track, depending on later fixes.
@Suite struct AlternativeTrackTests {
    /// Whether the device reports its velocity.
    enum Velocity: CaseIterable { case given, absent }

    private let filter = KinematicFilter()
    private let plane = TangentPlane(origin: Coordinate(latitude: 48.1374, longitude: 11.5755))

    private func fix(_ east: Double, _ north: Double, speed: Double, _ velocity: Velocity) -> Fix {
        var fix = Fix(coordinate: plane.coordinate(of: TangentPlane.Point(east: east, north: north)))
        fix.accuracyMeters = 4
        if velocity == .given { (fix.speedMetersPerSecond, fix.headingDegrees) = (speed, 90) }
        return fix
    }

    private func distance(_ estimate: Estimate, _ east: Double, _ north: Double) -> Double {
        plane.point(of: estimate.coordinate).distanceMeters(to: TangentPlane.Point(east: east, north: north))
    }

    /// Returns the state after a minute of driving east, or of standing if `speed` is 0.
    ///
    /// In the last 20 s the positions drift north, to (0, `drift`) at the end; the velocity stays eastwards.
    private func driven(
        speed: Double, drift: Double = 0, every interval: Double = 1, _ velocity: Velocity
    ) -> MotionState {
        var state = MotionState()
        for index in stride(from: -60.0, through: 0, by: interval) {
            let north = drift * max(0, index + 20) / 20
            _ = filter.update(
                &state, with: fix(speed * index, north, speed: speed, velocity), after: index == -60 ? nil : interval)
        }
        return state
    }

    @Test(
        "a phone that drifted and jumps back is followed at the third fix", arguments: [20.0, 80], Velocity.allCases)
    func leapBack(drift: Double, velocity: Velocity) {
        var state = driven(speed: 10, drift: drift, velocity)
        var errors: [Double] = []
        for second in 1...10 {
            let east = 10 * Double(second)
            let estimate = filter.update(&state, with: fix(east, 0, speed: 10, velocity), after: 1)
            errors.append(distance(estimate, east, 0))
        }
        #expect(errors[0] > 5)
        #expect(errors[2...].allSatisfy { $0 < 5 }, "\(errors)")
    }

    @Test(
        "a phone that drifted and brakes to a halt is followed at the third fix", arguments: [20.0, 80],
        Velocity.allCases)
    func halting(drift: Double, velocity: Velocity) {
        var state = driven(speed: 10, drift: drift, velocity)
        var east = 0.0
        var errors: [Double] = []
        for second in 1...10 {
            let speed = max(0, 10 - 3 * Double(second))
            east += speed + (speed > 0 ? 1.5 : 0)
            let estimate = filter.update(&state, with: fix(east, 0, speed: speed, velocity), after: 1)
            errors.append(distance(estimate, east, 0))
        }
        #expect(errors[2...].allSatisfy { $0 < 5 }, "\(errors)")
    }

    @Test(
        "at five fixes a second a phone that drifted is followed within three seconds", arguments: [20.0, 80],
        Velocity.allCases)
    func fast(drift: Double, velocity: Velocity) {
        var state = driven(speed: 10, drift: drift, every: 0.2, velocity)
        var error = Double.infinity
        for index in 1...15 {
            let east = 2 * Double(index)
            let estimate = filter.update(&state, with: fix(east, 0, speed: 10, velocity), after: 0.2)
            error = distance(estimate, east, 0)
        }
        #expect(error < 5)
    }

    @Test(
        "one or two outliers are not followed, with a moving or a halted vehicle", arguments: [1, 2],
        [(10.0, 1.0), (0, 1), (10, 0.2), (0, 0.2)])
    func stray(count: Int, drive: (speed: Double, interval: Double)) {
        for velocity in Velocity.allCases {
            for meters in [30.0, 80] {
                var state = driven(speed: drive.speed, every: drive.interval, velocity)
                for index in 1...10 {
                    let east = drive.speed * drive.interval * Double(index)
                    let north = index <= count ? meters : 0
                    let given = fix(east, north, speed: drive.speed, velocity)
                    let estimate = filter.update(&state, with: given, after: drive.interval)
                    #expect(distance(estimate, east, 0) < 5, "fix \(index) after \(meters) m, \(velocity)")
                    // The accuracy covers both tracks.
                    #expect(estimate.accuracyMeters >= distance(estimate, east, north), "\(meters) m, \(velocity)")
                }
            }
        }
    }

    @Test(
        "steps that match the velocities to 2 m, or to 6 % of the distance between both tracks, agree",
        arguments: [(30.0, 1.9, true), (30, 2.1, false), (80, 4.6, true), (80, 5.2, false)])
    func agreement(meters: Double, slide: Double, agrees: Bool) {
        var state = driven(speed: 10, .given)
        for second in 1...3 {
            let north = meters + slide * Double(second - 2)
            _ = filter.update(&state, with: fix(10 * Double(second), north, speed: 10, .given), after: 1)
        }
        #expect(state.rejects.isEmpty == agrees)
    }

    @Test(
        "a step of up to 1.5 s agrees with the alternative track, a longer step does not",
        arguments: [(1.5, true), (1.51, false)])
    func longSteps(seconds: Double, agrees: Bool) {
        var state = driven(speed: 10, .given)
        for index in 1...3 {
            let east = 10 * seconds * Double(index)
            _ = filter.update(&state, with: fix(east, 60, speed: 10, .given), after: seconds)
        }
        #expect(state.rejects.isEmpty == agrees)
    }

    @Test("a filter restored during a correction continues like an uninterrupted filter", arguments: Velocity.allCases)
    func restored(velocity: Velocity) throws {
        var driver = DriverState()
        driver.motion = driven(speed: 10, drift: 40, velocity)
        for second in 1...5 {
            let given = fix(10 * Double(second), 0, speed: 10, velocity)
            let bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
                $1 = driver.encode(into: UnsafeMutableRawBufferPointer($0))
            }
            var other = try #require(bytes.withUnsafeBytes { DriverState(decoding: $0) })
            #expect(other == driver)
            let estimate = filter.update(&driver.motion, with: given, after: 1)
            let restoredEstimate = filter.update(&other.motion, with: given, after: 1)
            #expect(restoredEstimate.coordinate == estimate.coordinate)
            #expect(restoredEstimate.accuracyMeters == estimate.accuracyMeters)
            #expect(other == driver)
        }
    }

    @Test("extreme values of an alternative track give finite estimates")
    func extremes() {
        for velocity in Velocity.allCases {
            for isHalted in [true, false] {
                var state = driven(speed: isHalted ? 0 : 10, velocity)
                (state.rejects.eastCentimetersPerSecond, state.rejects.northCentimetersPerSecond) = (.min, .max)
                (state.rejects.count, state.rejects.agreeing, state.rejects.tenths) = (.max, .max, .max)
                (state.rejects.last.latitude, state.rejects.last.longitude) = (.max, .min)
                state.halt.strays = .max
                for second in 1...5 {
                    let estimate = filter.update(
                        &state, with: fix(50 * Double(second), 60, speed: 10, velocity), after: 1)
                    #expect(estimate.accuracyMeters.isFinite && estimate.coordinate.latitude.isFinite)
                }
            }
        }
    }
}
