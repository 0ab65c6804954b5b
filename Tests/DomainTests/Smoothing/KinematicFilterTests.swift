import Foundation
import TestSupport
import Testing

@testable import Domain
@testable import Evaluation

/// Requirements that a moving average would not meet: lag, gain, gaps, parking, outliers, relocations, consistency.
@Suite struct KinematicFilterTests {
    private let filter = KinematicFilter()
    private static let munich = Coordinate(latitude: 48.1374, longitude: 11.5755)

    private func fix(_ east: Double, _ north: Double, around origin: Coordinate = munich, accuracy: Double? = 8) -> Fix
    {
        var fix = Fix(
            coordinate: TangentPlane(origin: origin).coordinate(of: TangentPlane.Point(east: east, north: north)))
        fix.accuracyMeters = accuracy
        return fix
    }

    /// Returns the distance of the estimate from a position, in metres.
    private func error(_ estimate: Estimate, _ east: Double, _ north: Double, around origin: Coordinate = munich)
        -> Double
    {
        TangentPlane(origin: origin).point(of: estimate.coordinate)
            .distanceMeters(to: TangentPlane.Point(east: east, north: north))
    }

    @Test("at a constant 10 m/s the error is under a metre over ten minutes", arguments: [1.0, 4])
    func ramp(interval: Double) {
        var state = MotionState()
        for index in 0..<Int(600 / interval) {
            let east = 10 * interval * Double(index)
            let estimate = filter.update(&state, with: fix(east, 0), after: index == 0 ? nil : interval)
            if index >= 20 { #expect(error(estimate, east, 0) < 1) }
        }
    }

    @Test("at 15 m/s with speed and heading the error is under a metre")
    func rampWithSpeed() {
        var state = MotionState()
        for index in 0..<300 {
            var fix = fix(0, 15 * Double(index))
            fix.speedMetersPerSecond = 15
            fix.headingDegrees = 0
            let estimate = filter.update(&state, with: fix, after: index == 0 ? nil : 1)
            if index >= 20 { #expect(error(estimate, 0, 15 * Double(index)) < 1) }
        }
    }

    @Test("the gain at fix 10,000 equals that at fix 100")
    func gainFloor() {
        // The noise is not learned, because that would change the gain.
        var settings = SmoothingSettings()
        settings.noiseAdaptationRate = 0
        let filter = KinematicFilter(settings: settings)
        var state = MotionState()
        var gains: [Double] = []
        for index in 0..<10_000 {
            let east = 40 * Double(index)
            if index == 100 || index == 9_999 {
                var probe = state
                let moved = filter.update(&probe, with: fix(east + 1, 0), after: 4)
                var reference = state
                let straight = filter.update(&reference, with: fix(east, 0), after: 4)
                gains.append(Geodesy.distanceMeters(from: moved.coordinate, to: straight.coordinate))
            }
            _ = filter.update(&state, with: fix(east, 0), after: index == 0 ? nil : 4)
        }
        #expect(gains[0] > 0.1)
        #expect(abs(gains[1] / gains[0] - 1) < 0.01)
    }

    @Test("after a silence of about 120 s the first fix has a weight of over 0.9", arguments: [119.0, 120, 121])
    func gap(seconds: Double) {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        let predicted = 590 + 10 * seconds
        let estimate = filter.update(&state, with: fix(predicted, 100), after: seconds)
        #expect(error(estimate, predicted, 100) < 10)
    }

    @Test("a parked vehicle's smoothed path is under 5 % of the raw path over half an hour", arguments: [true, false])
    func parked(withSpeed: Bool) {
        let seed: UInt64 = 5
        var random = SeededGenerator(seed: seed)
        var state = MotionState()
        var (rawPath, path) = (0.0, 0.0)
        var last: (fix: Fix, estimate: Estimate)?
        var radii: [Double] = []
        for index in 0..<1800 {
            var fix = fix(8 * random.normal(), 8 * random.normal(), accuracy: 12)
            if withSpeed { fix.speedMetersPerSecond = abs(0.1 * random.normal()) }
            let estimate = filter.update(&state, with: fix, after: index == 0 ? nil : 1)
            // Excludes the time to detect the halt.
            if index >= 60, let last {
                rawPath += Geodesy.distanceMeters(from: last.fix.coordinate, to: fix.coordinate)
                path += Geodesy.distanceMeters(from: last.estimate.coordinate, to: estimate.coordinate)
                radii.append(error(estimate, 0, 0))
            }
            last = (fix, estimate)
        }
        #expect(path < 0.05 * rawPath, "seed \(seed)")
        #expect(radii.sorted()[radii.count * 95 / 100] < 12, "seed \(seed)")
    }

    @Test("a single fix a kilometre off moves the estimate by less than 5 m, also at the next fix")
    func outlier() {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        let off = filter.update(&state, with: fix(600, 1000), after: 1)
        #expect(error(off, 600, 0) < 5)
        let next = filter.update(&state, with: fix(610, 0), after: 1)
        #expect(error(next, 610, 0) < 5)
    }

    @Test("a real relocation is accepted within five consistent fixes")
    func relocation() {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        var errors: [Double] = []
        for index in 0..<8 {
            let east = 600 + 10 * Double(index)
            errors.append(error(filter.update(&state, with: fix(east, 5000), after: 1), east, 5000))
        }
        #expect(errors[4] < 15)
        #expect(errors[7] < 15)
    }

    @Test("a shift of 100 m, which is too short for a relocation, is followed")
    func shift() {
        var state = MotionState()
        for index in 0..<60 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        var last = Double.infinity
        for index in 0..<20 {
            let east = 600 + 10 * Double(index)
            last = error(filter.update(&state, with: fix(east, 100), after: 1), east, 100)
        }
        #expect(last < 15)
    }

    @Test("a vehicle is followed around a bend with a reported speed and no heading", arguments: [10.0, 20])
    func bend(speed: Double) {
        var state = MotionState()
        var (east, north) = (0.0, 0.0)
        for index in 0..<90 {
            // A straight, a half circle of 20 s, a straight: 64 m of radius at 10 m/s, 127 m at 20 m/s.
            let angle = min(max(Double(index) - 40, 0), 20) / 20 * Double.pi
            let fix = fix(east, north, accuracy: 4)
            var report = fix
            report.speedMetersPerSecond = speed
            let estimate = filter.update(&state, with: report, after: index == 0 ? nil : 1)
            if index >= 5 { #expect(error(estimate, east, north) < 12, "\(index) s") }
            east += speed * cos(angle)
            north += speed * sin(angle)
        }
    }

    @Test("between reflections, a known speed and heading keep the track; positions alone deflect it")
    func reflections() {
        func worst(givesVelocity: Bool) -> Double {
            var state = MotionState()
            var worst = 0.0
            for index in 0..<60 {
                // Six seconds about 60 m to the side, with the same stated accuracy.
                let side: Double = (40..<46).contains(index) ? [60, 52, 66, 55, 64, 50][index - 40] : 0
                var fix = fix(10 * Double(index), side, accuracy: 4)
                if givesVelocity { (fix.speedMetersPerSecond, fix.headingDegrees) = (10, 90) }
                let estimate = filter.update(&state, with: fix, after: index == 0 ? nil : 1)
                if index >= 5 { worst = max(worst, error(estimate, 10 * Double(index), 0)) }
            }
            return worst
        }
        #expect(worst(givesVelocity: true) < 10)
        #expect(worst(givesVelocity: false) > 10)
    }

    @Test("with noise and motion as assumed, errors match the covariance", arguments: 1...4)
    func consistency(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var state = MotionState()
        var position = (0.0, 0.0)
        var velocity = (10.0, 5.0)
        var total = 0.0
        let count = 3000
        for index in 0..<count {
            let acceleration = (1.5 * random.normal(), 1.5 * random.normal())
            position = (position.0 + velocity.0 + acceleration.0 / 2, position.1 + velocity.1 + acceleration.1 / 2)
            velocity = (velocity.0 + acceleration.0, velocity.1 + acceleration.1)
            let fix = fix(position.0 + 8 * random.normal(), position.1 + 8 * random.normal(), accuracy: 8 * 1.51)
            let estimate = filter.update(&state, with: fix, after: index == 0 ? nil : 1)
            let error = error(estimate, position.0, position.1)
            total += error * error / Double(state.covariance.ee + state.covariance.nn)
        }
        #expect((0.8...1.3).contains(total / Double(count)), "seed \(seed)")
    }

    @Test(
        "a parked vehicle does not follow a single outlier, near or far",
        arguments: [(true, 60.0), (true, 149), (true, 1000), (false, 1000)])
    func parkedOutlier(withSpeed: Bool, meters: Double) {
        var state = MotionState()
        for index in 0..<60 {
            var fix = fix(Double(index % 3) - 1, 0)
            if withSpeed { fix.speedMetersPerSecond = 0 }
            _ = filter.update(&state, with: fix, after: index == 0 ? nil : 1)
        }
        #expect(state.halt.isHalted)
        var off = fix(0, meters)
        if withSpeed { off.speedMetersPerSecond = 0 }
        #expect(error(filter.update(&state, with: off, after: 1), 0, 0) < 5)
        let next = filter.update(&state, with: fix(0, 0), after: 1)
        #expect(error(next, 0, 0) < 5 && next.isHalted)
    }

    @Test(
        "the same drive gives the same errors at 65 and 80 degrees, across the date line and on both hemispheres",
        arguments: [
            Coordinate(latitude: 65.01, longitude: 25.47), Coordinate(latitude: -16.5, longitude: 179.9995),
            Coordinate(latitude: -33.9, longitude: -179.9995), Coordinate(latitude: 80, longitude: -50),
            Coordinate(latitude: 0, longitude: 0.0001),
        ])
    func geography(origin: Coordinate) throws {
        func ratio(around origin: Coordinate) throws -> Double {
            var receiver = SimulatedReceiver()
            receiver.noise = .white
            receiver.origin = origin
            let trace = receiver.trace(of: SimulatedDrive(seed: 9, seconds: 900), seed: 1)
            return try #require(SmoothingScore(trace).ratio)
        }
        // Over the kilometres of this drive, the flat plane differs from the sphere by a few per mille.
        #expect(try abs(ratio(around: origin) / ratio(around: SimulatedReceiver().origin) - 1) < 0.02)
    }

    @Test("at the equator, swapping north and east swaps the estimates")
    func symmetry() {
        let equator = Coordinate(latitude: 0, longitude: 0)
        var receiver = SimulatedReceiver()
        receiver.noise = .white
        receiver.sigmaMeters = 6
        receiver.givesSpeed = false
        receiver.origin = equator
        let fixes = receiver.trace(of: SimulatedDrive(seed: 3, seconds: 600), seed: 4).fixes
        var state = MotionState()
        var swapped = MotionState()
        for (index, fix) in fixes.enumerated() {
            var mirrored = fix
            mirrored.coordinate = Coordinate(latitude: fix.coordinate.longitude, longitude: fix.coordinate.latitude)
            let estimate = filter.update(&state, with: fix, after: index == 0 ? nil : 1)
            let other = filter.update(&swapped, with: mirrored, after: index == 0 ? nil : 1)
            #expect(abs(estimate.coordinate.latitude - other.coordinate.longitude) < 1e-6)
            #expect(abs(estimate.coordinate.longitude - other.coordinate.latitude) < 1e-6)
        }
    }

    @Test("with fixes a tenth of a second apart, the lag is under a metre")
    func fastFixes() {
        var state = MotionState()
        var last = Double.infinity
        for index in 0..<600 {
            let east = 1.5 * Double(index)
            last = error(
                filter.update(&state, with: fix(east, 0, accuracy: nil), after: index == 0 ? nil : 0.1), east, 0)
        }
        #expect(last < 1)
    }

    @Test("a moving vehicle is followed although its device always reports speed 0")
    func constantZeroSpeed() {
        var state = MotionState()
        var last = Double.infinity
        for index in 0..<200 {
            var fix = fix(12 * Double(index), 0)
            fix.speedMetersPerSecond = 0
            last = error(filter.update(&state, with: fix, after: index == 0 ? nil : 1), 12 * Double(index), 0)
        }
        #expect(last < 8)
    }

    @Test(
        "a heading is used from a speed of 1.5 m/s on",
        arguments: [(1.49, false), (1.5, true)])
    func headingLimit(speed: Double, isUsed: Bool) {
        var state = MotionState()
        var fix = fix(0, 0)
        fix.speedMetersPerSecond = speed
        fix.headingDegrees = 90
        _ = filter.restart(&state, at: fix)
        #expect((state.eastMetersPerSecond > 1) == isUsed)
    }

    @Test("a gap over 120 s restarts at the fix; at exactly 120 s the filter continues")
    func restart() {
        var state = MotionState()
        for index in 0..<30 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        var continued = state
        #expect(error(filter.update(&continued, with: fix(2000, 300), after: 120), 2000, 300) > 0.001)
        #expect(error(filter.update(&state, with: fix(2000, 300), after: 120.001), 2000, 300) < 0.001)
    }

    @Test("extrapolation continues at the known speed and does not change the state")
    func extrapolation() throws {
        var state = MotionState()
        for index in 0..<30 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        let before = state
        let ahead = try #require(filter.extrapolate(state, repeating: fix(290, 0), by: 2))
        #expect(error(ahead, 310, 0) < 2)
        #expect(state == before)
    }

    @Test(
        "after a step slower than four fifths of the speed, the position is kept and its accuracy is reduced",
        arguments: [(7.5, false), (8.5, true)])
    func brakingExtrapolation(lastSpeed: Double, isExtrapolated: Bool) throws {
        var state = MotionState()
        for index in 0..<30 { _ = filter.update(&state, with: fix(10 * Double(index), 0), after: index == 0 ? nil : 1) }
        let ahead = try #require(
            filter.extrapolate(state, repeating: fix(290, 0), by: 2, lastMetersPerSecond: lastSpeed))
        #expect(error(ahead, isExtrapolated ? 310 : 290, 0) < 2)
        let now = try #require(filter.extrapolate(state, repeating: fix(290, 0), by: 0))
        #expect(ahead.accuracyMeters > now.accuracyMeters)
    }

    @Test(
        "confidence is high under 10 m, medium under 30 m, else low",
        arguments: [(3.0, Confidence.high), (12, .medium), (60, .low)])
    func confidence(accuracy: Double, expected: Confidence) {
        var state = MotionState()
        #expect(filter.restart(&state, at: fix(0, 0, accuracy: accuracy)).confidence == expected)
    }
}
