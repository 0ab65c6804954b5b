extension TrackingSettings {
    package func problems() -> [String] {
        smoothing.problems() + generalProblems() + jumpProblems() + signalProblems() + riskProblems()
            + rules.all.problems()
    }

    private func generalProblems() -> [String] {
        settingProblems(
            of: self,
            .above(
                0, \.memorySeconds, \.clock.maximumAheadSeconds, \.clock.maximumBehindSeconds,
                \.clock.offsetWindowSeconds, \.clock.newClockToleranceSeconds, \.rate.onTripPerSecond,
                \.rate.offTripPerSecond, \.quality.coarseAccuracyMeters, \.quality.unknownAccuracyMeters),
            .above(0, \.order.maximumCountedGap, \.order.maximumWrapGap),
            .atLeast(0, \.order.restartSequenceBelow),
            .atLeast(0, \.clock.newClockSpanSeconds, \.clock.maximumFirstLagSeconds),
            .atLeast(1, \.rate.burst),
            .within(1...3, \.order.fixesBeforeNewNumbering),
            .within(1...200, \.clock.fixesBeforeNewClock),
            .within(2...200, \.clock.offsetWindowFixes),
            .that(
                quality.coarseAccuracyMeters <= quality.maximumAccuracyMeters,
                "quality.coarseAccuracyMeters must be at most quality.maximumAccuracyMeters."),
            .that(
                quality.unknownAccuracyMeters <= quality.coarseAccuracyMeters,
                "quality.unknownAccuracyMeters must be at most quality.coarseAccuracyMeters."))
    }

    private func jumpProblems() -> [String] {
        settingProblems(
            of: self,
            .above(0, \.jumps.maximumSpeedMetersPerSecond, \.jumps.graceGapSeconds),
            .atLeast(0, \.jumps.timestampJitterSeconds, \.jumps.accuracyFactor, \.jumps.coldStartMeters),
            .within(0...200, \.jumps.graceFixes),
            .that(jumps.graceGapSeconds < memorySeconds, "jumps.graceGapSeconds must be less than memorySeconds."),
            .that(
                rules.jump.minimumConfirmationSeconds < jumps.graceGapSeconds,
                "jump.minimumConfirmationSeconds must be less than jumps.graceGapSeconds."))
    }

    private func signalProblems() -> [String] {
        settingProblems(
            of: self,
            .above(
                0, \.signals.maximumAccelerationMetersPerSecondSquared, \.disturbance.windowSeconds,
                \.disturbance.radiusMeters),
            .atLeast(
                0, \.signals.movingStepMeters, \.signals.staleSeconds, \.signals.windowJitterSeconds,
                \.signals.movingMetersPerSecond, \.replay.minimumAgeSeconds, \.disturbance.samePointMeters),
            .atLeast(1, \.signals.gapIntervals),
            .atLeast(2, \.replay.minimumStepMeters),
            .atLeast(2, \.disturbance.drivers),
            .within(2...200, \.signals.habitFixes),
            .within(Replay.capacities, \.replay.rememberedChunks),
            .within(4...32, \.replay.minimumChunkFixes),
            .within(1...4, \.replay.anchorBits),
            .within(0...1, \.disturbance.share),
            .within(0...65_536, \.disturbance.rememberedDrivers),
            .that(
                disturbance.rememberedDrivers >= disturbance.drivers,
                "disturbance.rememberedDrivers must be at least disturbance.drivers."))
    }

    private func riskProblems() -> [String] {
        settingProblems(
            of: self,
            .above(
                0, \.risk.halfLifeSeconds, \.risk.windowSeconds, \.risk.reviewSeconds, \.risk.maximumSignal,
                \.risk.flaggedSilenceSeconds),
            .within(0...1, \.risk.explainedRisk),
            .within(1...200, \.risk.flagWindows),
            .within(60...7200, \.risk.holdSeconds),
            .that(risk.priorLogOdds < 0, "risk.priorLogOdds must be negative."),
            .that(
                0 < risk.releaseRisk && risk.releaseRisk < risk.suspectRisk && risk.suspectRisk < risk.flagRisk
                    && risk.flagRisk < 1,
                "risk.releaseRisk, risk.suspectRisk and risk.flagRisk must increase in this order, between 0 and 1."),
            .that(
                risk.maximumSignal <= risk.maximumWindowEvidence && risk.maximumWindowEvidence <= risk.maximumEvidence,
                "risk.maximumWindowEvidence must be from risk.maximumSignal to risk.maximumEvidence."),
            .that(
                risk.maximumEvidence + risk.priorLogOdds > 3,
                "risk.maximumEvidence plus risk.priorLogOdds must be more than 3, or no driver can be flagged."),
            .that(
                (rules.all.weights + [order.replayWeight]).allSatisfy { 0 <= $0 && $0 <= risk.maximumSignal },
                "Every weight of a rule, and order.replayWeight, must be 0 to risk.maximumSignal."),
            .that(
                0 <= risk.heldEvidence && max(risk.heldEvidence, risk.maximumAmbiguousEvidence) <= risk.maximumEvidence
                    && 0 <= risk.heldAmbiguousEvidence && risk.heldAmbiguousEvidence <= risk.maximumAmbiguousEvidence,
                "risk.maximumAmbiguousEvidence and risk.heldEvidence must be 0 to risk.maximumEvidence, and "
                    + "risk.heldAmbiguousEvidence 0 to risk.maximumAmbiguousEvidence."))
    }
}
