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

    @Test(
        "the limits of each signal are checked one by one",
        arguments: [
            { $0.signals.habitFixes = 1 }, { $0.signals.driftFixes = 201 },
            { $0.signals.equalSteps = 1 }, { $0.signals.contraryHeadingFixes = 0 },
            { $0.signals.maximumAccelerationMetersPerSecondSquared = 0 }, { $0.jumps.accelerationSeconds = 2.9 },
            { $0.signals.contraryHeadingDegrees = 181 }, { $0.signals.unsteadySwerves = 1.1 },
            { $0.signals.frozenSpeedMargin = -0.1 }, { $0.signals.driftSeconds = 0 },
            { $0.overdue.speed.fromChanges = 31 }, { $0.overdue.rhythm.toldFromChanges = 31.1 },
            { $0.risk.maximumSkyEvidence = 12.1 }, { $0.risk.heldSkyEvidence = 3.6 }, { $0.risk.holdSeconds = 59 },
            { $0.risk.weights.overdueFields = 3.1 }, { $0.risk.weights.strayFix = -0.1 },
        ] as [@Sendable (inout TrackingSettings) -> Void])
    func signals(spoil: @Sendable (inout TrackingSettings) -> Void) {
        var settings = TrackingSettings()
        spoil(&settings)
        #expect(settings.problems().count == 1)
    }

    @Test("values at the limits of the signals are no problem")
    func signalsAtTheirLimits() {
        var settings = TrackingSettings()
        settings.signals.habitFixes = 2
        settings.signals.driftFixes = 200
        settings.jumps.accelerationSeconds = 3
        settings.signals.contraryHeadingDegrees = 180
        settings.overdue.rhythm.toldFromChanges = 31
        settings.risk.heldSkyEvidence = 3.5
        settings.risk.holdSeconds = 60
        #expect(settings.problems().isEmpty)
    }
}
