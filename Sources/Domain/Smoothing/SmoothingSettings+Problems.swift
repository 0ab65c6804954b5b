extension SmoothingSettings {
    package func problems() -> [String] {
        var problems: [String] = []
        func require(_ holds: Bool, _ message: String) {
            if !holds { problems.append(message) }
        }
        require(accelerationMetersPerSecondSquared > 0, "accelerationMetersPerSecondSquared must be positive.")
        require(
            0 < minimumManoeuvreSeconds && minimumManoeuvreSeconds <= maximumManoeuvreSeconds,
            "minimumManoeuvreSeconds must be positive and at most maximumManoeuvreSeconds.")
        require(
            minimumNoiseMeters > 0 && unknownNoiseMeters > 0,
            "minimumNoiseMeters and unknownNoiseMeters must be positive.")
        require(learnedNoiseMeters.lowerBound > 0, "learnedNoiseMeters must be positive.")
        require(
            learnedNoiseMeters.contains(unknownNoiseMeters), "unknownNoiseMeters must be within learnedNoiseMeters.")
        require(
            0 < smoothDeviceScale && smoothDeviceScale < slowNoiseScale && slowNoiseScale <= 1
                && maximumNoiseScale >= 1,
            "smoothDeviceScale must be positive and less than slowNoiseScale, slowNoiseScale at most 1, and "
                + "maximumNoiseScale at least 1.")
        require(
            (0..<1).contains(noiseAdaptationRate) && (0..<1).contains(velocityNoiseAdaptationRate),
            "noiseAdaptationRate and velocityNoiseAdaptationRate must be at least 0 and less than 1.")
        require((0...1).contains(velocityNoiseCoupling), "velocityNoiseCoupling must be 0 to 1.")
        require(
            independenceSeconds >= 0 && lastingErrorSeconds > 0 && lastingErrorFactor >= 0,
            "lastingErrorSeconds must be positive, and independenceSeconds and lastingErrorFactor at least 0.")
        require(positionWanderSquareMetersPerSecond >= 0, "positionWanderSquareMetersPerSecond must be at least 0.")
        require(accuracyRadiusPerSigma > 0, "accuracyRadiusPerSigma must be positive.")
        require(
            speedNoiseMetersPerSecond > 0 && headingNoiseDegrees > 0 && headingNoiseDegrees <= 90,
            "speedNoiseMetersPerSecond and headingNoiseDegrees must be positive, and headingNoiseDegrees at most 90.")
        require(unsureDirection > 0, "unsureDirection must be positive.")
        require(gateNormalizedSquared > 2, "gateNormalizedSquared must be more than 2.")
        require(
            tailDegreesOfFreedom > 2 && tailDegreesOfFreedomWithoutVelocity > 2,
            "tailDegreesOfFreedom and tailDegreesOfFreedomWithoutVelocity must be more than 2.")
        require(longStepSeconds > 0, "longStepSeconds must be positive.")
        require(usualErrorMeters >= 0, "usualErrorMeters must be at least 0.")
        require(
            maximumSurprise > 1 && maximumSurpriseWithoutVelocity > 1,
            "maximumSurprise and maximumSurpriseWithoutVelocity must be more than 1.")
        require(
            1 <= rejectsBeforeRestart && rejectsBeforeRestart <= nearRejectsBeforeRestart
                && nearRejectsBeforeRestart <= nearRejectsWithVelocityBeforeRestart
                && nearRejectsWithVelocityBeforeRestart <= 200,
            "rejectsBeforeRestart, nearRejectsBeforeRestart and nearRejectsWithVelocityBeforeRestart must not decrease "
                + "in this order, from 1 to 200.")
        requireAgreement(require)
        require(restartAfterSeconds > 0, "restartAfterSeconds must be positive.")
        requireHalts(require)
        return problems
    }

    private func requireAgreement(_ require: (Bool, String) -> Void) {
        require(distanceGateMeters > 0, "distanceGateMeters must be positive.")
        require((3...200).contains(agreeingFixes), "agreeingFixes must be 3 to 200.")
        require(
            (0...25).contains(agreeingSeconds) && agreeingStepSeconds > 0,
            "agreeingSeconds must be 0 to 25, and agreeingStepSeconds positive.")
        require(
            agreementMeters > 0 && agreementShare >= 0 && agreementMetersWithoutVelocity > 0
                && agreementShareWithoutVelocity > 0,
            "agreementMeters, agreementMetersWithoutVelocity and agreementShareWithoutVelocity must be positive, and "
                + "agreementShare at least 0.")
        require(
            strayMeters >= 0 && strayNoiseFactor >= 0 && deferralNoiseScale >= 1,
            "strayMeters and strayNoiseFactor must be at least 0, and deferralNoiseScale at least 1.")
    }

    private func requireHalts(_ require: (Bool, String) -> Void) {
        require(
            haltSpeedMetersPerSecond * 2 <= minimumSpeedForHeadingMetersPerSecond,
            "haltSpeedMetersPerSecond must be at most half of minimumSpeedForHeadingMetersPerSecond.")
        require(
            (1...200).contains(haltFixes) && (1...200).contains(haltWithoutSpeedFixes),
            "haltFixes and haltWithoutSpeedFixes must be 1 to 200.")
        require((1...200).contains(refutationsBeforeDistrust), "refutationsBeforeDistrust must be 1 to 200.")
        require((0...1).contains(brakingSpeedShare), "brakingSpeedShare must be 0 to 1.")
        require(haltRadiusMeters > 0, "haltRadiusMeters must be positive.")
        require(
            departureMetersPerSecond >= 0 && departureMetersPerSecondSquared >= 0 && parkedSeconds >= 0,
            "departureMetersPerSecond, departureMetersPerSecondSquared and parkedSeconds must be at least 0.")
        require((2...63).contains(leapFixes), "leapFixes must be 2 to 63.")
        require(leapStepMeters >= 0, "leapStepMeters must be at least 0.")
        require(
            0 < driftPerNoise && driftPerNoise <= parkedDriftPerNoise,
            "driftPerNoise must be positive and at most parkedDriftPerNoise.")
        require(
            0 < highConfidenceMeters && highConfidenceMeters <= mediumConfidenceMeters,
            "highConfidenceMeters must be positive and at most mediumConfidenceMeters.")
        require(
            leastSlowShareOfStatedNoise >= 0 && slowShareOfHiddenNoise >= 0
                && leastSlowShareOfStatedNoise + slowShareOfHiddenNoise <= 1 && (0...4).contains(slowShareOfExcessNoise)
                && (0...4).contains(slowShareOfLearnedNoise) && (0...4).contains(slowShareWithoutVelocity)
                && leastSlowErrorMeters >= 0,
            "leastSlowShareOfStatedNoise and slowShareOfHiddenNoise must be at least 0 and add up to at most 1, the "
                + "other slow shares 0 to 4, and leastSlowErrorMeters at least 0.")
    }
}
