import Support

/// Constant-velocity Kalman filter over one vehicle's fixes.
///
/// The state is position and velocity in a tangent plane, re-centred on the estimate at every step. The noise of the
/// fixes is learned from innovations: in both directions without a stated accuracy, mostly upwards with a stated one.
package struct KinematicFilter: Sendable {
    /// How to treat a fix that fails the innovation gate.
    package enum Continuity: Sendable {
        /// No gap: an outlier until other fixes confirm it.
        case unbroken
        /// Soon after a gap: restart if the fix is far away; a near fix is an outlier such as a reflection.
        case young
        /// After a gap, a new session or a poor fix: restart at the fix.
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
        precondition(settings.problems().isEmpty, "SmoothingSettings must be valid.")
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

    /// Updates the state with a fix `seconds` after the last fix, and returns the estimate.
    ///
    /// `seconds` is at least 0, or `nil` for the first fix. The filter restarts after
    /// ``SmoothingSettings/restartAfterSeconds`` or, if `continuity` allows it, at a fix that fails the gate.
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
        let speed = trustedSpeed(&state, fix)
        updateHalt(&state, &estimate, fix: fix, speed: speed, seconds: seconds, noise: variance.squareRoot())
        predict(&estimate, isHalted: state.halt.isHalted, seconds: max(0, seconds))
        // Applies the velocity first, because it makes the predicted distance much more accurate. A speed without
        // heading does not show bends, so it is applied after the position.
        let knowsVelocity = knowsVelocity(fix, speed: speed)
        if knowsVelocity, let speed, !state.halt.isHalted { observeVelocity(&state, &estimate, fix, speed: speed) }
        let innovation = TangentPlane.Point(east: point.east - estimate.mean.x, north: point.north - estimate.mean.y)
        let distance = normalizedSquared(estimate, innovation, variance)
        let isBeyondGate = distance > settings.gateNormalizedSquared
        if isBeyondGate, continuity == .broken { return restart(&state, at: fix) }
        if isBeyondGate || !state.rejects.isEmpty || isOutsideDistanceGate(innovation, state.halt) {
            let gated = GatedFix(
                fix: fix, innovation: innovation, noise: variance.squareRoot(), seconds: seconds,
                isBeyondGate: isBeyondGate, knowsVelocity: knowsVelocity, velocity: velocity(of: fix, speed: speed))
            if confirmsAlternative(gated, &state), !state.halt.staysAfterLeap { return switchTrack(gated, &state) }
        }
        let ceiling = speed == nil && state.halt.isHalted ? max(0, state.logNoiseScale) : nil
        // updateHalt may have reset the learned noise.
        let learned = stated * (state.logNoiseScale == logScale ? scale : Elementary.exp(Double(state.logNoiseScale)))
        // Fixes beyond the gate that form an alternative track, or a departure from a halt, are not noise.
        if !knowsVelocity || !isBeyondGate || state.rejects.agreeing < 2, state.halt.strays == 0 {
            learnNoise(&state, estimate, innovation, learned: learned, isStated: isStated, knowsVelocity)
        }
        // If the halt is wrong, innovations are not noise, and noise learned from them would keep the vehicle halted.
        if let ceiling { state.logNoiseScale = min(state.logNoiseScale, ceiling) }
        if !state.halt.staysAfterLeap,
            continuity != .unbroken || knowsVelocity
                || !isDeferred(state.rejects, innovation, after: seconds, variance, fix)
        {
            // After a gap, the fix counts in full.
            let used =
                continuity == .broken
                ? variance
                : robustVariance(variance, estimate, innovation, after: seconds, knowsVelocity)
            estimate.observe(east: point.east, north: point.north, variance: used * fixesAtOnce(every: seconds))
            learnLastingError(
                &state, east: point.east - estimate.mean.x, north: point.north - estimate.mean.y, seconds: seconds)
        }
        if !knowsVelocity, let speed, !state.halt.isHalted { observeVelocity(&state, &estimate, fix, speed: speed) }
        estimate.store(into: &state, plane: plane)
        return makeEstimate(of: &state, statedVariance: stated, isStated: isStated, knowsVelocity: knowsVelocity)
    }

    /// Extrapolates the position when the device repeats its last position; returns `nil` if `fix` adds information.
    ///
    /// A moving vehicle continues for `seconds`. A vehicle stays, with growing uncertainty, if it was braking (a last
    /// step slower than the estimate), or is slow or halted and reports no speed. The state does not change.
    package func extrapolate(
        _ state: MotionState, repeating fix: Fix, by seconds: Double, lastMetersPerSecond: Double? = nil
    ) -> Estimate? {
        let speed = state.metersPerSecond
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

    /// Restarts the track at `fix`; keeps the learned noise.
    package func restart(_ state: inout MotionState, at fix: Fix) -> Estimate {
        let isStated = fix.accuracyMeters != nil
        let stated = statedVariance(of: fix)
        let variance = usedVariance(stated, isStated: isStated, state.logNoiseScale)
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

    /// Returns whether the fix passes the gate around the predicted or halted position; near a young track, all pass.
    private func fits(_ state: MotionState, _ fix: Fix, after seconds: Double, _ continuity: Continuity) -> Bool {
        if continuity == .young {
            let meters = Geodesy.nearbyDistanceMeters(from: state.coordinate, to: fix.coordinate)
            if meters <= settings.farRejectMeters { return true }
        }
        let variance = usedVariance(statedVariance(of: fix), isStated: fix.accuracyMeters != nil, state.logNoiseScale)
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

    @inline(__always) func predict(_ estimate: inout KinematicEstimate, isHalted: Bool, seconds: Double) {
        if isHalted {
            // 0.01 m² per second: a halted vehicle creeps a little, and a wrong halt must be corrected.
            estimate.row0.x += 0.01 * seconds
            estimate.row1.y += 0.01 * seconds
            return
        }
        let manoeuvre = min(max(seconds, settings.minimumManoeuvreSeconds), settings.maximumManoeuvreSeconds)
        let acceleration = settings.accelerationMetersPerSecondSquared
        // Fitted on the reference velocities of gsdc_phones_2020-05-14 and on simulated drives: measured
        // deviations per axis are 5 and 9 m over 10 s, 40 and 67 m over 30 s; the model gives 10 and 57 m.
        let share = seconds > manoeuvre ? manoeuvre / seconds : 1
        let detour = 0.005 + 0.1 / 12 * (1 - share * share)
        estimate.predict(
            seconds: seconds, velocityVariance: acceleration * acceleration * manoeuvre * seconds,
            detour: detour, wander: settings.positionWanderSquareMetersPerSecond * seconds)
    }

    /// Returns whether the report determines both velocity components; a nearly zero speed does.
    @inline(__always) private func knowsVelocity(_ fix: Fix, speed: Double?) -> Bool {
        guard let speed else { return false }
        return fix.headingDegrees != nil || speed < settings.minimumSpeedForHeadingMetersPerSecond
    }

    /// Returns the variance per axis by the stated accuracy, or the assumed variance, m².
    @inline(__always) func statedVariance(of fix: Fix) -> Double {
        guard let accuracy = fix.accuracyMeters else {
            return settings.unknownNoiseMeters * settings.unknownNoiseMeters
        }
        let sigma = max(settings.minimumNoiseMeters, accuracy / settings.accuracyRadiusPerSigma)
        return sigma * sigma
    }

    @inline(__always) private func usedVariance(_ stated: Double, isStated: Bool, _ logScale: Float) -> Double {
        usedVariance(stated, isStated: isStated, logScale, scale: Elementary.exp(Double(logScale)))
    }

    /// Returns the variance to use; `scale` is the exponential of `logScale`.
    @inline(__always)
    private func usedVariance(_ stated: Double, isStated: Bool, _ logScale: Float, scale: Double) -> Double {
        let learned = Double(logScale)
        guard isStated, learned < 0 else { return stated * scale }
        let share = min(1, max(0, (slowLogScale - learned) / (slowLogScale - smoothLogScale)))
        return stated * Elementary.exp(share * learned)
    }

    /// Returns the squared innovation over its variance, with two degrees of freedom.
    @inline(__always) private func normalizedSquared(
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

    /// Returns the noise inflation for an innovation: the weight of a Student-t error, at least 1.
    @inline(__always) func tailFactor(_ distance: Double) -> Double { max(1, (tail + distance) / (tail + 2)) }

    /// Returns the position variance including this fix's residual, because errors have Student-t tails.
    ///
    /// The residual is taken after the update. Three rounds come close to the fixed point (variational Bayes).
    @inline(__always) private func robustVariance(
        _ variance: Double, _ estimate: KinematicEstimate, _ innovation: TangentPlane.Point, after seconds: Double,
        _ knowsVelocity: Bool
    ) -> Double {
        let squared = innovation.squaredMeters
        let usual = max(2 * variance, usualErrorSquared)
        guard squared > usual else { return variance }
        var weight = 1 / ((knowsVelocity ? tail : tailWithoutVelocity) + 2)
        // Over a long step, the path deviates from the velocities at its ends as often as the fix is wrong.
        if knowsVelocity, seconds > settings.longStepSeconds {
            let share = settings.longStepSeconds / seconds
            weight *= share * share
        }
        let spread = estimate.positionVariance
        var used = variance + (squared - usual) * weight
        for _ in 0..<3 {
            let share = used / (spread + used)
            let expectedSquare = share * share * squared + 2 * spread * share
            used = variance + max(0, expectedSquare - usual) * weight
        }
        return used
    }

    /// Moves the learned noise towards this innovation, in proportion to the noise's share of it.
    @inline(__always) private func learnNoise(
        _ state: inout MotionState, _ estimate: KinematicEstimate, _ innovation: TangentPlane.Point, learned: Double,
        isStated: Bool, _ knowsVelocity: Bool
    ) {
        let spread = learned + estimate.positionVariance
        let squared = innovation.squaredMeters
        let limit = knowsVelocity ? settings.maximumSurprise : settings.maximumSurpriseWithoutVelocity
        let surprise = min(squared / (2 * spread), limit) - 1
        let adapted = Double(state.logNoiseScale) + settings.noiseAdaptationRate * surprise * learned / spread
        let lowest = isStated ? -4 : learnedLogScale.lowerBound
        let highest = isStated ? maximumLogScale : learnedLogScale.upperBound
        state.logNoiseScale = Float(min(max(adapted, lowest), highest))
    }

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
        let accuracy = own + alternativeOffsetMeters(of: state)
        let confidence: Confidence =
            accuracy < settings.highConfidenceMeters
            ? .high : accuracy < settings.mediumConfidenceMeters ? .medium : .low
        return Estimate(
            coordinate: state.coordinate, headingDegrees: state.headingDegrees < 0 ? nil : Double(state.headingDegrees),
            speedMetersPerSecond: speed, accuracyMeters: accuracy, confidence: confidence,
            isHalted: state.halt.isHalted)
    }

    /// Returns the variance of slow errors, which innovations cannot show.
    ///
    /// With a stated accuracy: shares of its variance, of the part of it that innovations do not show, and of learned
    /// variance beyond it.
    @inline(__always) private func slowVariance(
        logNoiseScale: Float, statedVariance: Double, isStated: Bool, knowsVelocity: Bool
    ) -> Double {
        let learned = statedVariance * Elementary.exp(Double(logNoiseScale))
        // Without a velocity, the estimate follows slow errors.
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
