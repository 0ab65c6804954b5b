/// Alternative track: fixes that do not fit the current track may form a second track, which is the correct one.
///
/// Phones without satellites drift with matching velocities and then jump back. The fixes of a recovered phone move
/// according to their velocities, to a metre or two. Errors by reflections change from fix to fix by a share of their
/// size.
extension KinematicFilter {
    /// Fix that may belong to the alternative track.
    struct GatedFix {
        var fix: Fix
        /// Vector from the prediction to the fix.
        var innovation: TangentPlane.Point
        /// Noise of the position per axis, in metres.
        var noise: Double
        var seconds: Double
        var isBeyondGate: Bool
        var knowsVelocity: Bool
        /// Reported velocity, m/s; zero if missing.
        var velocity: TangentPlane.Point

        @inline(__always) var meters: Double { innovation.distanceMeters(to: TangentPlane.Point(east: 0, north: 0)) }
    }

    /// Returns whether a fix is far enough away for an alternative track; `false` while halted at the anchor.
    @inline(__always) func isOutsideDistanceGate(_ innovation: TangentPlane.Point, _ halt: MotionState.Halt) -> Bool {
        innovation.squaredMeters > settings.distanceGateMeters * settings.distanceGateMeters && !halt.isAtAnchor
    }

    /// Returns the reported velocity, m/s; zero if speed or heading are missing.
    func velocity(of fix: Fix, speed: Double?) -> TangentPlane.Point {
        guard let speed, let heading = fix.headingDegrees else { return TangentPlane.Point(east: 0, north: 0) }
        let direction = Direction(headingDegrees: heading)
        return TangentPlane.Point(east: speed * direction.east, north: speed * direction.north)
    }

    /// Adds the fix to the alternative track, or ends that track; returns whether to switch to it.
    func confirmsAlternative(_ gated: GatedFix, _ state: inout MotionState) -> Bool {
        let previous = state.rejects
        let step = TangentPlane(origin: previous.last.coordinate).point(of: gated.fix.coordinate)
        let agrees = previous.agreeing > 0 && agrees(step, gated, state)
        guard gated.isBeyondGate || agrees || isOutsideDistanceGate(gated.innovation, state.halt) else {
            state.rejects = MotionState.Rejects()
            return false
        }
        let continues = previous.count > 0 && (agrees || (gated.isBeyondGate && isReachable(step, gated, state)))
        var next = MotionState.Rejects()
        next.last = GridPoint(gated.fix.coordinate)
        let velocity = velocity(at: gated, after: step, isFirst: previous.isEmpty, state)
        next.eastCentimetersPerSecond = Self.centimeters(velocity.east)
        next.northCentimetersPerSecond = Self.centimeters(velocity.north)
        next.count = continues ? min(previous.count, .max - 1) + 1 : gated.isBeyondGate ? 1 : 0
        next.agreeing = agrees ? min(previous.agreeing, .max - 1) + 1 : state.halt.isAtAnchor ? 0 : 1
        if agrees { next.tenths = UInt8(min(255, Double(previous.tenths) + (gated.seconds * 10).halfAwayFromZero)) }
        state.rejects = next
        return isSupported(next, gated)
    }

    private func isSupported(_ rejects: MotionState.Rejects, _ gated: GatedFix) -> Bool {
        let meters = gated.meters
        // Without velocities, fixes need only agree within metres, so each must also be beyond the gate.
        let agreeing = gated.knowsVelocity ? rejects.agreeing : min(rejects.agreeing, rejects.count)
        if Int(agreeing) >= settings.agreeingFixes, Double(rejects.tenths) >= settings.agreeingSeconds * 10,
            meters > settings.distanceGateMeters
        {
            return true
        }
        // Noisy fixes agree less well, so enough fixes beyond the gate also form a new track.
        guard gated.isBeyondGate else { return false }
        let limit =
            meters > settings.farRejectMeters
            ? settings.rejectsBeforeRestart
            : gated.knowsVelocity
                ? settings.nearRejectsWithVelocityBeforeRestart : settings.nearRejectsBeforeRestart
        return Int(rejects.count) >= limit
    }

    /// Returns whether the step from the last alternative fix matches the velocities.
    private func agrees(_ step: TangentPlane.Point, _ gated: GatedFix, _ state: MotionState) -> Bool {
        guard gated.seconds <= settings.agreeingStepSeconds else { return false }
        let last = state.rejects.velocity
        guard gated.knowsVelocity else {
            let expected = TangentPlane.Point(east: last.east * gated.seconds, north: last.north * gated.seconds)
            return step.distanceMeters(to: expected)
                <= min(settings.agreementMetersWithoutVelocity, settings.agreementShareWithoutVelocity * gated.meters)
        }
        let expected = TangentPlane.Point(
            east: (last.east + gated.velocity.east) / 2 * gated.seconds,
            north: (last.north + gated.velocity.north) / 2 * gated.seconds)
        return step.distanceMeters(to: expected)
            <= max(settings.agreementMeters, settings.agreementShare * gated.meters)
    }

