import Testing

@testable import Domain

@Suite struct TrackingSettingsTests {
    @Test("the defaults are valid, also without a rate limit")
    func defaults() {
        #expect(TrackingSettings().problems().isEmpty)
        #expect(TrackingSettings.unlimited.problems().isEmpty)
    }

    @Test("all invalid combinations are reported together, in sentences")
    func problems() {
        var settings = TrackingSettings()
        settings.memorySeconds = 5
        settings.quality.coarseAccuracyMeters = 101
        settings.rate.burst = 0.5
        settings.rules.speedContradiction.windowSeconds = 4
        settings.risk.suspectRisk = 0.96
        settings.rules.mockLocation.weight = 3.5
        settings.replay.anchorBits = 9
        settings.smoothing.restartAfterSeconds = 0
        let problems = settings.problems()
        #expect(problems.count == 8)
        #expect(problems.allSatisfy { $0.hasSuffix(".") })
    }

    @Test(
        "the limits of each signal are checked individually",
        arguments: [
            { $0.signals.habitFixes = 1 }, { $0.signals.gapIntervals = 0.9 },
            { $0.signals.movingMetersPerSecond = -0.1 }, { $0.rules.overdueSpeed.standingEvidenceThreshold = 31 },
            { $0.smoothing.strayMeters = -0.1 }, { $0.smoothing.deferralNoiseScale = 0.9 },
            { $0.rules.drift.learntSteps = 201 },
            { $0.rules.equalSteps.runSeconds = 32 },
            { $0.signals.maximumAccelerationMetersPerSecondSquared = 0 }, { $0.rules.jump.accelerationSeconds = 2.9 },
            { $0.rules.unsteadiness.swerves = 1.1 },
            { $0.rules.speedContradiction.frozenMargin = -0.1 }, { $0.rules.drift.seconds = 0 },
            { $0.rules.overdueSpeed.limits.evidenceThreshold = 31 }, { $0.rules.rhythm.limits.warnThreshold = 31.1 },
            { $0.risk.maximumAmbiguousEvidence = 12.1 }, { $0.risk.heldAmbiguousEvidence = 3.6 },
            { $0.risk.holdSeconds = 59 },
            { $0.jumps.coldStartMeters = -1 }, { $0.rules.jump.longestFastSeconds = 1000.1 },
            { $0.risk.explainedRisk = 1.1 }, { $0.rules.overdueFields.weight = 3.1 },
            { $0.rules.jump.strayWeight = -0.1 },
        ] as [@Sendable (inout TrackingSettings) -> Void])
    func signals(spoil: @Sendable (inout TrackingSettings) -> Void) {
        var settings = TrackingSettings()
        spoil(&settings)
        #expect(settings.problems().count == 1)
    }

    @Test("values at the limits of the signals are valid")
    func signalsAtTheirLimits() {
        var settings = TrackingSettings()
        settings.signals.habitFixes = 2
        settings.signals.gapIntervals = 1
        settings.smoothing.deferralNoiseScale = 1
        settings.rules.drift.learntSteps = 200
        settings.rules.jump.accelerationSeconds = 3
        settings.rules.rhythm.limits.warnThreshold = 31
        settings.risk.heldAmbiguousEvidence = 3.5
        settings.risk.holdSeconds = 60
        #expect(settings.problems().isEmpty)
    }
}
