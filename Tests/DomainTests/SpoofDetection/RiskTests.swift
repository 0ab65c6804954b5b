import TestSupport
import Testing

@testable import Domain
@testable import Support

@Suite struct RiskTests {
    private let settings = TrackingSettings.Risk()

    @Test("evidence halves in 90 s")
    func halfLife() {
        var risk = DriverState.Risk()
        let start = TestDriver.start
        risk.add(capped: 3, at: start, settings)
        risk.decay(until: start.advanced(bySeconds: 90), settings)
        #expect(abs(risk.evidence - 1.5) < 1e-5)
    }

    @Test("the sum of all evidence is limited to 12")
    func caps() {
        var risk = DriverState.Risk()
        for _ in 0..<20 { risk.add(capped: 3, at: TestDriver.start, settings) }
        #expect(risk.evidence == 12)
    }

    @Test("a driver is flagged in the third window above 0.95, released below 0.3, and reviewed after five minutes")
    func states() {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.isMock = true
        var flaggedAt: Int?
        var actions: [LocationWarning.Action] = []
        for second in 20..<400 {
            let result = driver.send(Double(second) * 10, at: Double(second))
            if result.isFlagged, flaggedAt == nil { flaggedAt = second }
            actions += result.warnings.filter { $0.reason == .suspect }.map(\.action)
        }
        #expect(flaggedAt.map { (35...55).contains($0) } ?? false)
        #expect(actions == [.none, .flag, .review])
        driver.template.isMock = false
        var releasedAt: Int?
        for second in 400..<900 {
            let result = driver.send(Double(second) * 10, at: Double(second))
            #expect(result.verdict == .accepted)
            #expect(!result.isFlagged || !result.reasons.contains(.suspect))
            if !result.isFlagged, releasedAt == nil { releasedAt = second }
        }
        #expect(releasedAt.map { $0 < 650 } ?? false)
        #expect(driver.state.risk.evidence < 0.5 && driver.state.risk.windows == 0)
    }

    @Test("hints raise the risk slightly and trigger no decision, however low the thresholds are")
    func hints() {
        var settings = TrackingSettings.unlimited
        settings.risk.suspectRisk = 0.03
        settings.risk.flagRisk = 0.04
        settings.risk.releaseRisk = 0.02
        let driver = TestDriver(settings)
        var random = SeededGenerator(seed: 41)
        var risks: [Double] = []
        for second in 0..<200 {
            // From fix 100 on, the intervals have no jitter.
            let jitter = second < 100 ? 0.02 * Double.random(in: -1...1, using: &random) : 0
            let result = driver.send(Double(second) * 10 + 0.5 * random.normal(), at: Double(second) + jitter)
            if second < 104 { risks.append(result.risk) }
            if second < 104 { #expect(!result.reasons.contains(.suspect) && !result.isFlagged) }
        }
        #expect(risks[90] < 0.05 && risks[103] > risks[90] && risks[103] < 0.12)
    }

    @Test("a code warns when it starts, when it gets more severe, and again after a minute without the code")
    func edges() {
        var warnings = DriverState.Warnings()
        // First second of a window of half a minute.
        let start = Timestamp(milliseconds: 1_741_977_120_000)
        func raise(_ seconds: Double, _ action: LocationWarning.Action = .flag) -> Bool {
            let now = start.advanced(bySeconds: seconds)
            warnings.expire(until: now)
            return warnings.raise(.accuracyAnomaly, action, at: now)
        }
        let warns = [raise(0), raise(1), raise(29), raise(30, .review), raise(31, .flag), raise(31, .none)]
        #expect(warns == [true, false, false, true, false, false])
        #expect([raise(89.999, .review), raise(149.999, .review), raise(210, .review)] == [false, true, true])
        let warnsOfOther = warnings.raise(.mockLocation, .reject, at: start.advanced(bySeconds: 210))
        #expect(warnsOfOther)
    }

    @Test("an action falls when the more severe action was not raised for half a minute to a minute")
    func falls() {
        var warnings = DriverState.Warnings()
        let start = Timestamp(milliseconds: 1_741_977_120_000)
        func raise(_ seconds: Double, _ action: LocationWarning.Action) -> Bool {
            let now = start.advanced(bySeconds: seconds)
            warnings.expire(until: now)
            return warnings.raise(.accuracyAnomaly, action, at: now)
        }
        #expect(raise(0, .none) && raise(1, .flag))
        for second in 2..<60 { #expect(!raise(Double(second), .none), "\(second)") }
        #expect(raise(60, .none))
        #expect(!raise(61, .none))
        #expect(raise(62, .flag))
    }
}
