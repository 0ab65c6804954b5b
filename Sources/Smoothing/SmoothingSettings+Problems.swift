extension SmoothingSettings {
    /// What is wrong with these settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        var problems: [String] = []
        func require(_ holds: Bool, _ sentence: String) {
            if !holds { problems.append(sentence) }
        }
        require(accelerationMetersPerSecondSquared > 0, "The acceleration must be positive.")
        require(
            0 < minimumManoeuvreSeconds && minimumManoeuvreSeconds <= maximumManoeuvreSeconds,
            "The manoeuvre times must be positive, the shorter first.")
        require(minimumNoiseMeters > 0 && unknownNoiseMeters > 0, "Position noise must be positive.")
        require(learnedNoiseMeters.lowerBound > 0, "The learned noise must stay positive.")
        require(
            learnedNoiseMeters.contains(unknownNoiseMeters),
            "The noise assumed at first must lie within the bounds of the learned noise.")
        require(
            0 < smoothDeviceScale && smoothDeviceScale < slowNoiseScale && slowNoiseScale <= 1
                && maximumNoiseScale >= 1,
            "The noise scales must grow from that of a smooth device over that of slow noise to the maximum.")
        require(
            (0..<1).contains(noiseAdaptationRate) && (0..<1).contains(velocityNoiseAdaptationRate),
            "The noise adaptation rates must be in [0, 1).")
        require((0...1).contains(velocityNoiseCoupling), "The velocity noise coupling must be in [0, 1].")
        require(
            independenceSeconds >= 0 && lastingErrorSeconds > 0 && lastingErrorFactor >= 0,
            "Errors must last, and fixes be independent some time.")
        require(positionWanderSquareMetersPerSecond >= 0, "The position wander must not be negative.")
        require(accuracyRadiusPerSigma > 0, "The accuracy radius per sigma must be positive.")
        require(
            speedNoiseMetersPerSecond > 0 && headingNoiseDegrees > 0 && headingNoiseDegrees <= 90,
            "Speed noise must be positive, heading noise in (0, 90] degrees.")
        require(unsureDirection > 0, "A direction must be allowed to be unsure.")
        require(gateNormalizedSquared > 2, "A gate of 2 or less rejects ordinary fixes.")
        require(
            tailDegreesOfFreedom > 2 && tailDegreesOfFreedomWithoutVelocity > 2,
            "Tails with 2 degrees of freedom or fewer have no variance.")
        require(longStepSeconds > 0, "A long step must last.")
        require(usualErrorMeters >= 0, "The usual error must not be negative.")
        require(
            maximumSurprise > 1 && maximumSurpriseWithoutVelocity > 1, "The noise can only grow from surprises over 1.")
        require(
            1 <= rejectsBeforeRestart && rejectsBeforeRestart <= nearRejectsBeforeRestart
                && nearRejectsBeforeRestart <= nearRejectsWithVelocityBeforeRestart
                && nearRejectsWithVelocityBeforeRestart <= 200,
            "Between 1 and 200 rejects lead to a restart; near ones no sooner than far ones, and known velocities hold longer."
        )
        requireAgreement(require)
        require(restartAfterSeconds > 0, "The silence before a restart must be positive.")
        requireHalts(require)
        return problems
    }

    private func requireAgreement(_ require: (Bool, String) -> Void) {
        require(offMeters > 0, "A fix that is off is off by some metres.")
        require(
            (3...200).contains(agreeingFixes), "Between 3 and 200 fixes make another track: one or two are outliers.")
        require(
            (0...25).contains(agreeingSeconds) && agreeingStepSeconds > 0,
            "Agreeing fixes must last from 0 to 25 seconds, and their steps must last.")
        require(
            agreementMeters > 0 && agreementShare >= 0 && agreementMetersWithoutVelocity > 0
                && agreementShareWithoutVelocity > 0,
            "Steps that agree must be allowed to differ.")
        require(
            strayMeters >= 0 && strayNoiseFactor >= 0 && heldOffNoiseScale >= 1,
            "Lengths of fixes that may stray must not be negative, nor their noise scale under 1.")
    }

    private func requireHalts(_ require: (Bool, String) -> Void) {
        require(
            haltSpeedMetersPerSecond * 2 <= minimumSpeedForHeadingMetersPerSecond,
            "A halted vehicle must be released before its heading counts: twice the halt speed at most.")
        require(
            (1...200).contains(haltFixes) && (1...200).contains(haltWithoutSpeedFixes), "Halts take 1 to 200 fixes.")
        require((1...200).contains(refutationsBeforeDistrust), "Between 1 and 200 contradictions refute a speed.")
        require((0...1).contains(brakingSpeedShare), "The speed share of a braking vehicle must be in [0, 1].")
        require(haltRadiusMeters > 0, "The halt radius must be positive.")
        require(
            departureMetersPerSecond >= 0 && departureMetersPerSecondSquared >= 0 && parkedSeconds >= 0,
            "Departures and parking must not be negative.")
        require((2...63).contains(leapFixes), "Between 2 and 63 fixes away from a halted vehicle are left out.")
        require(leapStepMeters >= 0, "The step of a leap that stays must not be negative.")
        require(
            0 < driftPerNoise && driftPerNoise <= parkedDriftPerNoise,
            "The drift that releases must be positive, and a parked vehicle be held no less than a halted one.")
        require(
            0 < highConfidenceMeters && highConfidenceMeters <= mediumConfidenceMeters,
            "High confidence needs a smaller error than medium confidence.")
        require(
            leastSlowShareOfStatedNoise >= 0 && slowShareOfHiddenNoise >= 0
                && leastSlowShareOfStatedNoise + slowShareOfHiddenNoise <= 1 && (0...4).contains(slowShareOfExcessNoise)
                && (0...4).contains(slowShareOfLearnedNoise) && (0...4).contains(slowShareWithoutVelocity)
                && leastSlowErrorMeters >= 0,
            "The slow error must be a share of the noise.")
    }
}
