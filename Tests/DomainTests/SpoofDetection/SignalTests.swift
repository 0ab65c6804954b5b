import Testing

@testable import Domain
@testable import Evaluation

@Suite struct SignalTests {
    @Test("a mock fix is rejected, raises the risk, and gives one warning")
    func mock() {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.isMock = true
        let results = (20..<30).map { driver.send(Double($0) * 10, at: Double($0)) }
        #expect(results.allSatisfy { $0.verdict == .rejected && $0.reasons.contains(.mockLocation) })
        #expect(results.allSatisfy { $0.estimate == nil })
        let warnings = results.flatMap(\.warnings).filter { $0.reason == .mockLocation }
        #expect(warnings.map(\.action) == [.reject])
        #expect(results[9].risk > 0.95)
        driver.template.isMock = false
        #expect(driver.send(300, at: 30).verdict == .accepted)
    }

    @Test("failed integrity marks the fix and gives a warning; a setting rejects the fix", arguments: [true, false])
    func integrity(rejects: Bool) {
        var settings = TrackingSettings.unlimited
        settings.rules.deviceIntegrity.rejects = rejects
        let driver = TestDriver(settings)
        driver.template.integrity = .failed
        let result = driver.send(0, at: 0)
        #expect(result.verdict == (rejects ? .rejected : .accepted))
        #expect(result.reasons.contains(.deviceIntegrity))
        #expect(result.warnings.map(\.action) == [rejects ? .reject : .flag])
    }

    /// Returns the results of a drive with a constant accuracy and the given altitudes and speeds.
    private func results(
        _ count: Int, step: Double = 10, altitude: (Int) -> Double?, speed: (Int) -> Double?
    ) -> [VerdictResult] {
        let driver = TestDriver()
        return (0..<count).map { index in
            driver.template.altitudeMeters = altitude(index)
            driver.template.speedMetersPerSecond = speed(index)
            return driver.send(Double(index) * step, at: Double(index))
        }
    }

    @Test("frozen accuracy and altitude are an anomaly from the twentieth moving fix on")
    func frozenFields() {
        let results = results(30, altitude: { _ in 33 }, speed: { 10 + Double($0 % 5) / 10 })
        // The first fix does not count, because it has no movement.
        #expect(results.firstIndex { $0.reasons.contains(.accuracyAnomaly) } == 20)
        #expect(results.flatMap(\.warnings).filter { $0.reason == .accuracyAnomaly }.map(\.action) == [.flag])
    }

    @Test("with a frozen speed, the frozen fields are an anomaly from the tenth fix on, and flag the driver")
    func frozenSpeed() {
        let results = results(60, altitude: { _ in 33 }, speed: { _ in 10 })
        #expect(results.firstIndex { $0.reasons.contains(.accuracyAnomaly) } == 10)
        #expect(results[59].isFlagged)
    }

    @Test("a missing, changing or zero altitude and a stationary vehicle do not count as frozen")
    func unfrozen() {
        for altitude in [nil, 0.0] {
            #expect(results(60, altitude: { _ in altitude }, speed: { _ in 10 }).allSatisfy { $0.reasons.isEmpty })
        }
        #expect(results(60, step: 0, altitude: { _ in 33 }, speed: { _ in 0 }).allSatisfy { $0.reasons.isEmpty })
        #expect(results(60, altitude: { Double($0 % 19) }, speed: { _ in 10 }).allSatisfy { $0.reasons.isEmpty })
    }

    @Test("an accuracy of 0 gives a warning at the fifth fix, with no action and hardly any risk")
    func zeroAccuracy() {
        let driver = TestDriver()
        driver.template.accuracyMeters = nil
        driver.template.hasZeroAccuracy = true
        let results = (0..<8).map { driver.send(Double($0) * 10, at: Double($0)) }
        #expect(results.allSatisfy { $0.verdict == .accepted && $0.reasons.isEmpty && $0.risk < 0.05 })
        #expect(results.map(\.warnings.count) == [0, 0, 0, 0, 1, 0, 0, 0])
        #expect(results[4].warnings.map(\.action) == [.none])
    }

    @Test(
        "a reported speed that contradicts the driven distance is an anomaly, in either direction",
        arguments: [(20.0, 20.0, false), (20, 24, false), (20, 0.6, true), (20, 35, true), (0.1, 15, true)])
    func speeds(real: Double, reported: Double, isAnomaly: Bool) {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = reported
        let results = (0..<60).map { driver.send(Double($0) * real, at: Double($0)) }
        #expect(results.contains { $0.reasons.contains(.kinematicAnomaly) } == isAnomaly)
        #expect(results.allSatisfy { $0.verdict == .accepted })
    }

    @Test("with steps of 10 s, a contradicting speed gives less risk if a window requires three fixes instead of two")
    func longSteps() {
        func risk(windowFixes: Int) -> Double {
            var settings = TrackingSettings.unlimited
            settings.rules.speedContradiction.windowFixes = windowFixes
            let driver = TestDriver(settings)
            return (0..<60).reduce(0) { risk, index in
                driver.template.speedMetersPerSecond = index % 2 == 0 ? 0.6 : 0.7
                return max(risk, driver.send(Double(index) * 200, at: Double(index) * 10).risk)
            }
        }
        #expect(risk(windowFixes: 3) < risk(windowFixes: 2))
    }

    @Test("a simulated drive gives no anomaly")
    func honestDrive() {
        let drive = SimulatedDrive(seed: 21, seconds: 1800)
        let driver = TestDriver()
        for fix in SimulatedReceiver.fixes(along: drive, sigmaMeters: 5, seed: 22) {
            let result = driver.evaluate(fix)
            #expect(result.verdict == .accepted && result.reasons.isEmpty, "seeds 21, 22")
        }
    }
}
