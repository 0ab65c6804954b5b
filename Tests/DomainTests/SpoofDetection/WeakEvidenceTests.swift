import Testing

@testable import Domain

@Suite struct WeakEvidenceTests {
    private let settings = TrackingSettings.Risk()

    @Test("ambiguous evidence alone never makes a suspect")
    func cap() {
        var risk = DriverState.Risk()
        for _ in 0..<50 { risk.addAmbiguousEvidence(3, at: TestDriver.start, settings) }
        #expect(risk.ambiguousEvidence == 3.5)
        #expect(risk.probability(settings) < settings.suspectRisk)
    }

    @Test("only the larger of ambiguous and other evidence counts, because they may have one cause")
    func notOnTop() {
        var risk = DriverState.Risk()
        risk.add(capped: 3, at: TestDriver.start, settings)
        let before = risk.probability(settings)
        risk.addAmbiguousEvidence(2, at: TestDriver.start, settings)
        #expect(risk.probability(settings) == before)
        risk.addAmbiguousEvidence(1.5, at: TestDriver.start, settings)
        #expect(risk.probability(settings) > before)
    }

    @Test("ambiguous evidence decays like other evidence")
    func fading() {
        var risk = DriverState.Risk()
        risk.addAmbiguousEvidence(3, at: TestDriver.start, settings)
        risk.decay(until: TestDriver.start.advanced(bySeconds: 90), settings)
        #expect(abs(risk.ambiguousEvidence - 1.5) < 1e-5)
        risk.decay(until: TestDriver.start.advanced(bySeconds: 3000), settings)
        #expect(risk == DriverState.Risk())
    }

    @Test("a hold keeps a minimum of evidence for a quarter of an hour", arguments: [true, false])
    func hold(isRelocation: Bool) {
        var risk = DriverState.Risk()
        if isRelocation { for _ in 0..<4 { risk.add(capped: 3, at: TestDriver.start, settings) } }
        risk.hold(isRelocation: isRelocation, at: TestDriver.start, settings)
        for second in stride(from: 5.0, to: 835, by: 5) {
            risk.decay(until: TestDriver.start.advanced(bySeconds: second), settings)
        }
        #expect(isRelocation ? risk.evidence == 3 : risk.ambiguousEvidence == 2)
        for second in stride(from: 835.0, to: 2500, by: 5) {
            risk.decay(until: TestDriver.start.advanced(bySeconds: second), settings)
        }
        #expect(risk.evidence < 0.001 && risk.ambiguousEvidence < 0.001)
    }
}
