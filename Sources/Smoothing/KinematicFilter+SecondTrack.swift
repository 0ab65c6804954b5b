import Model

/// The second hypothesis: fixes that do not fit the track are a track of their own, and the right one.
///
/// Phones that went on without satellites drift away, with velocities that fit, and leap back at once. Outliers and
/// reflections leap away instead. They differ in how the fixes after the leap go on: those of a phone that is right again
/// move as their velocities say, to a metre or two, while reflections change from fix to fix by a share of their length.
/// The noise that was learned says nothing of it, because a drift looks like noise too.
extension KinematicFilter {
    /// A fix that may be of another track.
    struct Misfit {
        var fix: Fix
        /// From the prediction to the fix.
        var innovation: TangentPlane.Point
        /// Of the position per axis, in metres.
        var noise: Double
        var seconds: Double
        var isBeyondGate: Bool
        var knowsVelocity: Bool
        /// The reported velocity, m/s; zero without one.
        var velocity: TangentPlane.Point

        @inline(__always)
        var meters: Double { innovation.distanceMeters(to: TangentPlane.Point(east: 0, north: 0)) }
    }

    /// Whether a fix is so far from the prediction that it may be of another track.
    ///
    /// None begins near where a vehicle is halted: positions wander there, and their steps agree with one that stands.
    @inline(__always)
    func isOff(_ innovation: TangentPlane.Point, _ halt: MotionState.Halt) -> Bool {
        innovation.east * innovation.east + innovation.north * innovation.north
            > settings.offMeters * settings.offMeters && !halt.isHeld
    }

    /// The reported velocity, m/s; zero where speed or heading are missing.
    func velocity(of fix: Fix, speed: Double?) -> TangentPlane.Point {
        guard let speed, let heading = fix.headingDegrees else { return TangentPlane.Point(east: 0, north: 0) }
        let direction = Direction(headingDegrees: heading)
        return TangentPlane.Point(east: speed * direction.east, north: speed * direction.north)
    }

    /// Takes the fix into the second track, or ends that, and tells whether that is the right one from now on.
    func isRight(_ misfit: Misfit, _ state: inout MotionState) -> Bool {
        let previous = state.rejects
        let step = TangentPlane(origin: previous.last.coordinate).point(of: misfit.fix.coordinate)
        let agrees = previous.agreeing > 0 && agrees(step, misfit, state)
        guard misfit.isBeyondGate || agrees || isOff(misfit.innovation, state.halt) else {
            state.rejects = MotionState.Rejects()
            return false
        }
        let continues = previous.count > 0 && (agrees || (misfit.isBeyondGate && isReachable(step, misfit, state)))
        var next = MotionState.Rejects()
        next.last = GridPoint(misfit.fix.coordinate)
        let velocity = velocity(at: misfit, after: step, isFirst: previous.isEmpty, state)
        next.eastCentimetersPerSecond = Self.centimeters(velocity.east)
        next.northCentimetersPerSecond = Self.centimeters(velocity.north)
        next.count = continues ? min(previous.count, .max - 1) + 1 : misfit.isBeyondGate ? 1 : 0
        next.agreeing = agrees ? min(previous.agreeing, .max - 1) + 1 : state.halt.isHeld ? 0 : 1
        if agrees { next.tenths = UInt8(min(255, Double(previous.tenths) + (misfit.seconds * 10).halfAwayFromZero)) }
        state.rejects = next
        return isSupported(next, misfit)
    }

    private func isSupported(_ rejects: MotionState.Rejects, _ misfit: Misfit) -> Bool {
        let meters = misfit.meters
        // By positions alone tracks agree within metres: it takes noise that is small enough for the gate as well.
        let agreeing = misfit.knowsVelocity ? rejects.agreeing : min(rejects.agreeing, rejects.count)
        if Int(agreeing) >= settings.agreeingFixes, Double(rejects.tenths) >= settings.agreeingSeconds * 10,
            meters > settings.offMeters
        {
            return true
        }
        // Noisy fixes do not agree so well, but they cannot stay beyond the gate for ever.
        guard misfit.isBeyondGate else { return false }
        let limit =
            meters > settings.farRejectMeters
            ? settings.rejectsBeforeRestart
            : misfit.knowsVelocity
                ? settings.nearRejectsWithVelocityBeforeRestart : settings.nearRejectsBeforeRestart
        return Int(rejects.count) >= limit
    }

    /// Whether the step from the last fix of the second track is as the velocities say.
    private func agrees(_ step: TangentPlane.Point, _ misfit: Misfit, _ state: MotionState) -> Bool {
        guard misfit.seconds <= settings.agreeingStepSeconds else { return false }
        let last = state.rejects.velocity
        guard misfit.knowsVelocity else {
            let expected = TangentPlane.Point(east: last.east * misfit.seconds, north: last.north * misfit.seconds)
            return step.distanceMeters(to: expected)
                <= min(settings.agreementMetersWithoutVelocity, settings.agreementShareWithoutVelocity * misfit.meters)
        }
        let expected = TangentPlane.Point(
            east: (last.east + misfit.velocity.east) / 2 * misfit.seconds,
            north: (last.north + misfit.velocity.north) / 2 * misfit.seconds)
        return step.distanceMeters(to: expected)
            <= max(settings.agreementMeters, settings.agreementShare * misfit.meters)
    }

