import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection

/// Which signals a risk is said to be from.
@Suite struct RiskSignalTests {
    @Test("a mocked device's risk is from its mock flag, and goes on being so while it fades")
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

    @Test("a jump's risk is from the jump, and once it is a relocation from both")
    func jump() {
        let driver = TestDriver()
        driver.drive(for: 20)
        let judgements = (0..<5).map { driver.send(9000 + Double($0) * 10, at: 20 + Double($0)) }
        #expect(judgements.prefix(3).allSatisfy { $0.riskSignals == [.jump] })
        #expect(judgements.suffix(2).allSatisfy { $0.riskSignals == [.jump, .relocation] })
    }

    @Test("an honest driver's fixes name no signal, and nor does a single stray fix once the track goes on")
    func honest() {
        let driver = TestDriver()
        driver.drive(for: 20)
        #expect(driver.send(700, at: 20).riskSignals == [.jump])
        for second in 21..<60 { #expect(driver.send(Double(second) * 10, at: Double(second)).riskSignals.isEmpty) }
    }

    @Test("a risk is explained from 0.2 on", arguments: [(2.5, false), (2.62, true)])
    func threshold(evidence: Double, isExplained: Bool) {
        let driver = TestDriver()
        let settings = driver.judge.settings.risk
        var state = DriverState()
        state.blame(.drift, capped: evidence, at: TestDriver.start, settings)
        let risk = state.risk.probability(settings)
        #expect((risk >= 0.2) == isExplained)
        #expect(state.signals(explaining: risk, settings) == (isExplained ? [.drift] : []))
        #expect(driver.judge.refuse(at: TestDriver.start, state: state).riskSignals == (isExplained ? [.drift] : []))
    }

    @Test("of many signals the three that weigh most are told")
    func three() {
        let settings = TrackingSettings.Risk()
        var state = DriverState()
        for (signal, weight) in [(Signals.jump, 1.0), (.drift, 0.5), (.rhythm, 0.75), (.equalSteps, 3), (.jump, 1)] {
            state.blame(signal, capped: weight, at: TestDriver.start, settings)
        }
        #expect(state.causes.main == [.jump, .rhythm, .equalSteps])
        // A fifth takes the place of the least.
        state.blame(.device, capped: 0.25, at: TestDriver.start, settings)
        #expect(state.causes.main == [.jump, .rhythm, .equalSteps])
        state.blame(.device, capped: 3, at: TestDriver.start, settings)
        #expect(state.causes.main == [.jump, .device, .equalSteps])
    }

    @Test("what has faded gives way to what is new")
    func fading() {
        let settings = TrackingSettings.Risk()
        var state = DriverState()
        for signal in [Signals.jump, .relocation, .repeatedTrack, .equalSteps] {
            state.blame(signal, capped: 3, at: TestDriver.start, settings)
        }
        // After six half-lives 12 units are less than a quarter of one.
        let later = TestDriver.start.advanced(bySeconds: 540)
        state.risk.fade(until: later, settings)
        state.blame(.device, capped: 3, at: later, settings)
        state.blame(.rhythm, capped: 0.5, at: later, settings)
        #expect(state.causes.main.isSuperset(of: [.device, .rhythm]))
    }

    @Test("weights taken back leave no signal behind")
    func withdrawn() {
        let settings = TrackingSettings.Risk()
        var state = DriverState()
        state.blame(.jump, capped: 3, at: TestDriver.start, settings)
        state.withdraw(.jump, 3)
        #expect(state.causes == DriverState.Causes() && state.risk.evidence == 0)
    }

    @Test("every signal has a code of its own, and the codes stand once in the list")
    func codes() {
        #expect(Set(Signals.all.map { "\($0.code)" }).count == Signals.all.count)
        #expect(Set(Signals.all.map(\.value)).count == Signals.all.count)
        #expect(Signals.all.allSatisfy { $0.value.rawValue.nonzeroBitCount == 1 })
    }

    @Test("numbers of no signal, as in damaged states, name none", arguments: [UInt32(0xffff_ffff), 0x2122_2324])
    func damaged(signals: UInt32) {
        var causes = DriverState.Causes(signals: signals, weights: 0x0101_0101)
        #expect(causes.main.rawValue.nonzeroBitCount <= 3)
        causes.settle(evidence: 0)
        #expect(causes == DriverState.Causes())
    }
}
