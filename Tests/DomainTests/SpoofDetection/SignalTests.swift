import Testing

@testable import Evaluation
@testable import Model
@testable import SpoofDetection

@Suite struct SignalTests {
    @Test("a mock fix is rejected and raises the risk; the warning comes once")
    func mock() {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.isMock = true
        let judgements = (20..<30).map { driver.send(Double($0) * 10, at: Double($0)) }
        #expect(judgements.allSatisfy { $0.verdict == .rejected && $0.reasons.contains(.mockLocation) })
        #expect(judgements.allSatisfy { $0.estimate == nil })
        let warnings = judgements.flatMap(\.warnings).filter { $0.reason == .mockLocation }
        #expect(warnings.map(\.action) == [.reject])
        #expect(judgements[9].risk > 0.95)
        driver.template.isMock = false
        #expect(driver.send(300, at: 30).verdict == .accepted)
    }

    @Test("failed integrity marks and raises the risk; a setting makes it reject", arguments: [true, false])
    func integrity(rejects: Bool) {
        var settings = JudgedTrace.unlimited
        settings.rules.deviceIntegrity.rejects = rejects
        let driver = TestDriver(settings)
        driver.template.integrity = .failed
        let judgement = driver.send(0, at: 0)
        #expect(judgement.verdict == (rejects ? .rejected : .accepted))
        #expect(judgement.reasons.contains(.deviceIntegrity))
        #expect(judgement.warnings.map(\.action) == [rejects ? .reject : .flag])
    }

    /// Drives on with a fixed accuracy, and an altitude and speed of choice.
    private func judgements(
        _ count: Int, step: Double = 10, altitude: (Int) -> Double?, speed: (Int) -> Double?
    ) -> [VerdictResult] {
        let driver = TestDriver()
        return (0..<count).map { index in
            driver.template.altitudeMeters = altitude(index)
            driver.template.speedMetersPerSecond = speed(index)
            return driver.send(Double(index) * step, at: Double(index))
        }
    }

    @Test("accuracy and altitude frozen are an anomaly from the twentieth moving fix on")
    func frozenFields() {
        let judgements = judgements(30, altitude: { _ in 33 }, speed: { 10 + Double($0 % 5) / 10 })
        // The first fix does not move yet.
        #expect(judgements.firstIndex { $0.reasons.contains(.accuracyAnomaly) } == 20)
        #expect(judgements.flatMap(\.warnings).filter { $0.reason == .accuracyAnomaly }.map(\.action) == [.flag])
    }

    @Test("with the speed frozen too, from the tenth on, and the driver is flagged soon after")
    func frozenSpeed() {
        let judgements = judgements(60, altitude: { _ in 33 }, speed: { _ in 10 })
        #expect(judgements.firstIndex { $0.reasons.contains(.accuracyAnomaly) } == 10)
        #expect(judgements[59].isFlagged)
    }

    @Test("no altitude, an altitude of 0, or standing still freezes nothing")
    func unfrozen() {
        for altitude in [nil, 0.0] {
            #expect(judgements(60, altitude: { _ in altitude }, speed: { _ in 10 }).allSatisfy { $0.reasons.isEmpty })
        }
        #expect(judgements(60, step: 0, altitude: { _ in 33 }, speed: { _ in 0 }).allSatisfy { $0.reasons.isEmpty })
        #expect(judgements(60, altitude: { Double($0 % 19) }, speed: { _ in 10 }).allSatisfy { $0.reasons.isEmpty })
    }

    @Test("an accuracy of 0 is warned about at the fifth, with no action and hardly any risk")
    func zeroAccuracy() {
        let driver = TestDriver()
        driver.template.accuracyMeters = nil
        driver.template.hasZeroAccuracy = true
        let judgements = (0..<8).map { driver.send(Double($0) * 10, at: Double($0)) }
        #expect(judgements.allSatisfy { $0.verdict == .accepted && $0.reasons.isEmpty && $0.risk < 0.05 })
        #expect(judgements.map(\.warnings.count) == [0, 0, 0, 0, 1, 0, 0, 0])
        #expect(judgements[4].warnings.map(\.action) == [.none])
    }

    @Test(
        "a reported speed that contradicts the way made is an anomaly, in either direction",
        arguments: [(20.0, 20.0, false), (20, 24, false), (20, 0.6, true), (20, 35, true), (0.1, 15, true)])
    func speeds(real: Double, reported: Double, isAnomaly: Bool) {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = reported
        let judgements = (0..<60).map { driver.send(Double($0) * real, at: Double($0)) }
        #expect(judgements.contains { $0.reasons.contains(.kinematicAnomaly) } == isAnomaly)
        #expect(judgements.allSatisfy { $0.verdict == .accepted })
    }

    @Test("a single step of 10 s, of which only the speed at its end is known, contradicts nothing")
    func singleStep() {
        func risk(windowFixes: Int) -> Double {
            var settings = JudgedTrace.unlimited
            settings.rules.speedContradiction.windowFixes = windowFixes
            let driver = TestDriver(settings)
            return (0..<60).reduce(0) { risk, index in
                driver.template.speedMetersPerSecond = index % 2 == 0 ? 0.6 : 0.7
                return max(risk, driver.send(Double(index) * 200, at: Double(index) * 10).risk)
            }
        }
        #expect(risk(windowFixes: 3) < risk(windowFixes: 2))
    }

    @Test("a roundabout contradicts nothing")
    func roundabout() {
        let drive = SimulatedDrive(seed: 21, seconds: 1800)
        let driver = TestDriver()
        for fix in SimulatedReceiver.fixes(along: drive, sigmaMeters: 5, seed: 22) {
            let judgement = driver.judge(fix)
            #expect(judgement.verdict == .accepted && judgement.reasons.isEmpty, "seeds 21, 22")
        }
    }
}
