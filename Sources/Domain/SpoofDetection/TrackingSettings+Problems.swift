extension TrackingSettings {
    package func problems() -> [String] {
        var problems = smoothing.problems()
        func require(_ holds: Bool, _ message: String) {
            if !holds { problems.append(message) }
        }
        require(memorySeconds > 0, "memorySeconds must be positive.")
        require(
            order.restartSequenceBelow >= 0 && order.maximumCountedGap > 0 && order.maximumWrapGap > 0
                && (1...3).contains(order.fixesBeforeNewNumbering),
            "order: restartSequenceBelow must be at least 0, maximumCountedGap and maximumWrapGap positive, and "
                + "fixesBeforeNewNumbering 1 to 3.")
        require(
            clock.maximumAheadSeconds > 0 && clock.maximumBehindSeconds > 0,
            "clock.maximumAheadSeconds and clock.maximumBehindSeconds must be positive.")
        require(
            clock.offsetWindowSeconds > 0 && (2...200).contains(clock.offsetWindowFixes),
            "clock.offsetWindowSeconds must be positive, and clock.offsetWindowFixes 2 to 200.")
        require(
            (1...200).contains(clock.fixesBeforeNewClock) && clock.newClockToleranceSeconds > 0
                && clock.newClockSpanSeconds >= 0 && clock.maximumFirstLagSeconds >= 0,
            "clock: fixesBeforeNewClock must be 1 to 200, newClockToleranceSeconds positive, and newClockSpanSeconds "
                + "and maximumFirstLagSeconds at least 0.")
        require(
            rate.onTripPerSecond > 0 && rate.offTripPerSecond > 0 && rate.burst >= 1,
            "rate.onTripPerSecond and rate.offTripPerSecond must be positive, and rate.burst at least 1.")
        require(
            0 < quality.coarseAccuracyMeters && quality.coarseAccuracyMeters <= quality.maximumAccuracyMeters,
            "quality.coarseAccuracyMeters must be positive and at most quality.maximumAccuracyMeters.")
        require(
            0 < quality.unknownAccuracyMeters && quality.unknownAccuracyMeters <= quality.coarseAccuracyMeters,
            "quality.unknownAccuracyMeters must be positive and at most quality.coarseAccuracyMeters.")
        requireJumps(require)
        requireSignals(require)
        requireRisk(require)
        requireDisturbances(require)
        return problems + rules.all.problems()
    }

    private func requireJumps(_ require: (Bool, String) -> Void) {
        require(
            jumps.maximumSpeedMetersPerSecond > 0 && jumps.timestampJitterSeconds >= 0 && jumps.accuracyFactor >= 0,
            "jumps.maximumSpeedMetersPerSecond must be positive, and jumps.timestampJitterSeconds and "
                + "jumps.accuracyFactor at least 0.")
        require(
            jumps.graceGapSeconds > 0 && jumps.graceGapSeconds < memorySeconds,
            "jumps.graceGapSeconds must be positive and less than memorySeconds.")
        require(
            rules.jump.minimumConfirmationSeconds < jumps.graceGapSeconds,
            "jump.minimumConfirmationSeconds must be less than jumps.graceGapSeconds.")
        require((0...200).contains(jumps.graceFixes), "jumps.graceFixes must be 0 to 200.")
        require(jumps.coldStartMeters >= 0, "jumps.coldStartMeters must be at least 0.")
    }

    private func requireSignals(_ require: (Bool, String) -> Void) {
        require(
            signals.movingStepMeters >= 0 && signals.staleSeconds >= 0,
            "signals.movingStepMeters and signals.staleSeconds must be at least 0.")
        require(signals.windowJitterSeconds >= 0, "signals.windowJitterSeconds must be at least 0.")
        require((2...200).contains(signals.habitFixes), "signals.habitFixes must be 2 to 200.")
        require(
            signals.gapIntervals >= 1 && signals.movingMetersPerSecond >= 0,
            "signals.gapIntervals must be at least 1, and signals.movingMetersPerSecond at least 0.")
        require(
            signals.maximumAccelerationMetersPerSecondSquared > 0,
            "signals.maximumAccelerationMetersPerSecondSquared must be positive.")
        require(
            TrackingSettings.Replay.capacities.contains(replay.rememberedChunks) && replay.minimumAgeSeconds >= 0,
            "replay.rememberedChunks must be 1 to 1,048,576, and replay.minimumAgeSeconds at least 0.")
        require(
            (4...32).contains(replay.minimumChunkFixes) && (1...4).contains(replay.anchorBits),
            "replay.minimumChunkFixes must be 4 to 32, and replay.anchorBits 1 to 4.")
        require(replay.minimumStepMeters >= 2, "replay.minimumStepMeters must be at least 2.")
    }

    private func requireDisturbances(_ require: (Bool, String) -> Void) {
        require(
            disturbance.drivers >= 2 && (0...1).contains(disturbance.share),
            "disturbance.drivers must be at least 2, and disturbance.share 0 to 1.")
        require(
            disturbance.windowSeconds > 0 && disturbance.radiusMeters > 0 && disturbance.samePointMeters >= 0,
            "disturbance.windowSeconds and disturbance.radiusMeters must be positive, and disturbance.samePointMeters "
                + "at least 0.")
        require(
            disturbance.rememberedDrivers >= disturbance.drivers && disturbance.rememberedDrivers <= 65_536,
            "disturbance.rememberedDrivers must be from disturbance.drivers to 65,536.")
    }

    private func requireRisk(_ require: (Bool, String) -> Void) {
        require(risk.priorLogOdds < 0, "risk.priorLogOdds must be negative.")
        require(
            risk.halfLifeSeconds > 0 && risk.windowSeconds > 0,
            "risk.halfLifeSeconds and risk.windowSeconds must be positive.")
        require(
            0 < risk.releaseRisk && risk.releaseRisk < risk.suspectRisk && risk.suspectRisk < risk.flagRisk
                && risk.flagRisk < 1,
            "risk.releaseRisk, risk.suspectRisk and risk.flagRisk must increase in this order, between 0 and 1.")
        require((0...1).contains(risk.explainedRisk), "risk.explainedRisk must be 0 to 1.")
        require((1...200).contains(risk.flagWindows), "risk.flagWindows must be 1 to 200.")
        require(risk.reviewSeconds > 0, "risk.reviewSeconds must be positive.")
        require(
            risk.maximumSignal > 0 && risk.maximumEvidence >= risk.maximumSignal,
            "risk.maximumSignal must be positive and at most risk.maximumEvidence.")
        require(
            (risk.maximumSignal...risk.maximumEvidence).contains(risk.maximumWindowEvidence),
            "risk.maximumWindowEvidence must be from risk.maximumSignal to risk.maximumEvidence.")
        require(
            risk.maximumEvidence + risk.priorLogOdds > 3,
            "risk.maximumEvidence plus risk.priorLogOdds must be more than 3, or no driver can be flagged.")
        let all = rules.all.weights + [order.replayWeight]
        require(
            all.allSatisfy { (0...risk.maximumSignal).contains($0) },
            "Every weight of a rule, and order.replayWeight, must be 0 to risk.maximumSignal.")
        require(
            (0...risk.maximumEvidence).contains(risk.maximumAmbiguousEvidence)
                && (0...risk.maximumEvidence).contains(risk.heldEvidence)
                && (0...risk.maximumAmbiguousEvidence).contains(risk.heldAmbiguousEvidence),
            "risk.maximumAmbiguousEvidence and risk.heldEvidence must be 0 to risk.maximumEvidence, and "
                + "risk.heldAmbiguousEvidence 0 to risk.maximumAmbiguousEvidence.")
        require(risk.flaggedSilenceSeconds > 0, "risk.flaggedSilenceSeconds must be positive.")
        require((60...7200).contains(risk.holdSeconds), "risk.holdSeconds must be 60 to 7,200.")
    }
}
