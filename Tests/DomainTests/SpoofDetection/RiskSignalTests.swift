import TestSupport
import Testing

@testable import Domain

/// Signals that are reported as the source of a risk.
@Suite struct RiskSignalTests {
    @Test("a mocked device's risk is attributed to its mock flag, also while it decays")
    func mocked() {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.isMock = true
        for second in 20..<24 {
            #expect(driver.send(Double(second) * 10, at: Double(second)).riskSignals == [.device])
        }
        driver.template.isMock = false
        var last = VerdictResult(verdict: .accepted, fixedAt: TestDriver.start)
        for second in 24..<280 {
            last = driver.send(Double(second) * 10, at: Double(second))
            #expect(last.riskSignals == (last.risk >= 0.2 ? [.device] : []), "second \(second), risk \(last.risk)")
        }
        #expect(last.riskSignals.isEmpty)
    }

    @Test("a jump's risk is attributed to the jump, and after a relocation to both")
    func jump() {
        let driver = TestDriver()
        driver.drive(for: 20)
        let results = (0..<5).map { driver.send(9000 + Double($0) * 10, at: 20 + Double($0)) }
        #expect(results.prefix(3).allSatisfy { $0.riskSignals == [.jump] })
        #expect(results.suffix(2).allSatisfy { $0.riskSignals == [.jump, .relocation] })
    }

    @Test("an honest driver's fixes report no signal; an outlier reports a jump, and later fixes report no signal")
    func honest() {
        let driver = TestDriver()
        driver.drive(for: 20)
        #expect(driver.send(700, at: 20).riskSignals == [.jump])
        for second in 21..<60 { #expect(driver.send(Double(second) * 10, at: Double(second)).riskSignals.isEmpty) }
    }

    @Test("signals are reported from a risk of 0.2 on", arguments: [(2.5, false), (2.62, true)])
    func threshold(evidence: Double, isReported: Bool) {
        let driver = TestDriver()
        let settings = driver.detector.settings.risk
        var state = DriverState()
        state.addEvidence(.drift, capped: evidence, at: TestDriver.start, settings)
        let risk = state.risk.probability(settings)
        #expect((risk >= 0.2) == isReported)
        #expect(state.signals(explaining: risk, settings) == (isReported ? [.drift] : []))
        #expect(
            driver.detector.rejectUnknownReceipt(at: TestDriver.start, state: state).riskSignals
                == (isReported ? [.drift] : []))
    }

    @Test("the three signals with the largest weights are reported")
    func three() {
        let settings = TrackingSettings.Risk()
        var state = DriverState()
        for (signal, weight) in [(Signals.jump, 1.0), (.drift, 0.5), (.rhythm, 0.75), (.equalSteps, 3), (.jump, 1)] {
            state.addEvidence(signal, capped: weight, at: TestDriver.start, settings)
        }
        #expect(state.topSignals.strongest == [.jump, .rhythm, .equalSteps])
        // A fifth signal replaces the smallest one if its weight is larger.
        state.addEvidence(.device, capped: 0.25, at: TestDriver.start, settings)
        #expect(state.topSignals.strongest == [.jump, .rhythm, .equalSteps])
        state.addEvidence(.device, capped: 3, at: TestDriver.start, settings)
        #expect(state.topSignals.strongest == [.jump, .device, .equalSteps])
    }

    @Test("decayed signals are replaced by new signals")
    func fading() {
        let settings = TrackingSettings.Risk()
        var state = DriverState()
        for signal in [Signals.jump, .relocation, .repeatedTrack, .equalSteps] {
            state.addEvidence(signal, capped: 3, at: TestDriver.start, settings)
        }
        // After six half-lives, evidence of 12 is less than a quarter.
        let later = TestDriver.start.advanced(bySeconds: 540)
        state.risk.decay(until: later, settings)
        state.addEvidence(.device, capped: 3, at: later, settings)
        state.addEvidence(.rhythm, capped: 0.5, at: later, settings)
        #expect(state.topSignals.strongest.isSuperset(of: [.device, .rhythm]))
    }

    @Test("removed weights leave no signal")
    func removed() {
        let settings = TrackingSettings.Risk()
        var state = DriverState()
        state.addEvidence(.jump, capped: 3, at: TestDriver.start, settings)
        state.removeEvidence(.jump, 3)
        #expect(state.topSignals == DriverState.TopSignals() && state.risk.evidence == 0)
    }

    @Test("every signal has its own code, and the list contains each code once")
    func codes() {
        #expect(Set(Signals.all.map { "\($0.code)" }).count == Signals.all.count)
        #expect(Set(Signals.all.map(\.value)).count == Signals.all.count)
        #expect(Signals.all.allSatisfy { $0.value.rawValue.nonzeroBitCount == 1 })
    }

    @Test("invalid signal numbers in damaged states do not trap", arguments: [UInt32(0xffff_ffff), 0x2122_2324])
    func damaged(signals: UInt32) {
        var top = DriverState.TopSignals(signals: signals, weights: 0x0101_0101)
        #expect(top.strongest.rawValue.nonzeroBitCount <= 3)
        top.scale(toEvidence: 0)
        #expect(top == DriverState.TopSignals())
    }
}
