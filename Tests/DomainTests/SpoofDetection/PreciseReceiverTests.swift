import Foundation
import TestSupport
import Testing

@testable import Domain

/// Receivers accurate to centimetres in vehicles at nearly constant speed, compared with simulators.
@Suite struct PreciseReceiverTests {
    struct Receiver: Sendable {
        var hertz: Double
        /// Grid lines per degree to which coordinates are rounded.
        var linesPerDegree: Double
        /// Variation of the speed, in m/s, and its time constant, in seconds.
        var wander = (metersPerSecond: 0.1, seconds: 30.0)
    }

    private static let receivers: [Receiver] = [1.0, 2, 5].flatMap { hertz in
        [1e6, 2e6, 6e6, 1e7, 1e8, 1e9].map { Receiver(hertz: hertz, linesPerDegree: $0) }
    }

    /// Receivers in cars under cruise control.
    private static let vehicles = [(0.3, 10.0), (0.1, 10), (0.05, 30)].map { wander in
        Receiver(hertz: 1, linesPerDegree: 1e8, wander: wander)
    }

    /// Returns the results of three minutes in town and then ten minutes at 97 km/h.
    private static func results(_ receiver: Receiver, seed: UInt64) -> [VerdictResult] {
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        driver.plane = TangentPlane(
            origin: Coordinate(
                latitude: Double.random(in: -60...60, using: &random),
                longitude: Double.random(in: -180...180, using: &random)))
        let step = 1 / receiver.hertz
        let bearing = Double.random(in: 0...(2 * .pi), using: &random)
        let decay = exp(-step / receiver.wander.seconds)
        var (driven, speed, wander, error) = (0.0, 8.0, 0.0, 0.0)
        return stride(from: 0.0, to: 780, by: step).map { second in
            wander =
                decay * wander + receiver.wander.metersPerSecond * (1 - decay * decay).squareRoot() * random.normal()
            let target = second < 180 ? 9 + 5 * sin(second / 3) : 27 + wander
            speed += max(-2 * step, min(2 * step, target - speed))
            driven += speed * step
            error += (0.005 * random.normal() - error * 0.1) * step.squareRoot()
            let along = driven + error
            let across = 30 * sin(driven / 1500) + 0.003 * random.normal()
            var fix = driver.fix(
                along * sin(bearing) + across * cos(bearing), along * cos(bearing) - across * sin(bearing), at: second)
            fix.coordinate = rounded(fix.coordinate, receiver.linesPerDegree)
            return driver.evaluate(fix)
        }
    }

    private static func rounded(_ place: Coordinate, _ lines: Double) -> Coordinate {
        Coordinate(
            latitude: (place.latitude * lines).rounded() / lines,
            longitude: (place.longitude * lines).rounded() / lines)
    }

