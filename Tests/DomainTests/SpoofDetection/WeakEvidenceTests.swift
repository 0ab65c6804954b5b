import Testing

@testable import SpoofDetection

@Suite struct WeakEvidenceTests {
    private let settings = TrackingSettings.Risk()

    @Test("what a bad sky explains as well never makes a suspect, however much of it there is")
    func cap() {
        var risk = DriverState.Risk()
        for _ in 0..<50 { risk.addSky(3, at: TestDriver.start, settings) }
        #expect(risk.sky == 3.5)
        #expect(risk.probability(settings) < settings.suspectRisk)
    }

    @Test("it does not come on top of the evidence, for one cause may be behind both")
    func notOnTop() {
        var risk = DriverState.Risk()
        risk.add(3, at: TestDriver.start, settings)
        let before = risk.probability(settings)
        risk.addSky(2, at: TestDriver.start, settings)
        #expect(risk.probability(settings) == before)
        risk.addSky(1.5, at: TestDriver.start, settings)
        #expect(risk.probability(settings) > before)
    }

    @Test("it fades like the other evidence")
    func fading() {
        var risk = DriverState.Risk()
        risk.addSky(3, at: TestDriver.start, settings)
        risk.fade(until: TestDriver.start.advanced(bySeconds: 90), settings)
        #expect(abs(risk.sky - 1.5) < 1e-5)
        risk.fade(until: TestDriver.start.advanced(bySeconds: 3000), settings)
        #expect(risk == DriverState.Risk())
    }

    @Test("what is held does not fade for a quarter of an hour, and then does", arguments: [true, false])
    func held(isRelocation: Bool) {
        var risk = DriverState.Risk()
        if isRelocation { for _ in 0..<4 { risk.add(3, at: TestDriver.start, settings) } }
        risk.hold(isRelocation: isRelocation, at: TestDriver.start, settings)
        for second in stride(from: 5.0, to: 835, by: 5) {
            risk.fade(until: TestDriver.start.advanced(bySeconds: second), settings)
        }
        #expect(isRelocation ? risk.evidence == 3 : risk.sky == 2)
        for second in stride(from: 835.0, to: 2500, by: 5) {
            risk.fade(until: TestDriver.start.advanced(bySeconds: second), settings)
        }
        #expect(risk.evidence < 0.001 && risk.sky < 0.001)
    }
}
