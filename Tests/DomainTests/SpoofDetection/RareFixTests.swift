import TestSupport
import Testing

@testable import Domain

/// Devices with intervals over ten seconds, as in many delivery fleets; such intervals are not gaps.
@Suite struct RareFixTests {
    /// Driver whose device sends a fix every `interval` seconds, with realistic fields.
    private final class Device {
        let driver = TestDriver()
        let interval: Double
        private var random: SeededGenerator
        private(set) var seconds = 0.0
        private var east = 0.0

        init(every interval: Double, seed: UInt64 = 41) {
            self.interval = interval
            random = SeededGenerator(seed: seed)
        }

        /// Drives on for `count` fixes at 4 to 16 m/s; `change` may modify each.
        @discardableResult
        func drive(for count: Int, _ change: (inout Fix, Int) -> Void = { _, _ in }) -> [VerdictResult] {
            (0..<count).map { index in
                let speed = 10 + 6 * Double.random(in: -1...1, using: &random)
                east += speed * interval
                seconds += interval + 0.02 * Double.random(in: -1...1, using: &random)
                driver.template.accuracyMeters = (4 + Double.random(in: -1...1, using: &random))
                driver.template.altitudeMeters = 20 + Double.random(in: -1...1, using: &random)
                driver.template.speedMetersPerSecond = 10 + 6 * Double.random(in: -1...1, using: &random)
                driver.template.headingDegrees = 90
                var fix = driver.fix(east, at: seconds)
                change(&fix, index)
                return driver.evaluate(fix)
            }
        }

        func keepSilent(for seconds: Double) { self.seconds += seconds }
    }

    @Test("an honest device gives no signal", arguments: [15.0, 20, 30, 60])
    func honest(interval: Double) {
        let results = Device(every: interval).drive(for: 300)
        #expect(results.allSatisfy { $0.reasons.isEmpty && $0.signals.isEmpty && $0.risk < 0.3 })
    }

    @Test("a frozen reported speed flags a driver", arguments: [15.0, 20, 30])
    func hardCodedSpeed(interval: Double) throws {
        let device = Device(every: interval)
        device.drive(for: 20)
        let results = device.drive(for: 20) { fix, _ in fix.speedMetersPerSecond = 5 }
        let flagged = try #require(results.firstIndex { $0.isFlagged })
        #expect((6...14).contains(flagged))
        #expect(results[flagged].riskSignals.contains(.overdueSpeed))
    }

    @Test("frozen fields flag a driver", arguments: [15.0, 20, 30])
    func frozenFields(interval: Double) {
        let device = Device(every: interval)
        device.drive(for: 20)
        let results = device.drive(for: 20) { fix, _ in
            fix.accuracyMeters = 5
            fix.altitudeMeters = 30
            fix.speedMetersPerSecond = 12
        }
        #expect(results.contains { $0.isFlagged })
    }

    @Test(
        "a bus that is halted at seven consecutive fixes and drives in between gives no signal", arguments: [20.0, 120])
    func standingAtEachFix(interval: Double) {
        let device = Device(every: interval)
        device.drive(for: 30)
        let results = device.drive(for: 7) { fix, _ in fix.speedMetersPerSecond = 0 } + device.drive(for: 3)
        #expect(results.allSatisfy { $0.verdict == .accepted && $0.signals.isEmpty && $0.risk < 0.3 })
    }

    @Test("a parked bus whose position wanders, and that then drives off, gives no signal")
    func parked() {
        let device = Device(every: 120)
        device.drive(for: 30)
        let place = device.driver.plane.point(of: device.driver.state.lastAccepted.point.coordinate)
        let parked = device.drive(for: 20) { fix, index in
            fix.coordinate = device.driver.plane.coordinate(
                of: .init(east: place.east + Double(index % 2) * 4, north: 0))
            fix.speedMetersPerSecond = 0
        }
        let leaving = device.driver.evaluate(
            {
                var fix = device.driver.fix(place.east + 900, at: device.seconds + 120)
                fix.speedMetersPerSecond = 0
                return fix
            }())
        #expect((parked + [leaving]).allSatisfy { $0.signals.isEmpty && $0.risk < 0.3 })
    }

