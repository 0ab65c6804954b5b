import Glibc
import TestSupport
import Testing

@testable import Domain

/// Signals based on a device's habits, just below, at and above their limits.
@Suite struct SignalLimitTests {
    /// Returns a driver that goes east at 10 m/s, with fields that change at every fix and its true speed.
    private static func device() -> TestDriver {
        let driver = TestDriver()
        driver.template.headingDegrees = 90
        for second in 0..<20 {
            driver.template.accuracyMeters = 5 + Double(second % 3) / 10
            driver.template.altitudeMeters = 20 + Double(second % 7)
            driver.template.speedMetersPerSecond = 10 + Double(second % 2) / 10
            driver.send(Double(second) * 10, at: Double(second))
        }
        driver.template.accuracyMeters = 5
        driver.template.altitudeMeters = 30
        driver.template.speedMetersPerSecond = 10
        driver.send(200, at: 20)
        driver.state.fields.learnedFixes = 255
        for habit in [\DriverState.Fields.accuracy, \.altitude, \.speed] {
            driver.state.fields[keyPath: habit] = Habit(rate: 255, expectedChanges: 0)
        }
        return driver
    }

    @Test("frozen fields are marked from eight overdue changes on", arguments: [(39, false), (40, true), (41, true)])
    func fields(expectedBefore: UInt8, isMarked: Bool) {
        let driver = Self.device()
        driver.state.fields.expectedChanges = expectedBefore
        // Three fields always changed, so three changes are due; they are counted in eighths.
        let result = driver.send(210, at: 21)
        #expect(driver.state.fields.expectedChanges == expectedBefore + 24)
        #expect(result.signals.contains(.overdueFields) == isMarked)
        #expect(result.reasons.contains(.accuracyAnomaly) == isMarked)
    }

    @Test(
        "a frozen speed is marked from nine overdue changes on, if it is wrong by more than 1 m/s plus 10 %",
        arguments: [(63, 15, false), (64, 15, true), (65, 15, true), (64, 11.95, false), (64, 12.05, true)])
    func speed(expectedBefore: UInt8, step: Double, isMarked: Bool) {
        let driver = Self.device()
        driver.state.fields.speed.expectedChanges = expectedBefore
        driver.template.accuracyMeters = 6
        driver.template.altitudeMeters = 31
        #expect(driver.send(200 + step, at: 21).signals.contains(.overdueSpeed) == isMarked)
    }

    @Test(
        "a repeated heading with a fraction of a degree is marked from ten overdue changes on",
        arguments: [
            (71, 71.3, false), (72, 71.3, true), (73, 71.3, true), (72, 71.4, false), (200, 71, false),
        ])
    func heading(expectedBefore: UInt8, degrees: Double, isMarked: Bool) {
        let driver = Self.device()
        driver.template.headingDegrees = degrees == 71 ? 71 : 71.3
        driver.template.accuracyMeters = 6
        driver.send(210, at: 21)
        driver.state.headings.habit = Habit(rate: 255, expectedChanges: expectedBefore)
        driver.template.headingDegrees = degrees
        driver.template.accuracyMeters = 7
        driver.template.speedMetersPerSecond = 10.1
        #expect(driver.send(220, at: 22).signals.contains(.overdueHeading) == isMarked)
        #expect((driver.state.risk.evidence > 0) == isMarked || expectedBefore == 71)
    }

    @Test("headings repeated at the usual rate give no signal")
    func usualHeading() {
        let driver = TestDriver()
        var random = SeededGenerator(seed: 21)
        for second in 0..<600 {
            // The device repeats nine of ten headings, like slow compasses.
            if second % 10 == 0 { driver.template.headingDegrees = 70.05 + Double.random(in: 0...1, using: &random) }
            driver.template.accuracyMeters = 5 + Double(second % 3) / 10
            driver.template.altitudeMeters = 20 + Double(second % 7)
            driver.template.speedMetersPerSecond = 10 + Double(second % 2) / 10
            let result = driver.send(Double(second) * 10 + Double(second % 5) / 5, at: Double(second))
            #expect(!result.signals.contains(.overdueHeading), "second \(second)")
        }
    }

