import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection
@testable import Support

@Suite struct RiskTests {
    private let settings = TrackingSettings.Risk()

    @Test("a signal halves in 90 s")
    func halfLife() {
        var risk = DriverState.Risk()
        let start = TestDriver.start
        risk.add(3, at: start, settings)
        risk.fade(until: start.advanced(bySeconds: 90), settings)
        #expect(abs(risk.evidence - 1.5) < 1e-5)
    }

    @Test("no signal counts for more than 3, and all together for no more than the maximum")
    func caps() {
        var risk = DriverState.Risk()
        risk.add(50, at: TestDriver.start, settings)
        #expect(risk.evidence == 3)
        for _ in 0..<20 { risk.add(3, at: TestDriver.start, settings) }
        #expect(risk.evidence == 12)
    }

    @Test("a driver is flagged in the third window over 0.95, released under 0.3, and reviewed after five minutes")
    func states() {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.isMock = true
        var flaggedAt: Int?
        var actions: [LocationWarning.Action] = []
        for second in 20..<400 {
            let judgement = driver.send(Double(second) * 10, at: Double(second))
            if judgement.isFlagged, flaggedAt == nil { flaggedAt = second }
            actions += judgement.warnings.filter { $0.reason == .suspect }.map(\.action)
        }
        #expect(flaggedAt.map { (35...55).contains($0) } ?? false)
        #expect(actions == [.none, .flag, .review])
        driver.template.isMock = false
        var releasedAt: Int?
        for second in 400..<900 {
            let judgement = driver.send(Double(second) * 10, at: Double(second))
            #expect(judgement.verdict == .accepted)
            #expect(!judgement.isFlagged || !judgement.reasons.contains(.suspect))
            if !judgement.isFlagged, releasedAt == nil { releasedAt = second }
        }
        #expect(releasedAt.map { $0 < 650 } ?? false)
        #expect(driver.state.risk.evidence < 0.5 && driver.state.risk.windows == 0)
    }

    @Test("hints raise the risk a little, and lead to nothing, however low the limits are")
    func hints() {
        var settings = JudgedTrace.unlimited
        settings.risk.suspectRisk = 0.03
        settings.risk.flagRisk = 0.04
        settings.risk.releaseRisk = 0.02
        let driver = TestDriver(settings)
        var random = SeededGenerator(seed: 41)
        var risks: [Double] = []
        for second in 0..<200 {
            // From the hundredth fix on, intervals are as exact as no receiver of this kind makes them.
            let jitter = second < 100 ? 0.02 * Double.random(in: -1...1, using: &random) : 0
            let judgement = driver.send(Double(second) * 10 + 0.5 * random.normal(), at: Double(second) + jitter)
            if second < 104 { risks.append(judgement.risk) }
            if second < 104 { #expect(!judgement.reasons.contains(.suspect) && !judgement.isFlagged) }
        }
        #expect(risks[90] < 0.05 && risks[103] > risks[90] && risks[103] < 0.12)
    }

    @Test("one code warns once while it goes on, when it gets worse, and again after a minute of silence")
    func edges() {
        var warnings = DriverState.Warnings()
        // The first second of a window of half a minute.
        let start = Timestamp(milliseconds: 1_741_977_120_000)
        func raise(_ seconds: Double, _ action: LocationWarning.Action = .flag) -> Bool {
            let now = start.advanced(bySeconds: seconds)
            warnings.fade(until: now)
            return warnings.raise(.accuracyAnomaly, action, at: now)
        }
        let news = [raise(0), raise(1), raise(29), raise(30, .review), raise(31, .flag), raise(31, .none)]
        #expect(news == [true, false, false, true, false, false])
        #expect([raise(89.999, .review), raise(149.999, .review), raise(210, .review)] == [false, true, true])
        let isOther = warnings.raise(.mockLocation, .reject, at: start.advanced(bySeconds: 210))
        #expect(isOther)
    }

    @Test("an action falls when the more severe one has not been raised for half a minute to a minute")
    func falls() {
        var warnings = DriverState.Warnings()
        let start = Timestamp(milliseconds: 1_741_977_120_000)
        func raise(_ seconds: Double, _ action: LocationWarning.Action) -> Bool {
            let now = start.advanced(bySeconds: seconds)
            warnings.fade(until: now)
            return warnings.raise(.accuracyAnomaly, action, at: now)
        }
        #expect(raise(0, .none) && raise(1, .flag))
        for second in 2..<60 { #expect(!raise(Double(second), .none), "\(second)") }
        #expect(raise(60, .none))
        #expect(!raise(61, .none))
        #expect(raise(62, .flag))
    }
}