    /// Returns whether the step from the last alternative fix is possible at the current speed, plus noise.
    private func isReachable(_ step: TangentPlane.Point, _ gated: GatedFix, _ state: MotionState) -> Bool {
        let speed = max(gated.fix.speedMetersPerSecond ?? 0, state.metersPerSecond)
        return step.distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
            <= (1.2 * speed + 3) * gated.seconds + 3 * gated.noise
    }

    /// Returns the reported velocity, or else the velocity of the step, or of the current track for the first fix.
    private func velocity(
        at gated: GatedFix, after step: TangentPlane.Point, isFirst: Bool, _ state: MotionState
    ) -> TangentPlane.Point {
        if gated.knowsVelocity { return gated.velocity }
        guard !isFirst, gated.seconds > 0 else {
            return TangentPlane.Point(
                east: Double(state.eastMetersPerSecond), north: Double(state.northMetersPerSecond))
        }
        return TangentPlane.Point(east: step.east / gated.seconds, north: step.north / gated.seconds)
    }

    private static func centimeters(_ meters: Double) -> Int16 {
        Int16(max(-32_767, min(32_767, (meters * 100).halfAwayFromZero)))
    }

    func switchTrack(_ gated: GatedFix, _ state: inout MotionState) -> Estimate {
        let rejects = state.rejects
        let hasLeapt = state.halt.hasLeapt || state.halt.isLeap
        let estimate = restart(&state, at: gated.fix)
        state.halt.hasLeapt = hasLeapt
        guard !gated.knowsVelocity, rejects.agreeing > 1 else { return estimate }
        state.eastMetersPerSecond = Float(rejects.velocity.east)
        state.northMetersPerSecond = Float(rejects.velocity.north)
        return makeEstimate(
            of: &state, statedVariance: statedVariance(of: gated.fix), isStated: gated.fix.accuracyMeters != nil,
            knowsVelocity: false)
    }

    /// Returns whether to defer a fix without velocity until later fixes show that it is not an outlier.
    ///
    /// An outlier would bend the track and its velocity. With large noise, as between buildings, deferring would leave
    /// too few fixes. Nearer fixes are corrections by filtering receivers, which lag in bends.
    @inline(__always) func isDeferred(
        _ rejects: MotionState.Rejects, _ innovation: TangentPlane.Point, after seconds: Double, _ variance: Double,
        _ fix: Fix
    ) -> Bool {
        guard rejects.count > 0, Int(rejects.count) < settings.agreeingFixes, seconds <= settings.agreeingStepSeconds
        else { return false }
        let least = settings.strayMeters + settings.strayNoiseFactor * variance.squareRoot()
        guard innovation.squaredMeters > least * least else { return false }
        let noise = settings.minimumNoiseMeters
        let stated = fix.accuracyMeters == nil ? noise * noise : statedVariance(of: fix)
        return variance <= settings.deferralNoiseScale * stated
    }

    /// Returns the distance to the alternative track, in metres, for the reported accuracy; 0 without such a track.
    @inline(__always) func alternativeOffsetMeters(of state: borrowing MotionState) -> Double {
        let (count, agreeing) = (state.rejects.count, state.rejects.agreeing)
        guard count > 0 || agreeing > 1 else { return 0 }
        return Geodesy.nearbyDistanceMeters(from: state.coordinate, to: state.rejects.last.coordinate)
    }
}

extension MotionState.Rejects {
    /// Velocity at the last alternative fix, m/s.
    fileprivate var velocity: TangentPlane.Point {
        TangentPlane.Point(east: Double(eastCentimetersPerSecond) / 100, north: Double(northCentimetersPerSecond) / 100)
    }
}

extension MotionState.Halt {
    /// Whether the vehicle is halted and its last fix was near the anchor.
    @inline(__always) fileprivate var isAtAnchor: Bool { isHalted && strays == 0 }

    /// Whether the vehicle stays halted although more consecutive fixes are distant than a departure needs.
    @inline(__always) var staysAfterLeap: Bool { isHalted && strays > 2 }
}

extension MotionState {
    @inline(__always) var metersPerSecond: Double {
        let (east, north) = (Double(eastMetersPerSecond), Double(northMetersPerSecond))
        return (east * east + north * north).squareRoot()
    }
}

extension TangentPlane.Point {
    @inline(__always) var squaredMeters: Double { east * east + north * north }
}