    /// Whether the step from the last reject is what it may have moved since, and what two fixes of a device that is
    /// off, but steadily, differ by.
    private func isReachable(_ step: TangentPlane.Point, _ misfit: Misfit, _ state: MotionState) -> Bool {
        let speed = max(misfit.fix.speedMetersPerSecond ?? 0, state.metersPerSecond)
        return step.distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
            <= (1.2 * speed + 3) * misfit.seconds + 3 * misfit.noise
    }

    /// The reported velocity, else that of the step, and at first the one of the track that is left.
    private func velocity(
        at misfit: Misfit, after step: TangentPlane.Point, isFirst: Bool, _ state: MotionState
    ) -> TangentPlane.Point {
        if misfit.knowsVelocity { return misfit.velocity }
        guard !isFirst, misfit.seconds > 0 else {
            return TangentPlane.Point(
                east: Double(state.eastMetersPerSecond), north: Double(state.northMetersPerSecond))
        }
        return TangentPlane.Point(east: step.east / misfit.seconds, north: step.north / misfit.seconds)
    }

    private static func centimeters(_ meters: Double) -> Int16 {
        Int16(max(-32_767, min(32_767, (meters * 100).halfAwayFromZero)))
    }

    /// Starts over on the second track.
    func follow(_ misfit: Misfit, _ state: inout MotionState) -> Estimate {
        let rejects = state.rejects
        let hasLeapt = state.halt.hasLeapt || state.halt.isLeap
        let estimate = restart(&state, at: misfit.fix)
        state.halt.hasLeapt = hasLeapt
        guard !misfit.knowsVelocity, rejects.agreeing > 1 else { return estimate }
        state.eastMetersPerSecond = Float(rejects.velocity.east)
        state.northMetersPerSecond = Float(rejects.velocity.north)
        return makeEstimate(
            of: &state, statedVariance: statedVariance(of: misfit.fix), isStated: misfit.fix.accuracyMeters != nil,
            knowsVelocity: false)
    }

    /// Whether a fix without a velocity is left out until it is known whether it is an outlier.
    ///
    /// By positions alone a fix beyond the gate would bend the track, and its velocity with it. Known velocities hold it,
    /// and where the noise is large, between buildings, too few fixes would be left. A nearer one is a correction: chips
    /// that filter fall behind in a bend, and catch up at once.
    @inline(__always)
    func isHeldOff(
        _ rejects: MotionState.Rejects, _ innovation: TangentPlane.Point, after seconds: Double, _ variance: Double,
        _ fix: Fix
    ) -> Bool {
        guard rejects.count > 0, Int(rejects.count) < settings.agreeingFixes, seconds <= settings.agreeingStepSeconds
        else { return false }
        let least = settings.strayMeters + settings.strayNoiseFactor * variance.squareRoot()
        guard innovation.east * innovation.east + innovation.north * innovation.north > least * least else {
            return false
        }
        let noise = settings.minimumNoiseMeters
        let stated = fix.accuracyMeters == nil ? noise * noise : statedVariance(of: fix)
        return variance <= settings.heldOffNoiseScale * stated
    }

    /// How far the position would be off if the second track were right, in metres: the accuracy given covers both.
    @inline(__always)
    func doubtMeters(of state: borrowing MotionState) -> Double {
        let (count, agreeing) = (state.rejects.count, state.rejects.agreeing)
        guard count > 0 || agreeing > 1 else { return 0 }
        return Geodesy.nearbyDistanceMeters(from: state.coordinate, to: state.rejects.last.coordinate)
    }
}

extension MotionState.Rejects {
    /// Velocity at the last of them, m/s.
    fileprivate var velocity: TangentPlane.Point {
        TangentPlane.Point(
            east: Double(eastCentimetersPerSecond) / 100, north: Double(northCentimetersPerSecond) / 100)
    }
}

extension MotionState.Halt {
    /// Whether the vehicle stands, and its last fix was near.
    @inline(__always)
    fileprivate var isHeld: Bool { isHalted && strays == 0 }

    /// Whether the vehicle is held although as many fixes are away as mean a departure otherwise.
    @inline(__always)
    var isHeldAfterLeap: Bool { isHalted && strays > 2 }
}

extension MotionState {
    /// Estimated speed.
    fileprivate var metersPerSecond: Double {
        let (east, north) = (Double(eastMetersPerSecond), Double(northMetersPerSecond))
        return (east * east + north * north).squareRoot()
    }
}