    @Test(
        "a time of up to two and a half intervals between fixes is not a gap for habits, a longer time is",
        arguments: [(29.0, true), (31, false)])
    func gap(extraSeconds: Double, isContinued: Bool) {
        let device = Device(every: 20)
        device.drive(for: 20)
        let learnedFixes = device.driver.state.fields.learnedFixes
        device.keepSilent(for: extraSeconds)
        device.drive(for: 1)
        #expect(device.driver.state.fields.learnedFixes == learnedFixes + (isContinued ? 1 : 0))
    }

    @Test("a tunnel does not change the usual interval much")
    func tunnel() {
        let device = Device(every: 1)
        device.drive(for: 60)
        #expect(device.driver.state.steps.intervalSeconds == 1)
        device.keepSilent(for: 250)
        device.drive(for: 1)
        #expect(device.driver.state.steps.intervalSeconds == 2)
        #expect(!device.driver.state.reportsRarely(device.driver.detector.settings))
        device.drive(for: 2)
        #expect(device.driver.state.steps.intervalSeconds == 1)
    }

    @Test("the usual interval follows a device that changes its interval")
    func change() {
        var steps = DriverState.Steps()
        steps.learnInterval(0)
        #expect(steps.intervalSeconds == 0)
        steps.learnInterval(1)
        for _ in 0..<20 { steps.learnInterval(30) }
        #expect(steps.intervalSeconds == 30)
        for _ in 0..<40 { steps.learnInterval(900) }
        #expect(steps.intervalSeconds == 255)
        for _ in 0..<30 { steps.learnInterval(0.1) }
        #expect(steps.intervalSeconds == 1)
    }

    @Test("the time between two sessions is not an interval")
    func session() {
        let device = Device(every: 1)
        device.drive(for: 60)
        device.driver.template.sessionHash = 7
        device.keepSilent(for: 250)
        device.drive(for: 1)
        #expect(device.driver.state.steps.intervalSeconds == 0)
        device.drive(for: 1)
        #expect(device.driver.state.steps.intervalSeconds == 1)
    }

    @Test("a frozen heading is marked and makes the driver a suspect")
    func frozenHeading() {
        let device = Device(every: 20)
        var random = SeededGenerator(seed: 43)
        device.drive(for: 30) { fix, _ in fix.headingDegrees = 90 + Double.random(in: -3...3, using: &random) }
        let results = device.drive(for: 20) { fix, _ in fix.headingDegrees = 90.25 }
        #expect(results.contains { $0.signals.contains(.overdueHeading) })
        #expect(results.contains { $0.risk > 0.7 })
    }

    @Test("a state restored after each fix gives the same results")
    func restored() throws {
        let (whole, restored) = (Device(every: 20), Device(every: 20))
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: DriverState.maximumEncodedByteCount, alignment: 8)
        defer { memory.deallocate() }
        for index in 0..<60 {
            let freeze = { (fix: inout Fix, _: Int) in if index > 30 { fix.speedMetersPerSecond = 5 } }
            let (actual, expected) = (restored.drive(for: 1, freeze)[0], whole.drive(for: 1, freeze)[0])
            #expect(actual.risk == expected.risk && actual.signals == expected.signals, "fix \(index)")
            #expect(restored.driver.state == whole.driver.state, "fix \(index)")
            let count = restored.driver.state.encode(into: memory)
            restored.driver.state = try #require(
                DriverState(decoding: UnsafeRawBufferPointer(rebasing: memory[..<count])))
        }
        #expect(whole.driver.state.risk.isFlagged)
    }

    @Test(
        "evidence of a broken habit counts per second up to 1, and up to 3 on devices with long intervals",
        arguments: [(0, 0.1, 0.1), (1, 200, 1), (10, 10, 1), (11, 11, 1.2), (15, 15, 2), (20, 20, 3), (255, 255, 3)])
    func evidence(interval: UInt8, seconds: Double, counted: Double) {
        let driver = TestDriver()
        driver.send(0, at: 0)
        var context = FixContext(
            fix: driver.fix(10, at: seconds), receivedAt: TestDriver.start, streamTime: TestDriver.start,
            driver: driver.state)
        context.at = TestDriver.start.advanced(bySeconds: seconds)
        context.driver.steps.intervalSeconds = interval
        #expect(abs(context.habitEvidence(driver.detector.settings) - counted) < 0.01)
        #expect(context.evidenceSeconds <= 1)
    }
}
