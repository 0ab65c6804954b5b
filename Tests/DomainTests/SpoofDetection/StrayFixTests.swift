import TestSupport
import Testing

@testable import Domain

/// Evidence of single outliers.
@Suite struct StrayFixTests {
    /// Returns a moving driver with evidence of another signal.
    private static func driver(evidence: Float) -> TestDriver {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.state.risk.evidence = evidence
        driver.state.risk.at = ShortTime(driver.state.seenAt)
        return driver
    }

    @Test(
        "two jumps that cancel out still add evidence, and make no driver a suspect",
        arguments: [(0, 0), (1, 2.5), (2, 3.5), (3.4, 4.8), (4.7, 4.8)] as [(Float, Float)])
    func cancelling(before: Float, after: Float) {
        let driver = Self.driver(evidence: before)
        #expect(driver.send(700, at: 20).verdict == .rejected)
        let result = driver.send(210, at: 21)
        // The evidence decays by 1.5 % in two seconds.
        #expect(abs(driver.state.risk.evidence - after) < 0.06)
        #expect(result.risk < 0.7)
        #expect(driver.state.risk.ambiguousEvidence == (before == 0 ? 1.5 : 0))
    }

    @Test("earlier evidence stays when a decayed jump is removed", arguments: [2.0, 30, 200])
    func faded(seconds: Double) {
        let driver = Self.driver(evidence: 6)
        driver.send(700, at: 20)
        // Stream time advances while the jump is pending.
        var state = driver.state
        state.decayEvidence(until: TestDriver.start.advanced(bySeconds: 20 + seconds), TrackingSettings.Risk())
        let evidence = state.jump.evidence
        let before = state.risk.evidence
        state.removeJumpEvidence()
        // A third was the jump's; the other evidence had decayed for a second before.
        #expect(abs(Double(state.risk.evidence) - Double(before) * 2 / 3) < 0.02)
        #expect(evidence > 0 && state.jump.evidence == 0)
    }

    @Test("removing a jump at the maximum evidence removes only the evidence that the jump added")
    func saturated() {
        let driver = Self.driver(evidence: 12)
        driver.send(700, at: 20)
        driver.send(210, at: 21)
        #expect(driver.state.risk.evidence > 11.6)
    }

    @Test("a second outlier at another position keeps the evidence of the first outlier")
    func twoPositions() {
        let driver = Self.driver(evidence: 0)
        driver.send(900, at: 20)
        driver.send(-700, at: 21)
        driver.send(220, at: 22)
        #expect(driver.state.risk.evidence > 2.9)
    }

    @Test("outliers never reduce the evidence")
    func never() {
        let seed: UInt64 = 81
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let evidence = Float.random(in: 0...12, using: &random)
            let (straying, steady) = (Self.driver(evidence: evidence), Self.driver(evidence: evidence))
            for second in 20..<40 {
                let isAstray = Int.random(in: 0..<3, using: &random) == 0
                let offset = isAstray ? Double.random(in: -2000...2000, using: &random) : 0
                straying.send(Double(second) * 10, offset, at: Double(second))
                steady.send(Double(second) * 10, at: Double(second))
                let isUndecided = straying.state.jump.fixes > 0
                #expect(
                    isUndecided || straying.state.risk.evidence >= steady.state.risk.evidence - 0.01,
                    "seed \(seed), round \(round), second \(second)")
            }
        }
    }
}
