import TestSupport
import Testing

@testable import Domain

/// A receiver between two reflections alternates between two positions while the vehicle is halted.
@Suite struct BackAndForthTests {
    private let filter = KinematicFilter()
    private let plane = TangentPlane(origin: Coordinate(latitude: -33.4, longitude: -70.6))

    private func fix(_ east: Double, _ north: Double, speed: Double?) -> Fix {
        var fix = Fix(coordinate: plane.coordinate(of: TangentPlane.Point(east: east, north: north)))
        fix.accuracyMeters = 8
        fix.speedMetersPerSecond = speed
        return fix
    }

    private func east(_ estimate: Estimate) -> Double { plane.point(of: estimate.coordinate).east }

    /// Returns the state after standing for a minute at 0 m, then at `meters`, and then at 0 m again.
    private func stateAfterLeaps(_ meters: Double, speed: Double?, _ random: inout SeededGenerator) -> MotionState {
        var state = MotionState()
        for index in 0..<60 {
            _ = filter.update(&state, with: noisy(0, speed: speed, &random), after: index == 0 ? nil : 1)
        }
        for position in [meters, 0] {
            for _ in 0..<60 { _ = filter.update(&state, with: noisy(position, speed: speed, &random), after: 1) }
        }
        return state
    }

    private func noisy(_ position: Double, speed: Double?, _ random: inout SeededGenerator) -> Fix {
        fix(position + random.normal(), random.normal(), speed: speed)
    }

    @Test("a halted vehicle whose position has leapt before keeps it for twenty distant fixes", arguments: [nil, 0.0])
    func stays(speed: Double?) {
        for seed in UInt64(1)...8 {
            var random = SeededGenerator(seed: seed)
            var state = stateAfterLeaps(100, speed: speed, &random)
            let anchor = plane.point(of: state.coordinate).east
            let other = anchor < 50 ? 100.0 : 0
            for round in 0..<10 {
                for count in 1...20 {
                    let there = filter.update(&state, with: noisy(other, speed: speed, &random), after: 1)
                    #expect(abs(east(there) - anchor) < 10, "seed \(seed), round \(round), fix \(count)")
                    #expect(there.accuracyMeters > 80, "the accuracy covers both positions")
                }
                for _ in 0..<10 { _ = filter.update(&state, with: noisy(anchor, speed: speed, &random), after: 1) }
            }
        }
    }

    @Test("the first leap is followed at its third fix, as a correction", arguments: [nil, 0.0])
    func correction(speed: Double?) {
        var random = SeededGenerator(seed: 5)
        var state = MotionState()
        for index in 0..<60 {
            _ = filter.update(&state, with: noisy(0, speed: speed, &random), after: index == 0 ? nil : 1)
        }
        for count in 1...3 {
            let estimate = filter.update(&state, with: noisy(100, speed: speed, &random), after: 1)
            #expect((abs(east(estimate) - 100) < 10) == (count == 3), "fix \(count)")
        }
    }

    @Test("a later lasting leap is followed at its 21st fix", arguments: [nil, 0.0])
    func lasting(speed: Double?) {
        var random = SeededGenerator(seed: 6)
        var state = stateAfterLeaps(100, speed: speed, &random)
        let anchor = plane.point(of: state.coordinate).east
        let other = anchor < 50 ? 100.0 : 0
        for count in 1...21 {
            let estimate = filter.update(&state, with: noisy(other, speed: speed, &random), after: 1)
            #expect((abs(east(estimate) - other) < 10) == (count == 21), "fix \(count)")
        }
    }

    @Test(
        "a vehicle whose position has leapt is followed when it drives off, with any reported speed",
        arguments: [nil, 0.0, 1], [6.0, 12])
    func departure(reportedShare: Double?, speed: Double) {
        let reported = reportedShare.map { $0 * speed }
        var random = SeededGenerator(seed: 7)
        var state = stateAfterLeaps(100, speed: reported == nil ? nil : 0, &random)
        let anchor = plane.point(of: state.coordinate).east
        var behind = 0.0
        for second in 1...30 {
            let driven = anchor - speed * Double(second)
            let estimate = filter.update(&state, with: noisy(driven, speed: reported, &random), after: 1)
            behind = east(estimate) - driven
            // Two fixes beyond the radius are ignored.
            #expect(behind < 65, "after \(second) s")
        }
        #expect(abs(behind) < 10)
    }

    @Test("a fix at the anchor ends a leap")
    func ended() {
        var random = SeededGenerator(seed: 8)
        var driver = DriverState()
        driver.motion = stateAfterLeaps(100, speed: 0, &random)
        let anchor = plane.point(of: driver.motion.coordinate).east
        let other = anchor < 50 ? 100.0 : 0
        for _ in 0..<5 { _ = filter.update(&driver.motion, with: noisy(other, speed: 0, &random), after: 1) }
        #expect(driver.motion.halt.strays == 5 && driver.motion.halt.isLeap && driver.motion.halt.hasLeapt)
        _ = filter.update(&driver.motion, with: noisy(anchor, speed: 0, &random), after: 1)
        #expect(driver.motion.halt.strays == 0 && !driver.motion.halt.isLeap && driver.motion.halt.hasLeapt)
    }

    @Test("the number of ignored fixes is from 2 to 63 and is stored in six bits", arguments: [2, 62, 63])
    func limits(fixes: Int) {
        var settings = SmoothingSettings()
        settings.leapFixes = fixes
        #expect(settings.problems().isEmpty)
        settings.leapFixes = fixes == 2 ? 1 : 64
        #expect(!settings.problems().isEmpty)
        var halt = MotionState.Halt()
        (halt.strays, halt.isLeap, halt.hasLeapt) = (UInt8(fixes), true, false)
        #expect(halt.strays == UInt8(fixes) && halt.isLeap && !halt.hasLeapt)
        (halt.strays, halt.isLeap, halt.hasLeapt) = (255, false, true)
        #expect(halt.strays == 63 && !halt.isLeap && halt.hasLeapt)
    }
}
