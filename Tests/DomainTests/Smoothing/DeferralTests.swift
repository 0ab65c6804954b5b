import Testing

@testable import Domain

/// Deferred fixes, and the confidence while fixes contradict the estimate.
@Suite struct DeferralTests {
    private let filter = KinematicFilter()
    private let plane = TangentPlane(origin: Coordinate(latitude: 48.1374, longitude: 11.5755))

    private func fix(_ east: Double, _ north: Double, speed: Double? = nil) -> Fix {
        var fix = Fix(coordinate: plane.coordinate(of: TangentPlane.Point(east: east, north: north)))
        fix.accuracyMeters = 8
        fix.speedMetersPerSecond = speed
        return fix
    }

    private func distance(_ estimate: Estimate, _ east: Double, _ north: Double) -> Double {
        plane.point(of: estimate.coordinate).distanceMeters(to: TangentPlane.Point(east: east, north: north))
    }

    @Test("one distant fix lowers the confidence, not the position; the next good fix restores the confidence")
    func lowersConfidence() {
        var state = MotionState()
        var before = Confidence.low
        for index in 0..<60 {
            before = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1).confidence
        }
        #expect(before == .high)
        let off = filter.update(&state, with: fix(600, 300), after: 1)
        #expect(distance(off, 600, 0) < 5)
        #expect(off.confidence == .low)
        #expect(filter.update(&state, with: fix(610, 0), after: 1).confidence == .high)
    }

    @Test("while fixes agree on another position, the accuracy covers both positions until the filter restarts")
    func growing() {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        let first = filter.update(&state, with: fix(600, 400), after: 1)
        let second = filter.update(&state, with: fix(610, 400), after: 1)
        let third = filter.update(&state, with: fix(620, 400), after: 1)
        #expect(first.accuracyMeters >= distance(first, 600, 400) && first.accuracyMeters >= distance(first, 600, 0))
        #expect(second.accuracyMeters >= distance(second, 610, 400) && distance(second, 610, 0) < 5)
        #expect(distance(third, 620, 400) < 5)
        #expect(third.confidence != .low)
    }

    @Test(
        "without a velocity, a correction of 10.5 m is followed at once, a leap of 12 m is deferred twice",
        arguments: [(8.0, true), (10.5, true), (12, false), (40, false)])
    func correction(meters: Double, isFollowed: Bool) {
        // Receivers that smooth positions lag in bends and then catch up in one step.
        var state = MotionState()
        func send(_ east: Double, _ north: Double, first: Bool = false) -> Estimate {
            var fix = fix(east, north)
            fix.accuracyMeters = nil
            return filter.update(&state, with: fix, after: first ? nil : 1)
        }
        for index in 0..<120 { _ = send(3 * Double(index), 0, first: index == 0) }
        for index in 0..<2 {
            let (east, north) = (3 * Double(120 + index), meters)
            let estimate = send(east, north)
            #expect((distance(estimate, east, north) < meters / 2) == isFollowed, "\(index)")
        }
    }

    @Test(
        "deferral depends on distance, time, learned noise and earlier deferred fixes",
        arguments: [
            (16.1, 1.5, 9.0, 1, true), (15.9, 1.5, 9, 1, false), (16.1, 1.6, 9, 1, false), (16.1, 1.5, 9, 0, false),
            (16.1, 1.5, 9, 2, true), (16.1, 1.5, 9, 3, false), (40, 1, 13.5, 1, true), (40, 1, 13.6, 1, false),
        ] as [(Double, Double, Double, UInt8, Bool)])
    func limits(meters: Double, seconds: Double, variance: Double, before: UInt8, isDeferred: Bool) {
        var (rejects, fix) = (MotionState.Rejects(), fix(0, 0))
        rejects.count = before
        // Without an accuracy, the noise per axis is 3 m (one standard deviation).
        fix.accuracyMeters = nil
        let leap = TangentPlane.Point(east: 0, north: meters)
        #expect(filter.isDeferred(rejects, leap, after: seconds, variance, fix) == isDeferred)
    }

    @Test("an extrapolated estimate after an outlier has low confidence")
    func extrapolated() throws {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        _ = filter.update(&state, with: fix(600, 400), after: 1)
        #expect(try #require(filter.extrapolate(state, repeating: fix(600, 400), by: 1)).confidence == .low)
    }

    @Test("a halted vehicle is released at the third distant fix, with any reported speed", arguments: [nil, 0, 10])
    func leaving(speed: Double?) {
        var state = MotionState()
        for index in 0..<60 {
            let here = fix(Double(index % 3) - 1, 0, speed: speed == nil ? nil : 0)
            _ = filter.update(&state, with: here, after: index == 0 ? nil : 1)
        }
        #expect(state.halt.isHalted)
        let first = filter.update(&state, with: fix(400, 0, speed: speed), after: 1)
        #expect(distance(first, 0, 0) < 5 && first.confidence == .low)
        let second = filter.update(&state, with: fix(401, 0, speed: speed), after: 1)
        #expect(distance(second, 0, 0) < 5 && second.confidence == .low)
        let third = filter.update(&state, with: fix(402, 0, speed: speed), after: 1)
        #expect(!third.isHalted)
        #expect(distance(third, 402, 0) < 30)
    }

    @Test(
        "a fix farther from a halted vehicle than the vehicle can have driven is ignored, a nearer fix is followed",
        arguments: [
            (1.0, 10.0, true), (1, 30, false), (1, 151, false), (10, 151, true), (10, 199, true), (10, 201, false),
        ])
    func departure(seconds: Double, meters: Double, isFollowed: Bool) {
        var state = MotionState()
        for index in 0..<60 {
            _ = filter.update(&state, with: fix(Double(index % 3) - 1, 0), after: index == 0 ? nil : seconds)
        }
        #expect(state.halt.isHalted)
        let estimate = filter.update(&state, with: fix(meters, 0), after: seconds)
        #expect(estimate.isHalted != isFollowed)
        #expect(distance(estimate, isFollowed ? meters : 0, 0) < 0.1 * meters)
    }

    @Test(
        "an offset of 2.2 standard deviations releases a halted vehicle, but not a parked vehicle",
        arguments: [(119.0, false), (120, true)])
    func parked(seconds: Double, staysHalted: Bool) {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(0, 0), after: index == 0 ? nil : 1) }
        #expect(state.halt.isHalted)
        state.halt.seconds = Float(seconds)
        // Ten fixes move the recent mean to within 3 % of their position.
        state.logNoiseScale = 0
        let sigma = 8 / SmoothingSettings().accuracyRadiusPerSigma
        var wasReleased = false
        for _ in 0..<10 {
            wasReleased = wasReleased || !filter.update(&state, with: fix(2.2 * sigma, 0), after: 0.01).isHalted
        }
        #expect(wasReleased != staysHalted)
    }

    @Test("a parked vehicle that reports no speed is followed when it drives away, without a lasting lag")
    func drivingAway() {
        var state = MotionState()
        for index in 0..<600 { _ = filter.update(&state, with: fix(0, 0), after: index == 0 ? nil : 1) }
        #expect(state.halt.isHalted)
        var behind = 0.0
        for index in 1...20 {
            let east = 5 * Double(index)
            behind = distance(filter.update(&state, with: fix(east, 0), after: 1), east, 0)
            #expect(behind < 25, "after \(index) s")
        }
        #expect(behind < 5)
    }

    @Test("a repeated position of a stationary or creeping vehicle adds no information without a speed")
    func repeated() throws {
        for speed in [0.0, 1] {
            var state = MotionState()
            for index in 0..<60 {
                let here = fix(speed * Double(index), 0)
                _ = filter.update(&state, with: here, after: index == 0 ? nil : 1)
            }
            #expect(state.halt.isHalted == (speed == 0))
            let before = state
            let again = fix(speed * 59 + 3, 0)
            let estimate = try #require(filter.extrapolate(state, repeating: again, by: 0.5))
            #expect(estimate.coordinate == before.coordinate)
            #expect(state == before)
            #expect(filter.extrapolate(state, repeating: fix(speed * 59 + 3, 0, speed: speed), by: 0.5) == nil)
        }
    }
}
