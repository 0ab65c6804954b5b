import Foundation
import TestSupport
import Testing

@testable import Domain

/// Signals that compare a device with its earlier behaviour.
@Suite struct HabitTests {
    /// Driver whose device measures realistically, with a fix a second.
    private final class Device {
        let driver = TestDriver()
        private var random: SeededGenerator
        private(set) var seconds = 0.0
        private var east = 0.0

        init(seed: UInt64 = 31) { random = SeededGenerator(seed: seed) }

        /// Drives on for `count` seconds; `change` may modify each fix.
        @discardableResult
        func drive(for count: Int, jitter: Double = 0.3, _ change: (inout Fix, Int) -> Void = { _, _ in })
            -> [VerdictResult]
        {
            (0..<count).map { index in
                let speed = 12 + 3 * Double.random(in: -1...1, using: &random)
                east += speed
                // Timestamps with jitter.
                seconds += 1 + 0.02 * Double.random(in: -1...1, using: &random)
                driver.template.accuracyMeters = (4 + Double.random(in: -1...1, using: &random))
                driver.template.altitudeMeters = 20 + Double.random(in: -1...1, using: &random)
                driver.template.speedMetersPerSecond = speed
                driver.template.headingDegrees = 90
                var fix = driver.fix(east, jitter * Double.random(in: -1...1, using: &random), at: seconds)
                change(&fix, index)
                return driver.evaluate(fix)
            }
        }
    }

    @Test("an honest device gives no signal")
    func honest() {
        let results = Device().drive(for: 1200)
        #expect(results.allSatisfy { $0.reasons.isEmpty && $0.signals.isEmpty && $0.risk < 0.3 })
    }

    @Test("a driver is flagged when fields that always changed freeze")
    func frozenFields() throws {
        let device = Device()
        device.drive(for: 60)
        let results = device.drive(for: 60) { fix, _ in
            fix.accuracyMeters = 5
            fix.altitudeMeters = 30
            fix.speedMetersPerSecond = 12
        }
        let marked = try #require(results.firstIndex { $0.signals.contains(.overdueFields) })
        // Nearly three changes are due at each fix after the first, and eight are required.
        #expect((3...5).contains(marked))
        #expect(results.contains { $0.isFlagged })
    }