    @Test("a survey-grade receiver on a motorway makes no driver a suspect", arguments: receivers + vehicles)
    func motorway(receiver: Receiver) {
        for seed: UInt64 in 81...88 {
            let results = Self.results(receiver, seed: seed)
            #expect(
                results.allSatisfy { $0.risk < 0.7 && $0.reasons.isDisjoint(with: [.suspect, .flagged]) },
                "seed \(seed), \(receiver)")
        }
    }

    @Test("a vehicle whose speed hardly changes for a minute is not flagged")
    func steadiest() {
        let receiver = Receiver(hertz: 1, linesPerDegree: 1e8, wander: (0.05, 60))
        for seed: UInt64 in 81...88 {
            let results = Self.results(receiver, seed: seed)
            #expect(results.allSatisfy { !$0.isFlagged }, "seed \(seed)")
        }
    }

    /// Returns the results of a phone for three minutes, then of a simulator at one speed with turns of 90°.
    private static func simulator(hertz: Double, linesPerDegree: Double, jitter: Double, leg length: Double = 170)
        -> [VerdictResult]
    {
        var random = SeededGenerator(seed: 83)
        let driver = TestDriver()
        let step = 1 / hertz
        var driven = 0.0
        for index in 0..<Int(180 * hertz) {
            driven += (10 + 3 * random.normal()) * step
            driver.send(2 * random.normal(), driven + 2 * random.normal(), at: Double(index) * step)
        }
        return (1...Int(90 * hertz)).map { index in
            let second = 180 - step + Double(index) * step + jitter * Double.random(in: -1...1, using: &random)
            let meters = 17.707 * (second - 180 + step)
            let (leg, rest) = (Int(meters / length), meters.truncatingRemainder(dividingBy: length))
            let (along, across) = (Double((leg + 1) / 2) * length, Double(leg / 2) * length)
            let (east, north) = leg % 2 == 0 ? (across, along + rest) : (across + rest, along)
            var fix = driver.fix(east, driven + north, at: (second * 1000).rounded() / 1000)
            fix.coordinate = rounded(fix.coordinate, linesPerDegree)
            return driver.evaluate(fix)
        }
    }

    @Test(
        "a simulator that turns corners at one speed is flagged within 70 seconds", arguments: [1.0, 2, 5],
        [1e7, 1e9])
    func simulators(hertz: Double, linesPerDegree: Double) throws {
        let results = Self.simulator(hertz: hertz, linesPerDegree: linesPerDegree, jitter: 0)
        let flagged = try #require(results.firstIndex { $0.isFlagged })
        #expect(Double(flagged) / hertz < 70, "\(flagged)")
    }

    @Test("a simulator at one speed with uneven intervals is flagged", arguments: [0.02, 0.1])
    func unevenTimes(jitter: Double) {
        let results = Self.simulator(hertz: 1, linesPerDegree: 1e7, jitter: jitter)
        #expect(results.contains { $0.isFlagged })
    }

    /// Returns whether 24 s of equal one-second steps are marked if the rule requires `run` seconds.
    private static func marked(after run: Double, acceleration: Double = 0) -> Bool {
        var settings = TrackingSettings.unlimited
        settings.rules.equalSteps.runSeconds = run
        let driver = TestDriver(settings)
        var random = SeededGenerator(seed: 85)
        var driven = 0.0
        for second in 0..<100 {
            driven += 12 + 3 * Double.random(in: -1...1, using: &random)
            driver.send(driven, 0, at: Double(second))
        }
        let results = (1...24).map { index in
            let seconds = Double(index)
            // The speed changes constantly by `acceleration`.
            return driver.send(driven + 15 * seconds + acceleration / 2 * seconds * seconds, 0, at: 99 + seconds)
        }
        return results.contains { $0.signals.contains(.equalSteps) }
    }

    @Test("equal steps count after the configured duration", arguments: [(22.5, true), (23.5, false)])
    func runs(seconds: Double, isMarked: Bool) {
        #expect(Self.marked(after: seconds) == isMarked)
    }

    @Test(
        "steps that are equal individually do not count if the distance deviates by centimetres after some seconds",
        arguments: [(0.0, true), (0.002, false), (-0.002, false)])
    func drifts(metersPerSecondSquared: Double, isMarked: Bool) {
        #expect(Self.marked(after: 20, acceleration: metersPerSecondSquared) == isMarked)
    }

    @Test("a run of equal steps is stored in units of 0.5 mm, and its drift in units of 2 mm, for any speed")
    func stored() {
        var random = SeededGenerator(seed: 86)
        for _ in 0..<10_000 {
            let speed = Double.random(in: 0.3...500, using: &random)
            let isLength = Bool.random(using: &random)
            var run = DriverState.EqualRun(reference: speed, isLength: isLength)
            #expect(run.isKnown && run.isLength == isLength && run.driftMeters == 0)
            #expect(abs(run.difference(of: speed)) <= 0.00026)
            #expect(abs(run.difference(of: speed + 0.01) - 0.01) <= 0.00026)
            let drift = Double.random(in: -0.03...0.03, using: &random)
            run.move(by: -0.01, driftMeters: drift)
            #expect(abs(run.difference(of: speed) - 0.01) <= 0.00051)
            #expect(run.isLength == isLength && abs(run.driftMeters - drift) <= 0.00101)
            run.endDrift()
            #expect(run.driftMeters == 0 && run.isLength == isLength)
        }
        #expect(!DriverState.EqualRun().isKnown)
    }

    @Test("steps that differ by multiples of half a metre are not equal", arguments: [0.5, 1, 1.5, 3])
    func multiples(meters: Double) {
        let driver = TestDriver()
        var east = 0.0
        let results = (0..<300).map { second in
            // Three of five steps are longer, as on a grid of coordinates.
            east += second < 60 ? 9 + 5 * sin(Double(second)) : 8.2 + (second % 5 < 3 ? meters : 0)
            return driver.evaluate(driver.fix(east, 0, at: Double(second)))
        }
        #expect(results.allSatisfy { !$0.isFlagged && !$0.reasons.contains(.kinematicAnomaly) })
    }

    @Test(
        "the side of a turn and the duration of a run share a byte and change independently",
        arguments: 0...63 as ClosedRange<UInt8>)
    func sides(halfSeconds: UInt8) {
        for side: UInt8 in 0...2 {
            var steps = DriverState.Steps()
            steps.swerveSide = side
            steps.equalHalfSeconds = halfSeconds
            #expect(steps.swerveSide == side && steps.equalHalfSeconds == halfSeconds)
            steps.swerveSide = 0
            #expect(steps.equalHalfSeconds == halfSeconds)
        }
    }
}
