import Model
import Support

/// A constant-velocity Kalman filter over one vehicle's fixes.
///
/// The state is position and velocity in a tangent plane that is laid anew around the estimate at every step, so that
/// neither distance driven nor the date line ever matters. Reported accuracy is taken as a claim: the innovations
/// correct it, in both directions where no accuracy is stated, upwards mostly where one is.
/// The filter itself holds settings only; everything it knows of a vehicle is in the ``MotionState`` handed to it.
package struct KinematicFilter: Sendable {
    /// How much the fixes before let expect of a fix: what becomes of one that does not fit.
    package enum Continuity: Sendable {
        /// Nothing came between: it is an outlier until others confirm it.
        case unbroken
        /// The track is young: far away it starts the filter over, near by it is an outlier, as reflections are.
        case young
        /// There was a gap, a new session or a poor fix: the filter starts over, for the vehicle is where it is heard.
        case broken
    }

    package let settings: SmoothingSettings
    private let tail: Double
    private let tailWithoutVelocity: Double
    private let usualErrorSquared: Double
    let headingSine: Double
    private let learnedLogScale: ClosedRange<Double>
    private let maximumLogScale: Double
    private let slowLogScale: Double
    private let smoothLogScale: Double

    package init(settings: SmoothingSettings = SmoothingSettings()) {
        precondition(settings.problems().isEmpty, "Smoothing settings were used that were not checked.")
        self.settings = settings
        tail = settings.tailDegreesOfFreedom
        tailWithoutVelocity = settings.tailDegreesOfFreedomWithoutVelocity
        usualErrorSquared = settings.usualErrorMeters * settings.usualErrorMeters
        headingSine = Elementary.sin(settings.headingNoiseDegrees * .pi / 180)
        let unknown = settings.unknownNoiseMeters
        learnedLogScale =
            2 * Elementary.log(settings.learnedNoiseMeters.lowerBound / unknown)...2
            * Elementary.log(settings.learnedNoiseMeters.upperBound / unknown)
        maximumLogScale = Elementary.log(settings.maximumNoiseScale)
        slowLogScale = Elementary.log(settings.slowNoiseScale)
        smoothLogScale = Elementary.log(settings.smoothDeviceScale)
    }

    /// Takes in a fix that is `seconds` younger than the last one taken in, and answers where the vehicle is.
    ///
    /// `seconds` is from 0 on, and `nil` when there is no last one. Over ``SmoothingSettings/restartAfterSeconds`` the
    /// filter starts over; where `continuity` allows it, also at a fix that does not fit the prediction.
    package func update(
        _ state: inout MotionState, with fix: Fix, after seconds: Double?, _ continuity: Continuity = .unbroken
    ) -> Estimate {
        guard state.isStarted, let seconds, seconds <= settings.restartAfterSeconds else {
            return restart(&state, at: fix)
        }
        if continuity != .unbroken, !fits(state, fix, after: seconds, continuity) { return restart(&state, at: fix) }
        let plane = TangentPlane(origin: state.coordinate)
        let point = plane.point(of: fix.coordinate)
        let isStated = fix.accuracyMeters != nil
        let stated = statedVariance(of: fix)
        let logScale = state.logNoiseScale
        let scale = Elementary.exp(Double(logScale))
        let variance = usedVariance(stated, isStated: isStated, state.logNoiseScale, scale: scale)
        var estimate = KinematicEstimate(state)
        let speed = believedSpeed(&state, fix)
        settleHalt(&state, &estimate, fix: fix, speed: speed, seconds: seconds, noise: variance.squareRoot())
        predict(&estimate, isHalted: state.halt.isHalted, seconds: max(0, seconds))
        // The velocity first: the way made since the last fix is known far better with it, and a position that does not
        // fit stands out. A speed without a heading says nothing of bends: there the position goes first.
        let knowsVelocity = knowsVelocity(fix, speed: speed)
        if knowsVelocity, let speed, !state.halt.isHalted { observeVelocity(&state, &estimate, fix, speed: speed) }
        let innovation = TangentPlane.Point(east: point.east - estimate.mean.x, north: point.north - estimate.mean.y)
        let distance = normalizedSquared(estimate, innovation, variance)
        let isBeyondGate = distance > settings.gateNormalizedSquared
        if isBeyondGate, continuity == .broken { return restart(&state, at: fix) }
        if isBeyondGate || !state.rejects.isEmpty || isOff(innovation, state.halt) {
            let misfit = Misfit(
                fix: fix, innovation: innovation, noise: variance.squareRoot(), seconds: seconds,
                isBeyondGate: isBeyondGate, knowsVelocity: knowsVelocity, velocity: velocity(of: fix, speed: speed))
            if isRight(misfit, &state), !state.halt.isHeldAfterLeap { return follow(misfit, &state) }
        }
        let ceiling = speed == nil && state.halt.isHalted ? max(0, state.logNoiseScale) : nil
        // A device that turned out to stand elsewhere than it says has lost what was learned of it.
        let learned = stated * (state.logNoiseScale == logScale ? scale : Elementary.exp(Double(state.logNoiseScale)))
        // Fixes beyond the gate that make a track of their own, or a departure from a halt, are no noise.
        if !knowsVelocity || !isBeyondGate || state.rejects.agreeing < 2, state.halt.strays == 0 {
            learnNoise(&state, estimate, innovation, learned: learned, isStated: isStated, knowsVelocity)
        }
        // A vehicle held by mistake makes innovations that are not noise, and noise would keep it held.
        if let ceiling { state.logNoiseScale = min(state.logNoiseScale, ceiling) }
        if !state.halt.isHeldAfterLeap,
            continuity != .unbroken || knowsVelocity
                || !isHeldOff(state.rejects, innovation, after: seconds, variance, fix)
        {
            // After a gap the vehicle is where it is heard.
            let used =
                continuity == .broken
                ? variance
                : robustVariance(variance, estimate, innovation, after: seconds, knowsVelocity)
            estimate.observe(
                east: point.east, north: point.north, variance: used * fixesAtOnce(every: seconds))
            learnLastingError(
                &state, east: point.east - estimate.mean.x, north: point.north - estimate.mean.y, seconds: seconds)
        }
        if !knowsVelocity, let speed, !state.halt.isHalted { observeVelocity(&state, &estimate, fix, speed: speed) }
        estimate.store(into: &state, plane: plane)
        return makeEstimate(of: &state, statedVariance: stated, isStated: isStated, knowsVelocity: knowsVelocity)
    }

    /// Where the vehicle is when its device sends its last position again, `seconds` after the fix taken in last.
    ///
    /// Changes nothing, for `fix` says nothing new. A vehicle that drives goes on. Where the last step, at
    /// `lastMetersPerSecond`, was slower than the estimate, which is late by a moment, it was braking and may as well
    /// have stopped: then it is left where it was, less and less surely. A vehicle that is slow or stands is left where
    /// it was too, if its device reports no speed: a position that comes six times counts once, or the estimate would
    /// run after each. `nil` when `fix` does say something, as its speed does of a slow vehicle, and has to be taken
    /// in.
    package func extrapolate(
        _ state: MotionState, repeating fix: Fix, by seconds: Double, lastMetersPerSecond: Double? = nil
    ) -> Estimate? {
        let east = Double(state.eastMetersPerSecond)
        let north = Double(state.northMetersPerSecond)
        let speed = (east * east + north * north).squareRoot()
        let drives = !state.halt.isHalted && speed >= 2
        guard state.isStarted, drives || fix.speedMetersPerSecond == nil else { return nil }
        let plane = TangentPlane(origin: state.coordinate)
        var estimate = KinematicEstimate(state)
        predict(&estimate, isHalted: state.halt.isHalted, seconds: seconds)
        let brakes = lastMetersPerSecond.map { $0 < settings.brakingSpeedShare * speed } ?? false
        if !drives || brakes {
            estimate.mean.x = 0
            estimate.mean.y = 0
        }
        var ahead = state
        estimate.store(into: &ahead, plane: plane)
        return makeEstimate(
            of: &ahead, statedVariance: statedVariance(of: fix), isStated: fix.accuracyMeters != nil,
            knowsVelocity: false)
    }

    /// Forgets the track, not the learned noise, and starts over at `fix`.
    package func restart(_ state: inout MotionState, at fix: Fix) -> Estimate {
        let isStated = fix.accuracyMeters != nil
        let stated = statedVariance(of: fix)
        let variance = usedVariance(
            stated, isStated: isStated, state.logNoiseScale, scale: Elementary.exp(Double(state.logNoiseScale)))
        var estimate = KinematicEstimate(mean: .zero, positionVariance: variance, velocityVariance: 100)
        if let speed = fix.speedMetersPerSecond {
            if speed < settings.minimumSpeedForHeadingMetersPerSecond {
                estimate = KinematicEstimate(mean: .zero, positionVariance: variance, velocityVariance: 4)
            } else if let heading = fix.headingDegrees {
                let direction = Direction(headingDegrees: heading)
                let mean = SIMD4(0, 0, speed * direction.east, speed * direction.north)
                estimate = KinematicEstimate(mean: mean, positionVariance: variance, velocityVariance: 9)
            }
        }
        state.isStarted = true
        state.rejects = MotionState.Rejects()
        state.halt = MotionState.Halt()
        state.lasting.forgetResidual()
        estimate.store(into: &state, plane: TangentPlane(origin: fix.coordinate))
        state.coordinate = fix.coordinate
        return makeEstimate(
            of: &state, statedVariance: stated, isStated: isStated,
            knowsVelocity: knowsVelocity(fix, speed: fix.speedMetersPerSecond))
    }

    /// Whether the fix is about where the track, or the place where the vehicle stood, lets expect it.
    ///
    /// Near a young track every fix is.
    private func fits(
        _ state: MotionState, _ fix: Fix, after seconds: Double, _ continuity: Continuity
    ) -> Bool {
        if continuity == .young {
            let meters = Geodesy.nearbyDistanceMeters(from: state.coordinate, to: fix.coordinate)
            if meters <= settings.farRejectMeters { return true }
        }
        let isStated = fix.accuracyMeters != nil
        let variance = usedVariance(
            statedVariance(of: fix), isStated: isStated, state.logNoiseScale,
            scale: Elementary.exp(Double(state.logNoiseScale)))
        if state.halt.isHalted {
            let distance = Geodesy.nearbyDistanceMeters(from: state.halt.anchor.coordinate, to: fix.coordinate)
            let knowsSpeed =
                fix.speedMetersPerSecond != nil && Int(state.refutations) < settings.refutationsBeforeDistrust
            return distance <= haltRadius(fix, noise: variance.squareRoot(), knowsSpeed: knowsSpeed)
        }
        let point = TangentPlane(origin: state.coordinate).point(of: fix.coordinate)
        var estimate = KinematicEstimate(state)
        predict(&estimate, isHalted: false, seconds: max(0, seconds))
        let innovation = TangentPlane.Point(east: point.east - estimate.mean.x, north: point.north - estimate.mean.y)
        return normalizedSquared(estimate, innovation, variance) <= settings.gateNormalizedSquared
    }

    @inline(__always)
    func predict(_ estimate: inout KinematicEstimate, isHalted: Bool, seconds: Double) {
        if isHalted {
            // A parked vehicle creeps by a decimetre a second at most; enough that a wrong halt heals.
            estimate.row0.x += 0.01 * seconds
            estimate.row1.y += 0.01 * seconds
            return
        }
        let manoeuvre = min(max(seconds, settings.minimumManoeuvreSeconds), settings.maximumManoeuvreSeconds)
        let acceleration = settings.accelerationMetersPerSecondSquared
        // Fitted on the reference velocities of gsdc_phones_2020-05-14 and on simulated drives: what speeds up slows
        // down again, so the way between two known velocities strays a third as far as with accelerations at random.
        // Measured 5 and 9 m per axis over 10 s, 40 and 67 m over 30 s; here 11 and 57 m.
        let share = seconds > manoeuvre ? manoeuvre / seconds : 1
        let detour = 0.005 + 0.1 / 12 * (1 - share * share)
        estimate.predict(
            seconds: seconds, velocityVariance: acceleration * acceleration * manoeuvre * seconds,
            detour: detour, wander: settings.positionWanderSquareMetersPerSecond * seconds)
    }

    /// Whether a report tells the velocity in both directions; so does one of hardly any speed.
    @inline(__always)
    private func knowsVelocity(_ fix: Fix, speed: Double?) -> Bool {
        guard let speed else { return false }
        return fix.headingDegrees != nil || speed < settings.minimumSpeedForHeadingMetersPerSecond
    }

    /// The variance per axis that the device claims, or that is assumed of one that claims nothing, m².
    @inline(__always)
    func statedVariance(of fix: Fix) -> Double {
        guard let accuracy = fix.accuracyMeters else {
            return settings.unknownNoiseMeters * settings.unknownNoiseMeters
        }
        let sigma = max(settings.minimumNoiseMeters, accuracy / settings.accuracyRadiusPerSigma)
        return sigma * sigma
    }

    @inline(__always)
    private func usedVariance(_ stated: Double, isStated: Bool, _ logScale: Float, scale: Double) -> Double {
        let learned = Double(logScale)
        guard isStated, learned < 0 else { return stated * scale }
        let share = min(1, max(0, (slowLogScale - learned) / (slowLogScale - smoothLogScale)))
        return stated * Elementary.exp(share * learned)
    }

    /// Innovation squared over its variance, two degrees of freedom.
    @inline(__always)
    private func normalizedSquared(
        _ estimate: KinematicEstimate, _ innovation: TangentPlane.Point, _ variance: Double
    ) -> Double {
        let ee = estimate.row0.x + variance
        let nn = estimate.row1.y + variance
        let en = estimate.row0.y
        let squared =
            nn * innovation.east * innovation.east - 2 * en * innovation.east * innovation.north
            + ee * innovation.north * innovation.north
        return squared / (ee * nn - en * en)
    }

    /// By how much the noise is inflated for an innovation this large: the weight of a Student-t error, and never less
    /// than 1, so that an ordinary fix counts as it should.
    @inline(__always)
    func tailFactor(_ distance: Double) -> Double { max(1, (tail + distance) / (tail + 2)) }

    /// The position's variance with what its residual says of this one fix: errors have tails as heavy as Student's t.
    ///
    /// The residual is the one that is left after the update, so where the prediction is unsure anyway the fix counts
    /// in full; the fixed point of that (variational Bayes for t-distributed noise) is near after three rounds.
    @inline(__always)
    private func robustVariance(
        _ variance: Double, _ estimate: KinematicEstimate, _ innovation: TangentPlane.Point, after seconds: Double,
        _ knowsVelocity: Bool
    ) -> Double {
        let squared = innovation.east * innovation.east + innovation.north * innovation.north
        let usual = max(2 * variance, usualErrorSquared)
        guard squared > usual else { return variance }
        var weight = 1 / ((knowsVelocity ? tail : tailWithoutVelocity) + 2)
        // Over a long step the way strays from what the velocities at its ends tell as often as the fix is off.
        if knowsVelocity, seconds > settings.longStepSeconds {
            let share = settings.longStepSeconds / seconds
            weight *= share * share
        }
        let spread = estimate.positionVariance
        var used = variance + (squared - usual) * weight
        for _ in 0..<3 {
            let share = used / (spread + used)
            let left = share * share * squared + 2 * spread * share
            used = variance + max(0, left - usual) * weight
        }
        return used
    }

    /// Moves the learned noise towards what this innovation says, the less the more of it is the prediction's fault.
    @inline(__always)
    private func learnNoise(
        _ state: inout MotionState, _ estimate: KinematicEstimate, _ innovation: TangentPlane.Point, learned: Double,
        isStated: Bool, _ knowsVelocity: Bool
    ) {
        let spread = learned + estimate.positionVariance
        let squared = innovation.east * innovation.east + innovation.north * innovation.north
        let limit = knowsVelocity ? settings.maximumSurprise : settings.maximumSurpriseWithoutVelocity
        let surprise = min(squared / (2 * spread), limit) - 1
        let moved = Double(state.logNoiseScale) + settings.noiseAdaptationRate * surprise * learned / spread
        let lowest = isStated ? -4 : learnedLogScale.lowerBound
        let highest = isStated ? maximumLogScale : learnedLogScale.upperBound
        state.logNoiseScale = Float(min(max(moved, lowest), highest))
    }

    /// The answer to the caller, from a state that was just brought up to date.
    func makeEstimate(
        of state: inout MotionState, statedVariance: Double, isStated: Bool, knowsVelocity: Bool
    ) -> Estimate {
        let east = Double(state.eastMetersPerSecond)
        let north = Double(state.northMetersPerSecond)
        let speed = (east * east + north * north).squareRoot()
        if speed >= 1 {
            state.headingDegrees = Float(Geodesy.normalizedHeading(Elementary.atan2(east, north) * 180 / .pi))
        }
        let variance = Double(state.covariance.ee + state.covariance.nn) / 2
        let slow = slowVariance(
            logNoiseScale: state.logNoiseScale, statedVariance: statedVariance, isStated: isStated,
            knowsVelocity: knowsVelocity)
        let lasting = settings.lastingErrorFactor * Double(state.lasting.variance)
        let own = settings.accuracyRadiusPerSigma * max(variance + slow, lasting).squareRoot()
        let accuracy = own + doubtMeters(of: state)
        let confidence: Confidence =
            accuracy < settings.highConfidenceMeters
            ? .high : accuracy < settings.mediumConfidenceMeters ? .medium : .low
        return Estimate(
            coordinate: state.coordinate, headingDegrees: state.headingDegrees < 0 ? nil : Double(state.headingDegrees),
            speedMetersPerSecond: speed, accuracyMeters: accuracy, confidence: confidence,
            isHalted: state.halt.isHalted)
    }

    /// Error that the innovations cannot show because it changes slowly.
    ///
    /// Of what a device states that is a share of it all, for what innovations show goes up and down, and a larger
    /// share of what they do not show.
    @inline(__always)
    private func slowVariance(
        logNoiseScale: Float, statedVariance: Double, isStated: Bool, knowsVelocity: Bool
    ) -> Double {
        let learned = statedVariance * Elementary.exp(Double(logNoiseScale))
        // Without a velocity the estimate follows slow errors wherever they go.
        let share =
            !knowsVelocity
            ? settings.slowShareWithoutVelocity
            : isStated ? settings.slowShareOfExcessNoise : settings.slowShareOfLearnedNoise
        let slow =
            isStated
            ? settings.leastSlowShareOfStatedNoise * statedVariance
                + settings.slowShareOfHiddenNoise * max(0, statedVariance - learned)
                + share * max(0, learned - statedVariance)
            : share * learned
        return max(settings.leastSlowErrorMeters * settings.leastSlowErrorMeters, slow)
    }
}
