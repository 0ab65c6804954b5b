extension TrackingSettings {
    /// What is wrong with these settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        var problems = smoothing.problems()
        func require(_ holds: Bool, _ sentence: String) {
            if !holds { problems.append(sentence) }
        }
        require(memorySeconds > 0, "Drivers must be remembered for some time.")
        require(
            order.restartSequenceBelow >= 0 && order.maximumCountedGap > 0 && order.maximumWrapGap > 0
                && (1...3).contains(order.fixesBeforeNewNumbering),
            "The sequence limits must not be negative.")
        require(
            clock.maximumAheadSeconds > 0 && clock.maximumBehindSeconds > 0, "The clock limits must be positive.")
        require(
            clock.offsetWindowSeconds > 0 && (2...200).contains(clock.offsetWindowFixes),
            "The clock offset is the least of a window of some time and 2 to 200 fixes.")
        require(
            (1...200).contains(clock.fixesBeforeNewClock) && clock.newClockToleranceSeconds > 0
                && clock.newClockSpanSeconds >= 0 && clock.maximumFirstLagSeconds >= 0,
            "A new clock needs 1 to 200 fixes, a positive tolerance and no negative span.")
        require(
            rate.onTripPerSecond > 0 && rate.offTripPerSecond > 0 && rate.burst >= 1,
            "Rates must be positive, and a burst at least one fix.")
        require(
            0 < quality.coarseAccuracyMeters && quality.coarseAccuracyMeters <= quality.maximumAccuracyMeters,
            "The accuracy that excuses jumps must not be worse than the worst that is used.")
        require(
            0 < quality.unknownAccuracyMeters && quality.unknownAccuracyMeters <= quality.coarseAccuracyMeters,
            "An unknown accuracy must be assumed better than one that excuses jumps.")
        requireJumps(require)
        requireSignals(require)
        requireRisk(require)
        requireDisturbances(require)
        return problems + rules.all.problems()
    }

    private func requireJumps(_ require: (Bool, String) -> Void) {
        require(
            jumps.maximumSpeedMetersPerSecond > 0 && jumps.stampJitterSeconds >= 0 && jumps.accuracyFactor >= 0,
            "The jump rule needs a positive speed and no negative allowance.")
        require(
            jumps.graceGapSeconds > 0 && jumps.graceGapSeconds < memorySeconds,
            "The gap that excuses a jump must be shorter than the memory.")
        require(
            rules.jump.minimumConfirmationSeconds < jumps.graceGapSeconds, "Confirmations must come sooner than a gap.")
        require((0...200).contains(jumps.graceFixes), "At most 200 fixes of a session are excused.")
        require(jumps.coldStartMeters >= 0, "A receiver that has just begun must not be off by a negative length.")
    }

    private func requireSignals(_ require: (Bool, String) -> Void) {
        require(signals.movingStepMeters >= 0 && signals.staleSeconds >= 0, "Steps and times must not be negative.")
        require(signals.windowJitterSeconds >= 0, "The jitter of stamps must not be negative.")
        require((2...200).contains(signals.habitFixes), "Habits are learnt from 2 to 200 fixes.")
        require(
            signals.gapIntervals >= 1 && signals.movingMetersPerSecond >= 0,
            "A gap must be one interval or more, and the speed of a vehicle that moves not negative.")
        require(signals.maximumAccelerationMetersPerSecondSquared > 0, "Acceleration has a limit.")
        require(
            TrackingSettings.Replay.capacities.contains(replay.rememberedChunks) && replay.minimumAgeSeconds >= 0,
            "Between one and 1,048,576 chunks of track are remembered, and count at no negative age.")
        require(
            (4...32).contains(replay.minimumChunkFixes) && (1...4).contains(replay.anchorBits),
            "A chunk of track holds 4 fixes or more, and ends at one coordinate in 2 to 16.")
        require(replay.minimumStepMeters >= 2, "Only steps of 2 metres or more make a track.")
    }

    private func requireDisturbances(_ require: (Bool, String) -> Void) {
        require(
            disturbance.drivers >= 2 && (0...1).contains(disturbance.share),
            "A disturbance takes two drivers or more, and a share of them between 0 and 1.")
        require(
            disturbance.windowSeconds > 0 && disturbance.radiusMeters > 0 && disturbance.samePointMeters >= 0,
            "A disturbance has a duration and a size.")
        require(
            disturbance.rememberedDrivers >= disturbance.drivers && disturbance.rememberedDrivers <= 65_536,
            "Between as many drivers as a disturbance takes and 65,536 can be remembered.")
    }

    private func requireRisk(_ require: (Bool, String) -> Void) {
        require(risk.priorLogOdds < 0, "Most drivers are honest: the prior log-odds must be negative.")
        require(risk.halfLifeSeconds > 0 && risk.windowSeconds > 0, "Evidence needs a half-life and windows.")
        require(
            0 < risk.releaseRisk && risk.releaseRisk < risk.suspectRisk && risk.suspectRisk < risk.flagRisk
                && risk.flagRisk < 1,
            "The risks for release, suspicion and flagging must grow in this order, within 0 and 1.")
        require((0...1).contains(risk.explainedRisk), "A risk that is explained is one from 0 to 1.")
        require((1...200).contains(risk.flagWindows), "Between 1 and 200 windows lead to a flag.")
        require(risk.reviewSeconds > 0, "A review comes after some time.")
        require(
            risk.maximumSignal > 0 && risk.maximumEvidence >= risk.maximumSignal,
            "The evidence must be able to hold at least one signal.")
        require(
            (risk.maximumSignal...risk.maximumEvidence).contains(risk.maximumWindowEvidence),
            "A window must hold the evidence of one signal, and no more than there can be.")
        require(
            risk.maximumEvidence + risk.priorLogOdds > 3, "The evidence must be able to reach the risk of a flag.")
        let all = rules.all.weights + [order.replayWeight]
        require(
            all.allSatisfy { (0...risk.maximumSignal).contains($0) },
            "No signal may weigh less than nothing or more than the maximum.")
        require(
            (0...risk.maximumEvidence).contains(risk.maximumSkyEvidence)
                && (0...risk.maximumEvidence).contains(risk.heldEvidence)
                && (0...risk.maximumSkyEvidence).contains(risk.heldSkyEvidence),
            "What is held must not be more than there can be.")
        require(
            risk.flaggedSilenceSeconds > 0, "Evidence against a flagged driver must fade between two fixes.")
        require(
            (60...7200).contains(risk.holdSeconds), "Evidence is held for between a minute and two hours.")
    }
}
