/// Settings of ``KinematicFilter``; the defaults suit cars and buses.
package struct SmoothingSettings: Sendable, Equatable {
    /// Standard deviation of the vehicle's acceleration, m/s²: 1.5 for cars and buses, 2.5 motorbikes, 0.5 walking.
    package var accelerationMetersPerSecondSquared = 1.5
    /// Minimum duration of an acceleration, in seconds; makes process noise independent of the sampling rate.
    package var minimumManoeuvreSeconds = 1.0
    /// Maximum duration of an acceleration, in seconds; beyond it, the velocity is a random walk.
    package var maximumManoeuvreSeconds = 4.0
    /// Minimum noise per axis with a stated accuracy, in metres.
    package var minimumNoiseMeters = 3.0
    /// Initial noise per axis without a stated accuracy, in metres (GSDC 2021: 3 m with a clear view).
    package var unknownNoiseMeters = 4.0
    /// Bounds of the learned noise per axis without a stated accuracy, in metres.
    package var learnedNoiseMeters = 0.5...100.0
    /// Share of the stated variance below which a learned variance is used in full, because the receiver filters.
    package var smoothDeviceScale = 0.05
    /// Share of the stated variance down to which a smaller learned variance is ignored; the difference is slow noise.
    package var slowNoiseScale = 0.15
    /// Maximum ratio of learned to stated noise variance.
    package var maximumNoiseScale = 900.0
    /// Step of the learned noise per fix, in units of (normalised innovation squared − 1).
    package var noiseAdaptationRate = 0.1
    /// Step of the learned noise of the reported velocity, in the units of ``noiseAdaptationRate``.
    package var velocityNoiseAdaptationRate = 0.2
    /// Coupling of velocity noise to position noise, as an exponent of the learned scale; reflections distort both.
    package var velocityNoiseCoupling = 0.7
    /// Seconds within which fixes count as one measurement, because their errors are equal.
    package var independenceSeconds = 1.0
    /// Time constant for comparing residuals to find lasting errors, in seconds.
    ///
    /// This and ``lastingErrorFactor`` were chosen on simulated drives and parking (seeds 101 to 112) and on the
    /// recorded canyon, where at most 76 % of the errors may be within the accuracy; they cannot verify the choice.
    package var lastingErrorSeconds = 30.0
    /// Minimum variance of the error, as a multiple of the variance of the lasting error.
    package var lastingErrorFactor = 0.65
    /// Position noise of the process, in m² per second, so that a delayed velocity does not displace the position.
    package var positionWanderSquareMetersPerSecond = 0.2
    /// Ratio of the 68 % radius to one standard deviation per axis, for a circular normal error.
    package var accuracyRadiusPerSigma = 1.51
    /// Minimum speed for reported speed and heading to count as a measurement, in m/s.
    package var minimumSpeedForHeadingMetersPerSecond = 1.5
    /// Noise of the reported speed, one standard deviation, m/s.
    package var speedNoiseMetersPerSecond = 0.8
    /// Noise of the reported heading, one standard deviation, degrees.
    package var headingNoiseDegrees = 7.0
    /// Maximum variance of the estimated direction, in radians², for a speed without heading to count.
    package var unsureDirection = 0.3
    /// Innovation gate (normalised, squared, two degrees of freedom); 13.8 is 99.9 %.
    package var gateNormalizedSquared = 13.8
    /// Degrees of freedom of the heavy tails (Student's t) that reduce the weight of large innovations.
    package var tailDegreesOfFreedom = 4.0
    /// Step duration, in seconds, beyond which large innovations are reduced less, because the vehicle may have turned.
    package var longStepSeconds = 8.0
    /// Degrees of freedom without a speed and heading, where a large innovation may be a manoeuvre.
    package var tailDegreesOfFreedomWithoutVelocity = 20.0
    /// Error, in metres, up to which an innovation is normal: the step in which filtering receivers correct themselves.
    package var usualErrorMeters = 6.0
    /// Maximum innovation that the noise learns from (normalised, squared, per degree of freedom).
    ///
    /// High, so that the noise between buildings is learned within a few fixes; 6 to 16 differ little.
    package var maximumSurprise = 8.0
    /// Maximum innovation without a speed and heading, because deferred outliers must not count as noise.
    package var maximumSurpriseWithoutVelocity = 4.0
    /// Consecutive consistent fixes farther than ``farRejectMeters`` after which the filter restarts at the last one.
    package var rejectsBeforeRestart = 3
    /// Number of fixes before a restart nearer than ``farRejectMeters``, where reflections can agree for a while.
    package var nearRejectsBeforeRestart = 5
    /// Number of near fixes with a speed and heading before a restart; most reflections are shorter.
    package var nearRejectsWithVelocityBeforeRestart = 8
    /// Distance from the prediction, in metres, beyond which a fix cannot be a reflection.
    package var farRejectMeters = 150.0
    /// Distance gate, in metres, beyond which a fix may belong to an alternative track, even after noisy fixes.
    package var distanceGateMeters = 7.0
    /// Minimum distance of a deferred fix from the prediction, in metres, besides ``strayNoiseFactor`` × the noise.
    package var strayMeters = 10.0
    /// Multiple of the noise per axis added to ``strayMeters``.
    package var strayNoiseFactor = 2.0
    /// Maximum ratio of learned to stated noise variance at which fixes are deferred.
    package var deferralNoiseScale = 1.5
    /// Consecutive agreeing fixes before the filter switches to an alternative track.
    package var agreeingFixes = 3
    /// Minimum duration of the ``agreeingFixes``, in seconds, because three outliers are shorter at high rates.
    package var agreeingSeconds = 1.5
    /// Maximum duration of an agreeing step, in seconds; velocities predict longer steps poorly.
    package var agreeingStepSeconds = 1.5
    /// Maximum deviation of an agreeing step from the mean of the velocities at its ends, in metres.
    ///
    /// Of 1 s steps of recorded phones that filter, 95 % deviate by at most 1.0 to 1.5 m, 99 % by 1.4 to 2.5 m.
    package var agreementMeters = 2.0
    /// Maximum deviation as a share of the distance between both tracks, if larger than ``agreementMeters``.
    ///
    /// Errors by reflections vary from fix to fix by a share of their size. Fitted on recorded and simulated canyons.
    package var agreementShare = 0.06
    /// Maximum deviation of a step from the previous step without a velocity, in metres.
    package var agreementMetersWithoutVelocity = 10.0
    /// Maximum deviation without a velocity as a share of the distance between both tracks, if less.
    package var agreementShareWithoutVelocity = 0.33
    /// Gap between fixes after which the filter restarts, in seconds.
    package var restartAfterSeconds = 120.0
    /// Reported speed below which a vehicle may be halted, in m/s; twice that ends the halt.
    package var haltSpeedMetersPerSecond = 0.5
    /// Consecutive slow fixes after which a vehicle is halted.
    package var haltFixes = 3
    /// Maximum distance of a halted vehicle's fixes from the halt, in metres; more if their accuracy is worse.
    package var haltRadiusMeters = 25.0
    /// Maximum plausible departure speed of a halted vehicle, in m/s; a faster, far move must last three fixes.
    package var departureMetersPerSecond = 20.0
    /// Maximum consecutive fixes that are ignored when a halted vehicle that has leapt before leaps again.
    package var leapFixes = 20
    /// Maximum step between two of the ``leapFixes``, in metres.
    package var leapStepMeters = 8.0
    /// Maximum departure acceleration of a halted vehicle that reports no speed, in m/s².
    package var departureMetersPerSecondSquared = 4.0
    /// Distance of the recent mean that ends a halt without a speed, as a multiple of the noise per axis.
    package var driftPerNoise = 1.8
    /// Distance that ends the halt of a parked vehicle, as a multiple of the (correlated) noise.
    ///
    /// Chosen on simulated parking and stopping with seeds 1 to 6, when results with seeds 11 to 40 were known.
    package var parkedDriftPerNoise = 2.5
    /// Halt duration after which a vehicle is parked, in seconds: longer than at traffic lights.
    package var parkedSeconds = 120.0
    /// Contradicted reports of standstill after which slow speeds of the device are ignored.
    package var refutationsBeforeDistrust = 3
    /// Share of its estimated speed below which the last step of a vehicle means braking.
    ///
    /// Fitted on barefoot_munich and doha_phone, checked on simulated drives.
    package var brakingSpeedShare = 0.8
    /// Seconds without movement before a vehicle that reports no speed is halted.
    package var haltWithoutSpeedSeconds = 15.0
    /// Fixes without movement before a vehicle that reports no speed is halted.
    package var haltWithoutSpeedFixes = 8
    /// Accuracy radius, in metres, below which the confidence is `HIGH`.
    package var highConfidenceMeters = 10.0
    /// Accuracy radius, in metres, below which the confidence is `MEDIUM`, and from which it is `LOW`.
    package var mediumConfidenceMeters = 30.0
    /// Minimum share of the stated noise that is slow error, as variance.
    ///
    /// This and ``slowShareOfHiddenNoise`` were chosen on simulated drives with correlated noise (seeds 1 to 6). The
    /// results with seeds 11 to 16, 21 to 60 and of the recorded canyon were known, and cannot verify the choice.
    package var leastSlowShareOfStatedNoise = 0.2
    /// Additional share of the stated noise that innovations do not show, as variance.
    package var slowShareOfHiddenNoise = 0.5
    /// Slow error as a share of the learned noise beyond the stated noise, as variance.
    package var slowShareOfExcessNoise = 0.2
    /// Slow error as a share of the learned noise of a device that states no accuracy, as variance.
    package var slowShareOfLearnedNoise = 1.5
    /// Share that replaces the previous two without speed and heading, when the estimate follows every slow error.
    package var slowShareWithoutVelocity = 2.5
    /// Slow error per axis assumed for every device, in metres, because it cannot be measured from the fixes.
    ///
    /// Half of all phone fixes are more than 2.1 m off (GSDC 2021). 1.2 m would fit the two phones with a reference
    /// together, 1.38 to 1.41 m the receiver (comma2k19_highway); no value fits all three.
    package var leastSlowErrorMeters = 1.38
}
