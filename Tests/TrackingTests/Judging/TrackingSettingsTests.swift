import Testing

@testable import Tracking

@Suite struct TrackingSettingsTests {
    @Test("the defaults have no problems, and neither have those without a rate limit")
    func defaults() {
        #expect(TrackingSettings().problems().isEmpty)
        #expect(JudgedTrace.unlimited.problems().isEmpty)
    }

    @Test("every wrong combination is named, all at once, in sentences")
    func problems() {
        var settings = TrackingSettings()
        settings.memorySeconds = 5
        settings.quality.coarseAccuracyMeters = 101
        settings.rate.burst = 0.5
        settings.signals.windowSeconds = 4
        settings.risk.suspectRisk = 0.96
        settings.risk.weights.mock = 3.5
        settings.replay.anchorBits = 9
        settings.smoothing.restartAfterSeconds = 0
        let problems = settings.problems()
        #expect(problems.count == 8)
        #expect(problems.allSatisfy { $0.hasSuffix(".") })
    }
}
