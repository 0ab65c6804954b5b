import Foundation
import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection

/// Signals that compare a device with what it did before.
@Suite struct HabitTests {
    /// A driver whose device measures as receivers do, and the fix of each second.
    private final class Device {
        let driver = TestDriver()
        private var random: SeededGenerator
        private(set) var seconds = 0.0
        private var east = 0.0

        init(seed: UInt64 = 31) { random = SeededGenerator(seed: seed) }

        /// Drives on for some seconds; `change` makes of the fix what it wants.
        @discardableResult
        func drive(for count: Int, jitter: Double = 0.3, _ change: (inout Fix, Int) -> Void = { _, _ in })
            -> [VerdictResult]
        {
            (0..<count).map { index in
                let speed = 12 + 3 * Double.random(in: -1...1, using: &random)
                east += speed
                // Stamps of a device that does not keep exact time.
                seconds += 1 + 0.02 * Double.random(in: -1...1, using: &random)
                driver.template.accuracyMeters = (4 + Double.random(in: -1...1, using: &random))
                driver.template.altitudeMeters = 20 + Double.random(in: -1...1, using: &random)
                driver.template.speedMetersPerSecond = speed
                driver.template.headingDegrees = 90
                var fix = driver.fix(east, jitter * Double.random(in: -1...1, using: &random), at: seconds)
                change(&fix, index)
                return driver.judge(fix)
            }
        }
    }

    @Test("an honest device is never remarked on")
    func honest() {
        let judgements = Device().drive(for: 1200)
        #expect(judgements.allSatisfy { $0.reasons.isEmpty && $0.signals.isEmpty && $0.risk < 0.3 })
    }

    @Test("fields that always changed and stop get a driver flagged, though they take turns to be wrong")
    func frozenFields() throws {
        let device = Device()
        device.drive(for: 60)
        let judgements = device.drive(for: 60) { fix, _ in
            fix.accuracyMeters = 5
            fix.altitudeMeters = 30
            fix.speedMetersPerSecond = 12
        }
        let told = try #require(judgements.firstIndex { $0.signals.contains(.frozenHabit) })
        // Three changes of nearly one are due at each fix after the first, and eight must be.
        #expect((3...5).contains(told))
        #expect(judgements.contains { $0.isFlagged })
    }

