extension SmoothingSettings {
    package func problems() -> [String] { noiseProblems() + trackProblems() + estimateProblems() }

    private func noiseProblems() -> [String] {
        settingProblems(
            of: self,
            .above(
                0, \.accelerationMetersPerSecondSquared, \.minimumManoeuvreSeconds, \.minimumNoiseMeters,
                \.unknownNoiseMeters, \.learnedNoiseMeters.lowerBound, \.smoothDeviceScale, \.lastingErrorSeconds,
                \.accuracyRadiusPerSigma, \.speedNoiseMetersPerSecond, \.headingNoiseDegrees, \.unsureDirection),
            .atLeast(
                0, \.independenceSeconds, \.lastingErrorFactor, \.positionWanderSquareMetersPerSecond),
            .atLeast(1, \.maximumNoiseScale),
            .within(0..<1, \.noiseAdaptationRate, \.velocityNoiseAdaptationRate),
            .within(0...1, \.velocityNoiseCoupling),
            .within(0...90, \.headingNoiseDegrees),
            .that(
                minimumManoeuvreSeconds <= maximumManoeuvreSeconds,
                "minimumManoeuvreSeconds must be at most maximumManoeuvreSeconds."),
            .that(
                learnedNoiseMeters.contains(unknownNoiseMeters),
                "unknownNoiseMeters must be within learnedNoiseMeters."),
            .that(
                smoothDeviceScale < slowNoiseScale && slowNoiseScale <= 1,
                "smoothDeviceScale must be less than slowNoiseScale, and slowNoiseScale at most 1."))
    }

    private func trackProblems() -> [String] {
        settingProblems(
            of: self,
            .above(0, \.longStepSeconds, \.distanceGateMeters, \.agreeingStepSeconds, \.restartAfterSeconds),
            .above(0, \.agreementMeters, \.agreementMetersWithoutVelocity, \.agreementShareWithoutVelocity),
            .above(1, \.maximumSurprise, \.maximumSurpriseWithoutVelocity),
            .above(2, \.gateNormalizedSquared, \.tailDegreesOfFreedom, \.tailDegreesOfFreedomWithoutVelocity),
            .atLeast(0, \.usualErrorMeters, \.agreementShare, \.strayMeters, \.strayNoiseFactor),
            .atLeast(1, \.deferralNoiseScale),
            .within(3...200, \.agreeingFixes),
            .within(0...25, \.agreeingSeconds),
            .that(
                1 <= rejectsBeforeRestart && rejectsBeforeRestart <= nearRejectsBeforeRestart
                    && nearRejectsBeforeRestart <= nearRejectsWithVelocityBeforeRestart
                    && nearRejectsWithVelocityBeforeRestart <= 200,
                "rejectsBeforeRestart, nearRejectsBeforeRestart and nearRejectsWithVelocityBeforeRestart must not "
                    + "decrease in this order, from 1 to 200."))
    }

    private func estimateProblems() -> [String] {
        settingProblems(
            of: self,
            .above(0, \.haltRadiusMeters, \.driftPerNoise, \.highConfidenceMeters),
            .atLeast(
                0, \.departureMetersPerSecond, \.departureMetersPerSecondSquared, \.parkedSeconds, \.leapStepMeters,
                \.leastSlowShareOfStatedNoise, \.slowShareOfHiddenNoise, \.leastSlowErrorMeters),
            .within(0...1, \.brakingSpeedShare),
            .within(0...4, \.slowShareOfExcessNoise, \.slowShareOfLearnedNoise, \.slowShareWithoutVelocity),
            .within(1...200, \.haltFixes, \.haltWithoutSpeedFixes, \.refutationsBeforeDistrust),
            .within(2...63, \.leapFixes),
            .that(
                haltSpeedMetersPerSecond * 2 <= minimumSpeedForHeadingMetersPerSecond,
                "haltSpeedMetersPerSecond must be at most half of minimumSpeedForHeadingMetersPerSecond."),
            .that(driftPerNoise <= parkedDriftPerNoise, "driftPerNoise must be at most parkedDriftPerNoise."),
            .that(
                highConfidenceMeters <= mediumConfidenceMeters,
                "highConfidenceMeters must be at most mediumConfidenceMeters."),
            .that(
                leastSlowShareOfStatedNoise + slowShareOfHiddenNoise <= 1,
                "leastSlowShareOfStatedNoise and slowShareOfHiddenNoise must add up to at most 1."))
    }
}
