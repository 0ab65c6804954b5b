import Testing

@testable import Domain
@testable import Support

@Suite("State kept through a driver's silence")
struct FlaggedSilenceTests {
    /// Returns a driver flagged for mocked positions, with its last fix in second 79.
    private func flagged() -> TestDriver {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.isMock = true
        for second in 20..<80 { driver.send(Double(second) * 10, at: Double(second)) }
        driver.template.isMock = false
        #expect(driver.state.risk.isFlagged)
        return driver
    }

    @Test(
        "a flag outlasts a silence of fifteen minutes, the rest of the state a silence of five",
        arguments: [
            (200.0, true, true), (300, true, true), (300.001, true, false), (600, true, false), (900, true, false),
            (900.001, false, false),
        ])
    func flag(silence: Double, isFlagged: Bool, isKnown: Bool) {
        let driver = flagged()
        let flaggedAt = driver.state.risk.flaggedAt
        let result = driver.send(800, at: 79 + silence)
        #expect(result.isFlagged == isFlagged)
        #expect(result.reasons.contains(.flagged) == isFlagged)
        #expect((driver.state.risk.flaggedAt == flaggedAt) == isFlagged, "the time until a review counts from the flag")
        // Habits are discarded with the rest of the state.
        #expect((driver.state.fields.learnedFixes > 1) == isKnown)
    }

    @Test("after a silence, fixes without a spoof signal end a flag")
    func release() {
        let driver = flagged()
        driver.send(800, at: 679)
        var releasedAt: Int?
        for second in 680..<1000 {
            let result = driver.send(Double(second - 600) * 10, at: Double(second))
            if !result.isFlagged, releasedAt == nil { releasedAt = second }
        }
        #expect(releasedAt.map { (690..<900).contains($0) } ?? false, "\(releasedAt ?? 0)")
    }

    @Test("evidence of a flagged driver decays for at most a minute of a silence")
    func fading() {
        let settings = TrackingSettings.Risk()
        let start = TestDriver.start
        for (isFlagged, seconds, halfLives) in [
            (true, 59.0, 59.0 / 90), (true, 60, 60.0 / 90), (true, 61, 60.0 / 90), (false, 61, 61.0 / 90),
        ] {
            var risk = DriverState.Risk()
            risk.add(capped: 3, at: start, settings)
            risk.isFlagged = isFlagged
            risk.decay(until: start.advanced(bySeconds: seconds), settings)
            #expect(abs(Double(risk.evidence) - 3 * Elementary.exp2(-halfLives)) < 1e-5, "\(isFlagged) \(seconds)")
        }
    }

    @Test("a relocation's evidence keeps its minimum through a silence until the hold ends")
    func hold() {
        let settings = TrackingSettings()
        for (silence, isKept) in [(299.0, true), (301, true), (780, true), (961, false)] {
            let driver = TestDriver()
            driver.drive(for: 60)
            let now = driver.state.seenAt
            driver.state.risk.evidence = 6
            driver.state.risk.at = ShortTime(now)
            driver.state.risk.hold(isRelocation: true, at: now, settings.risk)
            driver.send(600, at: 59 + silence)
            #expect((driver.state.risk.evidence >= Float(settings.risk.heldEvidence)) == isKept, "\(silence)")
        }
    }

    @Test("the evidence of a driver without flag or hold is discarded after a silence of five minutes")
    func evidence() {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.state.risk.evidence = 12
        driver.state.risk.at = ShortTime(driver.state.seenAt)
        driver.send(200, at: 19 + 300.001)
        #expect(driver.state.risk == DriverState.Risk())
    }
}
