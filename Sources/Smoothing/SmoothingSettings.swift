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
    ///
    /// Phones under open sky are right to 3 m (68 %, GSDC 2021), the worse ones to twice that.
    package var unknownNoiseMeters = 4.0
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
    /// Fixes nearer to each other than this, in seconds, count as one together: their errors are the same.
    package var independenceSeconds = 1.0
    /// Over how long the residuals are compared that show errors which last, in seconds.
    ///
    /// It and the next were chosen on simulated drives and parking in canyons and with correlated noise (seeds 101 to
    /// 112) and on the recorded canyon, of whose errors 76 % may lie within the accuracy: none of those is a check.
    package var lastingErrorSeconds = 30.0
    /// The error's variance is at least this share of what the residuals have in common, which is of both axes.
    package var lastingErrorFactor = 0.65
    /// Position noise of the process itself, m² per second: what keeps a velocity that is a little late from pulling
    /// the position along.
    package var positionWanderSquareMetersPerSecond = 0.2
    /// A 68 % radius divided by this is one standard deviation per axis of a round two-dimensional normal error.
    package var accuracyRadiusPerSigma = 1.51
    /// Reported speed and heading count as a measurement from here, in m/s.
    package var minimumSpeedForHeadingMetersPerSecond = 1.5
    /// Noise of the reported speed, one standard deviation, m/s.
    package var speedNoiseMetersPerSecond = 0.8
    /// Noise of the reported heading, one standard deviation, degrees.
    package var headingNoiseDegrees = 7.0
    /// A speed without a heading counts while the variance of the estimate's own direction is under this, in radians².
    ///
    /// Anything from 0.1 to 2 does alike in the recorded canyon and on simulated drives.
    package var unsureDirection = 0.3
    /// Innovations over this (normalised, squared, two degrees of freedom) count as rejected; 13.8 is 99.9 %.
    package var gateNormalizedSquared = 13.8
    /// Degrees of freedom of the heavy tails (Student's t) by which large innovations are toned down.
    package var tailDegreesOfFreedom = 4.0
    /// After longer steps than this, in seconds, large innovations are toned down less and less: it may be the way.
    ///
    /// Fitted on simulated drives at 10 s and the outages of the recorded canyon, which are shorter.
    package var longStepSeconds = 8.0
    /// The same for positions without a speed and heading: a large innovation may as well be a manoeuvre then.
    package var tailDegreesOfFreedomWithoutVelocity = 20.0
    /// Errors under this are nothing unusual however smooth the positions were before, in metres: chips that filter
    /// take their corrections in steps of this size.
    package var usualErrorMeters = 6.0
    /// The noise learns from an innovation as if it were at most this (normalised, squared, per degree of freedom).
    ///
    /// High, so that the noise between buildings is learned within a few fixes; fitted on the recorded canyon and
    /// checked on simulated ones, where 6 to 16 differ little.
    package var maximumSurprise = 8.0
    /// The same without a speed and heading: outliers, which are held off then, must not pass for noise.
    package var maximumSurpriseWithoutVelocity = 4.0
    /// Rejects in a row, consistent with each other, after which the filter starts over at them.
    package var rejectsBeforeRestart = 3
    /// The same for rejects nearer than ``farRejectMeters``, where reflections between houses can agree for a while.
    package var nearRejectsBeforeRestart = 5
    /// The same with a speed and heading, by which the track is known for longer than most reflections last.
    package var nearRejectsWithVelocityBeforeRestart = 8
    /// Rejects this far from the prediction are a relocation rather than a reflection, in metres.
    package var farRejectMeters = 150.0
    /// A fix this far from the prediction, in metres, may be of another track, however noisy the fixes before were.
    package var offMeters = 7.0
    /// How far a fix without a speed and heading is from the prediction that may be left out as an outlier, in metres.
    ///
    /// Within a second or so, and with ``strayNoiseFactor`` times the noise on top. Nearer ones are corrections.
    package var strayMeters = 10.0
    /// How many times the noise per axis is added to ``strayMeters``.
    package var strayNoiseFactor = 2.0
    /// Such a fix is left out while the learned noise variance is up to so many times the stated one, or that of
    /// ``minimumNoiseMeters`` where no accuracy is stated: the first of two outliers has taught some noise.
    package var heldOffNoiseScale = 1.5
    /// Fixes in a row that agree on another track before it is the one that is shown.
    package var agreeingFixes = 3
    /// How long they last at least, in seconds: at high rates, three outliers in a row last less.
    package var agreeingSeconds = 1.5
    /// A longer step than this does not agree, in seconds: the velocities at its ends tell too little of it.
    package var agreeingStepSeconds = 1.5
    /// How far a step may be from the mean of the velocities at its ends to agree, in metres.
    ///
    /// Of the steps of recorded phones that filter, 95 of 100 are within 1.0 and 1.5 m at 1 s, 99 within 1.4 and 2.5 m.
    package var agreementMeters = 2.0
    /// The same as a share of the distance between both tracks, where that is more.
    ///
    /// Reflections differ from fix to fix by a share of their length. From 0.05 to 0.07 the recorded canyon gets better
    /// by 5 % (a single recovery), at 0.08 and 0.04 by less than 1 %; simulated canyons get better throughout.
    package var agreementShare = 0.06
    /// How far a step may be from the one before it without a velocity, in metres.
    package var agreementMetersWithoutVelocity = 10.0
    /// The same as a share of the distance between both tracks, where that is less.
    package var agreementShareWithoutVelocity = 0.33
    /// Silence after which the filter starts over, in seconds.
    package var restartAfterSeconds = 120.0
    /// Below this reported speed a vehicle may be halted, in m/s; it is released at twice that.
    package var haltSpeedMetersPerSecond = 0.5
    /// Slow fixes in a row after which a vehicle is halted.
    package var haltFixes = 3
    /// A halted vehicle stays within this (or its accuracy, if worse) of where it stopped, in metres.
    package var haltRadiusMeters = 25.0
    /// A halted vehicle that seems to have driven off faster than this, in m/s, and farther than ``farRejectMeters``,
    /// has leapt, which takes a second fix to believe: 20 m/s from a standstill takes 10 s of hard acceleration.
    package var departureMetersPerSecond = 20.0
    /// Fixes in a row that are left out when a halted vehicle that has leapt before leaps again.
    package var leapFixes = 20
    /// The longest step between two such fixes, in metres.
    package var leapStepMeters = 8.0
    /// A halted vehicle that reports no speed departs with no more than this, in m/s².
    package var departureMetersPerSecondSquared = 4.0
    /// A vehicle that reports no speed is released when the recent mean of its fixes is this far from where it stands,
    /// in units of the noise per axis.
    package var driftPerNoise = 1.8
    /// The same once it is parked: correlated noise strays that far from time to time, and who has stood for long is
    /// not about to leave.
    ///
    /// Chosen on simulated parking and stopping with the seeds 1 to 6, with the parking of 11 to 40 in view.
    package var parkedDriftPerNoise = 2.5
    /// A vehicle that has been halted for this long is parked, in seconds: longer than at traffic lights.
    package var parkedSeconds = 120.0
    /// How often a device may say that it stands and be elsewhere before its slow speeds are not believed any more.
    package var refutationsBeforeDistrust = 3
    /// A vehicle whose last step was slower than this share of its estimated speed brakes.
    ///
    /// It may have stopped when the device repeats a position. Fitted on barefoot_munich and doha_phone, checked on
    /// simulated drives.
    package var brakingSpeedShare = 0.8
    /// How long the positions must stay put before a vehicle that reports no speed is halted, in seconds.
    package var haltWithoutSpeedSeconds = 15.0
    /// Fixes that must stay put before a vehicle that reports no speed is halted.
    package var haltWithoutSpeedFixes = 8
    /// `HIGH` confidence under this, in metres.
    package var highConfidenceMeters = 10.0
    /// `MEDIUM` confidence under this, in metres; `LOW` from here on.
    package var mediumConfidenceMeters = 30.0
    /// How much of the noise that a device states is slow error at least, as variance.
    ///
    /// It and the next were chosen on simulated drives with correlated noise (seeds 1 to 6), with the seeds 11 to 16,
    /// 21 to 60 and the recorded canyon in view: none of those is a check. On 21 to 60 it puts 66 to 67 % of the errors
    /// within the accuracy given at 1 s, in simulated canyons 59 to 67 %.
    package var leastSlowShareOfStatedNoise = 0.2
    /// How much of the noise that a device states beyond what innovations show is slow error on top, as variance.
    package var slowShareOfHiddenNoise = 0.5
    /// How much of the noise learned beyond the stated is matched by slow error, as variance.
    package var slowShareOfExcessNoise = 0.2
    /// How much of the noise learned of a device that states none is matched by slow error, as variance.
    package var slowShareOfLearnedNoise = 1.5
    /// The same two without a speed and heading, when the estimate goes along with every slow error; chosen on
    /// simulated drives with correlated noise and on poorer variants of the recordings with a reference.
    package var slowShareWithoutVelocity = 2.5
    /// Slow error per axis that is assumed of every device, in metres.
    ///
    /// It cannot be seen, only known: half of all fixes of phones are over 2.1 m off (GSDC 2021), which smoothing does
    /// not change. Devices cannot be told apart by it: of three that filter (gsdc_phones_2020-05-14, comma2k19_highway)
    /// the one with the steadiest positions is the farthest off. 1.2 m would fit the two phones together, 1.38 to 1.41
    /// the receiver, none all.
    package var leastSlowErrorMeters = 1.38

    package init() {}
}