    @Test(
        "equal intervals are marked from fourteen overdue changes on; a difference of a millisecond is ignored",
        arguments: [(103, 21.0, false), (104, 21, true), (105, 21, true), (104, 21.001, true), (104, 21.002, false)])
    func rhythm(expectedBefore: UInt8, at seconds: Double, isMarked: Bool) {
        let driver = Self.device()
        driver.state.rhythm.learnedFixes = 255
        driver.state.rhythm.habit = Habit(rate: 255, expectedChanges: expectedBefore)
        driver.template.accuracyMeters = 6
        #expect(driver.send(210, at: seconds).signals.contains(.rhythm) == isMarked)
    }

    @Test(
        "equal steps count after 20 s if the usual difference was more than 0.35 m",
        arguments: [(37, 0.36, 0.0, false), (38, 0.36, 0, true), (38, 0.34, 0, false), (38, 0.36, 0.1, false)])
    func equalSteps(halfSeconds: UInt8, usual: Double, longer: Double, isMarked: Bool) {
        let driver = Self.device()
        driver.state.steps.learnedFixes = 255
        driver.state.steps.usualUnsteadiness = UInt16((log(usual) + 1.61) * 10_000)
        driver.state.steps.equalHalfSeconds = halfSeconds
        #expect(driver.send(210 + longer, at: 21).signals.contains(.equalSteps) == isMarked)
    }

    @Test("a drift is marked from 1.5 times its limit on", arguments: [-0.3, 0.3])
    func drift(beyond: Double) {
        let driver = Self.device()
        driver.state.drift.learnedFixes = 255
        driver.state.drift.usual = 0
        driver.state.drift.east = 0
        let limit = 1.5 * (12 + 2 * driver.state.learnedNoiseMeters(driver.detector.settings.smoothing))
        let share = 1.0 / 60
        driver.state.drift.north = Int16(((limit + beyond) * (1 + share + share * share / 2) * 10).rounded())
        #expect(driver.send(210, at: 21).signals.contains(.drift) == (beyond > 0))
    }

    @Test(
        "from 4 s on, a distance that requires more than 6 m/s² throughout is a jump",
        arguments: [(24.0, 142.0, false), (24, 148, true), (23.9, 200, false)])
    func acceleration(at seconds: Double, meters: Double, isJump: Bool) {
        let driver = Self.device()
        driver.template.speedMetersPerSecond = 10
        driver.template.accuracyMeters = 5
        // (10 m/s + 3 m/s² · 5 s) · 5 s, plus twice both accuracies.
        let result = driver.send(200 + meters, at: seconds)
        #expect((result.verdict == .rejected) == isJump)
        #expect(result.signals.contains(.acceleration) == isJump)
    }

    /// Returns the excess of constant unsteadiness; `recent` is in 1/40 neper above 0.2 m.
    private static func excess(
        recent: UInt8 = 120, usual: Double = 2, swerves: UInt8 = 255
    ) -> Double {
        var steps = DriverState.Steps()
        steps.recentUnsteadiness = recent
        steps.usualUnsteadiness = UInt16(usual * 10_000)
        steps.swerves = swerves
        steps.learnedFixes = 200
        steps.side = 2
        let change = exp(Double(recent) / 40 - 1.61) - 0.2
        return steps.learn(change: change, isLeft: true, UnsteadinessRule())
    }

    @Test("alternating steps are unsteady from 0.6 nepers above usual, up to the noise near high buildings")
    func unsteadiness() {
        #expect(Self.excess(usual: 2.39) > 0 && Self.excess(usual: 2.4) == 0)
        #expect(Self.excess(swerves: 131) > 0 && Self.excess(swerves: 130) == 0)
        #expect(Self.excess(recent: 172) > 0 && Self.excess(recent: 173) == 0)
    }

    @Test("a single outlier weighs little once the track continues; two outliers that agree weigh in full")
    func stray() {
        let driver = TestDriver()
        driver.drive(for: 20)
        #expect(driver.send(700, at: 20).verdict == .rejected)
        #expect(driver.state.risk.evidence == 3)
        driver.send(210, at: 21)
        #expect(driver.state.risk.evidence == 0 && driver.state.risk.ambiguousEvidence == 1.5)
        driver.send(700, at: 22)
        driver.send(710, at: 23)
        driver.send(240, at: 24)
        #expect(driver.state.risk.evidence > 4)
    }

    @Test("any number of single outliers makes no driver a suspect")
    func manyStray() {
        let driver = TestDriver()
        driver.drive(for: 20)
        for second in 20..<200 {
            let result = driver.send(Double(second) * 10 + (second % 5 == 0 ? 500 : 0), at: Double(second))
            #expect((result.verdict == .rejected) == (second % 5 == 0))
            #expect(result.risk < 0.7)
        }
    }
}