    @Test("fields that freeze give a signal only after the habits are learned", arguments: [(3, false), (12, true)])
    func learning(fixes: Int, isKnown: Bool) {
        let device = Device()
        device.drive(for: fixes)
        let results = device.drive(for: 5) { fix, _ in
            fix.accuracyMeters = 5
            fix.altitudeMeters = 30
            fix.speedMetersPerSecond = 12
        }
        let hasSignal = results.contains { $0.signals.contains(.overdueFields) }
        #expect(hasSignal || !isKnown)
        if !isKnown { #expect(results.allSatisfy { $0.reasons.isEmpty }) }
    }

    @Test("a frozen speed flags the driver; at the eighth fix, the risk is higher if the speed is wrong")
    func frozenSpeed() {
        for (speed, riskAtEighthFix, isFlagged) in [(5.0, 0.6...0.7, true), (12, 0.0...0.5, true)] {
            let device = Device()
            device.drive(for: 60)
            let results = device.drive(for: 60) { fix, _ in fix.speedMetersPerSecond = speed }
            #expect(riskAtEighthFix.contains(results[7].risk), "\(speed)")
            #expect(results.contains { $0.isFlagged } == isFlagged, "\(speed)")
        }
    }

    @Test("a device that often repeats its speed may report a correct speed unchanged for minutes")
    func roundedSpeed() {
        let device = Device()
        device.drive(for: 120) { fix, index in fix.speedMetersPerSecond = index % 4 < 2 ? 12 : 11 }
        let place = device.driver.plane.point(of: device.driver.state.lastAccepted.point.coordinate)
        let start = device.seconds
        let results = device.drive(for: 200) { fix, index in
            fix.speedMetersPerSecond = 12
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east + 12 * (device.seconds - start), north: 0))
        }
        #expect(results.allSatisfy { !$0.signals.contains(.overdueSpeed) })
    }

    /// Returns the results of a device that reports standstill every second, `error` metres off, with noise.
    private func resultsAtStandstill(
        _ device: Device, for fixes: Int, after silence: Double = 1, seed: UInt64 = 35, error: (Int) -> Double
    ) -> [VerdictResult] {
        var random = SeededGenerator(seed: seed)
        let place = device.driver.plane.point(of: device.driver.state.lastAccepted.point.coordinate)
        return (0..<fixes).map { index in
            device.driver.template.accuracyMeters = 8 + Double.random(in: -1...1, using: &random)
            device.driver.template.altitudeMeters = 20 + Double.random(in: -1...1, using: &random)
            device.driver.template.speedMetersPerSecond = 0
            device.driver.template.headingDegrees = nil
            let fix = device.driver.fix(
                place.east + error(index) + 3 * random.normal(), place.north + 3 * random.normal(),
                at: device.seconds + silence + Double(index))
            return device.driver.evaluate(fix)
        }
    }

    @Test("positions that settle after a gap, at reported standstill, make no driver a suspect")
    func settling() {
        let device = Device()
        device.drive(for: 60)
        // The position is 300 m off at first; the error falls to 5 % in 20 s.
        let results = resultsAtStandstill(device, for: 60, after: 60) { 300 * exp(-Double($0) / 6.7) }
        #expect(results.allSatisfy { $0.risk < 0.5 && $0.verdict == .accepted })
    }

    @Test("a single outlier at reported standstill makes no driver a suspect", arguments: [8, 15, 22])
    func outlierWhileStanding(index: Int) {
        let device = Device()
        device.drive(for: 60)
        let results = resultsAtStandstill(device, for: 60) { $0 == index ? 65 : 0 }
        #expect(results.allSatisfy { $0.risk < 0.7 })
    }

    @Test("a vehicle that drives and always reports standstill is flagged, in most runs within 90 s")
    func drivingAndStanding() throws {
        // The time depends on the noise of the positions.
        let seeds: ClosedRange<UInt64> = 31...42
        let seconds = try seeds.map { seed in
            let device = Device(seed: seed)
            device.drive(for: 60)
            let results = resultsAtStandstill(device, for: 120, seed: seed) { 8 * Double($0) }
            return try #require(results.firstIndex { $0.isFlagged }, "seed \(seed)")
        }
        #expect(seconds.sorted()[6] < 90, "\(seconds), seeds \(seeds)")
    }

    @Test("a device whose intervals become exactly equal is marked, but the signal alone makes no suspect")
    func rhythm() {
        let device = Device()
        device.drive(for: 60)
        let start = device.seconds.rounded(.up)
        let results = device.drive(for: 60) { fix, index in
            fix.deviceAt = TestDriver.start.advanced(bySeconds: start + Double(index + 1))
        }
        #expect(results.contains { $0.signals.contains(.rhythm) })
        #expect(results.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }

    @Test("a device whose intervals were always equal gives no reason code")
    func regular() {
        let results = Device().drive(for: 200) { fix, index in
            fix.deviceAt = TestDriver.start.advanced(bySeconds: Double(index))
        }
        #expect(results.allSatisfy { $0.reasons.isEmpty })
    }

    @Test("steps of exactly one length after steps of varying lengths flag a driver")
    func equalSteps() {
        let device = Device()
        device.drive(for: 80)
        let east = device.driver.plane.point(of: device.driver.state.lastAccepted.point.coordinate).east
        let results = device.drive(for: 60) { fix, index in
            fix.coordinate = device.driver.plane.coordinate(of: .init(east: east + 12 * Double(index + 1), north: 0))
        }
        #expect(results.contains { $0.signals.contains(.equalSteps) })
        #expect(results.contains { $0.isFlagged })
    }

    @Test("a track that begins to alternate like white noise is marked, but the signal alone makes no suspect")
    func unsteadiness() {
        let device = Device()
        device.drive(for: 120, jitter: 0.1)
        var random = SeededGenerator(seed: 33)
        let results = device.drive(for: 120) { fix, _ in
            let place = device.driver.plane.point(of: fix.coordinate)
            let error = (4 * random.normal(), 4 * random.normal())
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east + error.0, north: place.north + error.1))
        }
        #expect(results.contains { $0.signals.contains(.unsteadiness) })
        #expect(results.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }

    @Test("a driven distance that drifts from the reported distance is marked, but the signal alone makes no suspect")
    func drift() {
        let device = Device()
        device.drive(for: 120)
        let results = device.drive(for: 90) { fix, index in
            let place = device.driver.plane.point(of: fix.coordinate)
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east, north: place.north + 2 * Double(index)))
        }
        #expect(results.contains { $0.signals.contains(.drift) })
        #expect(results.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }

    @Test("a new session resets the habits")
    func session() {
        let device = Device()
        device.drive(for: 60)
        device.driver.template.sessionHash = 7
        device.drive(for: 1)
        #expect(device.driver.state.fields.learnedFixes <= 1 && device.driver.state.steps.learnedFixes <= 1)
    }

    @Test("constant behaviour is learned within eight fixes")
    func firstFixes() {
        var (always, never) = (Habit(), Habit())
        for fix in 0..<8 {
            always.observe(hasChanged: true, after: UInt8(fix), isLearned: false)
            never.observe(hasChanged: false, after: UInt8(fix), isLearned: false)
        }
        // The rate starts at one half with the weight of one fix, so it becomes 8.5 / 9 or 0.5 / 9.
        #expect((240...246).contains(always.rate) && (9...15).contains(never.rate))
    }

    @Test("a habit learns from any rate, after any number of fixes, within its bounds")
    func anyRate() {
        for rate in UInt8.min...UInt8.max {
            for fixes in UInt8.min...40 {
                var (changed, kept) = (Habit(rate: rate), Habit(rate: rate, expectedChanges: 250))
                changed.observe(hasChanged: true, after: fixes, isLearned: true)
                kept.observe(hasChanged: false, after: fixes, isLearned: true)
                #expect(changed.rate >= max(rate, 1) && kept.rate <= min(rate, 254) && kept.expectedChanges >= 250)
            }
        }
    }

    @Test("expected changes accumulate on a device that always changed, not on one that rarely changes")
    func habit() {
        var habit = Habit()
        for _ in 0..<200 { habit.observe(hasChanged: true, after: .max, isLearned: true) }
        #expect(habit.rate > 245 && habit.expectedChanges == 0)
        for _ in 0..<10 { habit.observe(hasChanged: false, after: .max, isLearned: true) }
        #expect((48...72).contains(habit.expectedChanges))
        #expect((230...255).contains(habit.usualRate))
        for _ in 0..<400 { habit.observe(hasChanged: false, after: .max, isLearned: true) }
        #expect(habit.rate == 0)
        habit.observe(hasChanged: true, after: .max, isLearned: true)
        for _ in 0..<100 { habit.observe(hasChanged: false, after: .max, isLearned: true) }
        #expect(habit.expectedChanges == 0)
    }
}
