/// The numbers behind ``KinematicFilter``; defaults suit cars and buses.
package struct SmoothingSettings: Sendable, Equatable {
    /// White acceleration of the vehicle, one standard deviation, m/s²: 1.5 car or bus, 2.5 motorbike, 0.5 walking.
    package var accelerationMetersPerSecondSquared = 1.5
    /// How long an acceleration lasts at least, in seconds; makes the noise of fast sampling independent of its rate.
    package var minimumManoeuvreSeconds = 1.0
    /// How long an acceleration lasts at most, in seconds; beyond it, velocity wanders as a random walk.
    package var maximumManoeuvreSeconds = 4.0
    /// No fix is believed to better than this per axis, in metres, when the device states its accuracy.
    package var minimumNoiseMeters = 3.0
    /// Noise per axis assumed at first when the device states no accuracy, in metres; the innovations soon correct it.
    package var unknownNoiseMeters = 8.0
    /// Bounds of the learned noise per axis, in metres, when the device states no accuracy.
    package var learnedNoiseMeters = 0.5...100.0
    /// A stated accuracy is believed downwards too once the learned variance is under this share of it: steps that
    /// smooth come from a chip that has filtered already, and filtering again would only add lag.
    package var smoothDeviceScale = 0.05
    /// Down to this share of the stated variance, smaller innovations change nothing: the rest of the noise is slow,
    /// and innovations do not show slow noise.
    package var slowNoiseScale = 0.15
    /// How many times larger than stated the noise variance can be learned to be.
    package var maximumNoiseScale = 900.0
    /// Step of the learned noise, per fix, in units of (normalised innovation squared − 1).
    package var noiseAdaptationRate = 0.1
    /// The same for the reported velocity's noise.
    package var velocityNoiseAdaptationRate = 0.2
    /// How far the velocity's noise follows the position's, as the power of the learned scale that it shares.
    ///
    /// Where buildings bend the ranges they bend the Doppler measurement too.
    package var velocityNoiseCoupling = 0.7
    /// Position noise of the process itself, m² per second: what keeps a velocity that is a little late from pulling
    /// the position along.
    package var positionWanderSquareMetersPerSecond = 0.2
    /// A 68 % radius divided by this is one standard deviation per axis of a round two-dimensional normal error.
    package var accuracyRadiusPerSigma = 1.51
    /// Reported speed and heading count as a measurement from here, in m/s.
    package var minimumSpeedForHeadingMetersPerSecond = 1.5
    /// Noise of the reported speed, one standard deviation, m/s.
    package var speedNoiseMetersPerSecond = 0.7
    /// Noise of the reported heading, one standard deviation, degrees.
    package var headingNoiseDegrees = 10.0
    /// Innovations over this (normalised, squared, two degrees of freedom) count as rejected; 13.8 is 99.9 %.
    package var gateNormalizedSquared = 13.8
    /// Degrees of freedom of the heavy tails (Student's t) by which large innovations are toned down.
    package var tailDegreesOfFreedom = 4.0
    /// Rejects in a row, consistent with each other, after which the filter starts over at them.
    package var rejectsBeforeRestart = 3
    /// The same for rejects nearer than ``farRejectMeters``, where reflections between houses can agree for a while.
    package var nearRejectsBeforeRestart = 5
    /// Rejects this far from the prediction are a relocation rather than a reflection, in metres.
    package var farRejectMeters = 150.0
    /// Silence after which the filter starts over, in seconds.
    package var restartAfterSeconds = 120.0
    /// Below this reported speed a vehicle may be halted, in m/s; it is released at twice that.
    package var haltSpeedMetersPerSecond = 0.5
    /// Slow fixes in a row after which a vehicle is halted.
    package var haltFixes = 3
    /// A halted vehicle stays within this (or its accuracy, if worse) of where it stopped, in metres.
    package var haltRadiusMeters = 25.0
    /// How often a device may say that it stands and be elsewhere before its slow speeds are not believed any more.
    package var refutationsBeforeDistrust = 3
    /// How long the positions must stay put before a vehicle that reports no speed is halted, in seconds.
    package var haltWithoutSpeedSeconds = 15.0
    /// Fixes that must stay put before a vehicle that reports no speed is halted.
    package var haltWithoutSpeedFixes = 8
    /// `HIGH` confidence under this, in metres.
    package var highConfidenceMeters = 10.0
    /// `MEDIUM` confidence under this, in metres; `LOW` from here on.
    package var mediumConfidenceMeters = 30.0
    /// How much of the noise that a device states beyond what innovations show is taken for slow error, as variance.
    package var slowShareOfStatedNoise = 0.9
    /// How much of the noise learned beyond the stated is matched by slow error, as variance.
    package var slowShareOfLearnedNoise = 1.0
    /// Slow error per axis that is assumed of every device, in metres.
    package var leastSlowErrorMeters = 1.2

    package init() {}

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
        require(positionWanderSquareMetersPerSecond >= 0, "The position wander must not be negative.")
        require(accuracyRadiusPerSigma > 0, "The accuracy radius per sigma must be positive.")
        require(
            speedNoiseMetersPerSecond > 0 && headingNoiseDegrees > 0 && headingNoiseDegrees <= 90,
            "Speed noise must be positive, heading noise in (0, 90] degrees.")
        require(gateNormalizedSquared > 2, "A gate of 2 or less rejects ordinary fixes.")
        require(tailDegreesOfFreedom > 2, "Tails with 2 degrees of freedom or fewer have no variance.")
        require(
            1 <= rejectsBeforeRestart && rejectsBeforeRestart <= nearRejectsBeforeRestart
                && nearRejectsBeforeRestart <= 200,
            "Between 1 and 200 rejects lead to a restart, and near ones no sooner than far ones.")
        require(restartAfterSeconds > 0, "The silence before a restart must be positive.")
        require(
            haltSpeedMetersPerSecond * 2 <= minimumSpeedForHeadingMetersPerSecond,
            "A halted vehicle must be released before its heading counts: twice the halt speed at most.")
        require(
            (1...200).contains(haltFixes) && (1...200).contains(haltWithoutSpeedFixes), "Halts take 1 to 200 fixes.")
        require((1...200).contains(refutationsBeforeDistrust), "Between 1 and 200 contradictions refute a speed.")
        require(haltRadiusMeters > 0, "The halt radius must be positive.")
        require(
            0 < highConfidenceMeters && highConfidenceMeters <= mediumConfidenceMeters,
            "High confidence needs a smaller error than medium confidence.")
        require(
            (0...1).contains(slowShareOfStatedNoise) && (0...4).contains(slowShareOfLearnedNoise)
                && leastSlowErrorMeters >= 0,
            "The slow error must be a share of the noise.")
        return problems
    }
}