    @Test("the same fields before anything was learnt are no habit broken", arguments: [(3, false), (12, true)])
    func learning(fixes: Int, isKnown: Bool) {
        let device = Device()
        device.drive(for: fixes)
        let judgements = device.drive(for: 5) { fix, _ in
            fix.accuracyMeters = 5
            fix.altitudeMeters = 30
            fix.speedMetersPerSecond = 12
        }
        let hasFrozen = judgements.contains { $0.signals.contains(.frozenHabit) }
        #expect(hasFrozen || !isKnown)
        if !isKnown { #expect(judgements.allSatisfy { $0.reasons.isEmpty }) }
    }

    @Test("a speed that stops changing counts at once where it is wrong, up to one window, and late where it is right")
    func frozenSpeed() {
        for (speed, early, late) in [(5.0, 0.6...0.7, true), (12, 0.0...0.5, true)] {
            let device = Device()
            device.drive(for: 60)
            let judgements = device.drive(for: 60) { fix, _ in fix.speedMetersPerSecond = speed }
            #expect(early.contains(judgements[7].risk), "\(speed)")
            #expect(judgements.contains { $0.isFlagged } == late, "\(speed)")
        }
    }

    @Test("a device that often repeats its speed may keep one that is right for minutes")
    func roundedSpeed() {
        let device = Device()
        device.drive(for: 120) { fix, index in fix.speedMetersPerSecond = index % 4 < 2 ? 12 : 11 }
        let place = device.driver.plane.point(of: device.driver.state.live.point.coordinate)
        let start = device.seconds
        let judgements = device.drive(for: 200) { fix, index in
            fix.speedMetersPerSecond = 12
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east + 12 * (device.seconds - start), north: 0))
        }
        #expect(judgements.allSatisfy { !$0.signals.contains(.frozenSpeedHabit) })
    }

    /// A device that stands where it is and says so, from one second after another, with the noise of a receiver.
    private func stand(
        _ device: Device, for fixes: Int, after silence: Double = 1, seed: UInt64 = 35, error: (Int) -> Double
    ) -> [VerdictResult] {
        var random = SeededGenerator(seed: seed)
        let place = device.driver.plane.point(of: device.driver.state.live.point.coordinate)
        return (0..<fixes).map { index in
            device.driver.template.accuracyMeters = 8 + Double.random(in: -1...1, using: &random)
            device.driver.template.altitudeMeters = 20 + Double.random(in: -1...1, using: &random)
            device.driver.template.speedMetersPerSecond = 0
            device.driver.template.headingDegrees = nil
            let fix = device.driver.fix(
                place.east + error(index) + 3 * random.normal(), place.north + 3 * random.normal(),
                at: device.seconds + silence + Double(index))
            return device.driver.judge(fix)
        }
    }

    @Test("positions that settle after a gap are not held against a device that says it stands")
    func settling() {
        let device = Device()
        device.drive(for: 60)
        // 300 m off at first; e to the power of -3 is left after 20 s (`domain.md`).
        let judgements = stand(device, for: 60, after: 60) { 300 * exp(-Double($0) / 6.7) }
        #expect(judgements.allSatisfy { $0.risk < 0.5 && $0.verdict == .accepted })
    }

    @Test("a single fix that is off is not held against a device that says it stands", arguments: [8, 15, 22])
    func offWhileStanding(index: Int) {
        let device = Device()
        device.drive(for: 60)
        let judgements = stand(device, for: 60) { $0 == index ? 65 : 0 }
        #expect(judgements.allSatisfy { $0.risk < 0.7 })
    }

    @Test("a vehicle that drives on and says it stands all the time is flagged, mostly within a minute and a half")
    func drivingAndStanding() throws {
        // When depends on the noise of the positions.
        let seeds: ClosedRange<UInt64> = 31...42
        let seconds = try seeds.map { seed in
            let device = Device(seed: seed)
            device.drive(for: 60)
            let judgements = stand(device, for: 120, seed: seed) { 8 * Double($0) }
            return try #require(judgements.firstIndex { $0.isFlagged }, "seed \(seed)")
        }
        #expect(seconds.sorted()[6] < 90, "\(seconds), seeds \(seeds)")
    }

    @Test("a device that becomes as regular as a clock is remarked on, never accused by that alone")
    func rhythm() {
        let device = Device()
        device.drive(for: 60)
        let start = device.seconds.rounded(.up)
        let judgements = device.drive(for: 60) { fix, index in
            fix.deviceAt = TestDriver.start.advanced(bySeconds: start + Double(index + 1))
        }
        #expect(judgements.contains { $0.signals.contains(.rhythm) })
        #expect(judgements.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }

    @Test("a device that was always regular is not remarked on")
    func regular() {
        let judgements = Device().drive(for: 200) { fix, index in
            fix.deviceAt = TestDriver.start.advanced(bySeconds: Double(index))
        }
        #expect(judgements.allSatisfy { $0.reasons.isEmpty })
    }

    @Test("steps of exactly one length after others that were not get a driver flagged")
    func equalSteps() {
        let device = Device()
        device.drive(for: 80)
        let east = device.driver.plane.point(of: device.driver.state.live.point.coordinate).east
        let judgements = device.drive(for: 60) { fix, index in
            fix.coordinate = device.driver.plane.coordinate(of: .init(east: east + 12 * Double(index + 1), north: 0))
        }
        #expect(judgements.contains { $0.signals.contains(.equalSteps) })
        #expect(judgements.contains { $0.isFlagged })
    }

    @Test("a track that begins to swerve like white noise is remarked on, never accused by that alone")
    func unsteadiness() {
        let device = Device()
        device.drive(for: 120, jitter: 0.1)
        var random = SeededGenerator(seed: 33)
        let judgements = device.drive(for: 120) { fix, _ in
            let place = device.driver.plane.point(of: fix.coordinate)
            let error = (4 * random.normal(), 4 * random.normal())
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east + error.0, north: place.north + error.1))
        }
        #expect(judgements.contains { $0.signals.contains(.unsteadiness) })
        #expect(judgements.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }

    @Test("a way that drifts off the one reported is remarked on, never accused by that alone")
    func drift() {
        let device = Device()
        device.drive(for: 120)
        let judgements = device.drive(for: 90) { fix, index in
            let place = device.driver.plane.point(of: fix.coordinate)
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east, north: place.north + 2 * Double(index)))
        }
        #expect(judgements.contains { $0.signals.contains(.drift) })
        #expect(judgements.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }

    @Test("a new session is another device, with habits of its own")
    func session() {
        let device = Device()
        device.drive(for: 60)
        device.driver.template.sessionHash = 7
        device.drive(for: 1)
        #expect(device.driver.state.fields.learnt <= 1 && device.driver.state.steps.learnt <= 1)
    }

    @Test("what a device always does is known after a few fixes")
    func firstFixes() {
        var (always, never) = (Habit(), Habit())
        for fix in 0..<8 {
            always.observe(hasChanged: true, after: UInt8(fix), isLearnt: false)
            never.observe(hasChanged: false, after: UInt8(fix), isLearnt: false)
        }
        // As if one fix before had half changed: 8.5 and 0.5 of 9.
        #expect((240...246).contains(always.rate) && (9...15).contains(never.rate))
    }

    @Test("a habit learns from any rate, after any number of fixes, and never past what it sees")
    func anyRate() {
        for rate in UInt8.min...UInt8.max {
            for fixes in UInt8.min...40 {
                var (changed, kept) = (Habit(rate: rate), Habit(rate: rate, overdue: 250))
                changed.observe(hasChanged: true, after: fixes, isLearnt: true)
                kept.observe(hasChanged: false, after: fixes, isLearnt: true)
                #expect(changed.rate >= max(rate, 1) && kept.rate <= min(rate, 254) && kept.overdue >= 250)
            }
        }
    }

    @Test("a habit forgets as slowly as it learns, and what seldom changes is never overdue")
    func habit() {
        var habit = Habit()
        for _ in 0..<200 { habit.observe(hasChanged: true, after: .max, isLearnt: true) }
        #expect(habit.rate > 245 && habit.overdue == 0)
        for _ in 0..<10 { habit.observe(hasChanged: false, after: .max, isLearnt: true) }
        #expect((48...72).contains(habit.overdue))
        #expect((230...255).contains(habit.usualRate))
        for _ in 0..<400 { habit.observe(hasChanged: false, after: .max, isLearnt: true) }
        #expect(habit.rate == 0)
        habit.observe(hasChanged: true, after: .max, isLearnt: true)
        for _ in 0..<100 { habit.observe(hasChanged: false, after: .max, isLearnt: true) }
        #expect(habit.overdue == 0)
    }
}
