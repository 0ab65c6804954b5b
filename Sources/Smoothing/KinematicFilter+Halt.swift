import Model

/// The zero-velocity update: a vehicle that stands is held still, so that its marker does not wander.
extension KinematicFilter {
    /// Decides whether the vehicle stands, and if so takes its velocity away.
    @inline(__always)
    func settleHalt(
        _ state: inout MotionState, _ estimate: inout KinematicEstimate, fix: Fix, speed: Double?, seconds: Double,
        noise: Double
    ) {
        let wasHalted = state.halt.isHalted
        let plane = TangentPlane(origin: state.halt.anchor.coordinate)
        let offset = plane.point(of: fix.coordinate)
        let distance = offset.distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
        var drift = 0.0
        if state.halt.fixes == 0 {
            anchorNear(&state, at: fix)
        } else if case let radius = haltRadius(fix, noise: noise, knowsSpeed: speed != nil), distance > radius {
            drift = leave(&state, fix: fix, distance: distance, radius: radius, speed: speed, seconds: seconds)
        } else {
            stay(&state, plane: plane, at: offset, seconds: seconds)
            if let speed {
                decide(&state, fix: fix, speed: speed)
            } else {
                drift = decideWithoutSpeed(&state, fix: fix, noise: noise)
            }
        }
        if state.halt.isHalted {
            if !wasHalted { estimate.stop(velocityVariance: 0.01) }
        } else if wasHalted {
            // It drives again, and has been for a moment: the position held is behind by about the drift seen.
            estimate.row0.x += drift * drift
            estimate.row1.y += drift * drift
            estimate.row2.z = drift > 0 ? 9 : 1
            estimate.row3.w = estimate.row2.z
        }
    }

    /// How far from its anchor a fix of a vehicle that stands may be, in metres.
    @inline(__always)
    func haltRadius(_ fix: Fix, noise: Double, knowsSpeed: Bool) -> Double {
        // Without a speed only the positions can tell a departure: the radius is as small as their noise allows. Noise
        // learned far beyond the stated may be a departure that was not noticed.
        guard knowsSpeed else { return min(4 * noise + 2, 4 * settings.haltRadiusMeters) }
        let plausibleNoise = min(noise, 3 * statedVariance(of: fix).squareRoot())
        return max(settings.haltRadiusMeters, max(fix.accuracyMeters ?? 0, 4.5 * plausibleNoise))
    }

    /// A fix too far away for a vehicle that stands; answers how far the position held may be behind.
    private func leave(
        _ state: inout MotionState, fix: Fix, distance: Double, radius: Double, speed: Double?, seconds: Double
    ) -> Double {
        // After ten seconds a vehicle may well be 150 m away.
        let isFar = distance > max(settings.farRejectMeters, settings.departureMetersPerSecond * seconds)
        // A halted vehicle does not leap, nor one that says it stands move at all; and without a speed the step from
        // where it was last heard, which is about the radius, is no longer than it can accelerate: up to two fixes off
        // are outliers, three are a departure.
        let saysItStands = speed.map { $0 < settings.haltSpeedMetersPerSecond } ?? false
        let reach = radius + settings.offMeters + settings.departureMetersPerSecondSquared / 2 * seconds * seconds
        let isOutOfReach = seconds <= settings.agreeingStepSeconds && distance > reach
        if state.halt.strays == 0 { state.halt.isLeap = isOutOfReach }
        let mayStand = saysItStands || speed == nil && isOutOfReach
        if state.halt.isHalted, isFar || mayStand,
            state.halt.strays < 2 || mayStand && isBackAndForth(state, fix, seconds)
        {
            state.halt.strays += 1
            return 0
        }
        let isLeap = state.halt.isLeap
        defer { state.halt.hasLeapt = isLeap }
        let leaps = state.halt.isHalted && isFar
        if let speed {
            anchor(&state, at: fix)
            // It drives, and nothing says that the position held is behind, unless it drives far away.
            guard speed < settings.haltSpeedMetersPerSecond else { return leaps ? distance : 0 }
            // It said that it stands, and is elsewhere.
            refute(&state)
            return distance
        }
        anchor(&state, at: fix)
        return distance
    }

    /// Returns whether a vehicle that stands, and has leapt before, leaps again, and stays where it leapt to.
    ///
    /// A receiver between reflections goes back and forth between two places; one that was wrong at first leaps once. What
    /// drives off does not leap, or does not stay.
    private func isBackAndForth(_ state: MotionState, _ fix: Fix, _ seconds: Double) -> Bool {
        guard state.halt.hasLeapt, state.halt.isLeap, Int(state.halt.strays) < settings.leapFixes,
            seconds <= settings.agreeingStepSeconds
        else { return false }
        let step = Geodesy.nearbyDistanceMeters(from: state.rejects.last.coordinate, to: fix.coordinate)
        return step <= settings.leapStepMeters
    }

    /// Counts a speed that its positions contradict.
    ///
    /// Once speeds are not believed any more, what was learned of the positions' noise under them is void too.
    private func refute(_ state: inout MotionState) {
        if state.refutations < .max { state.refutations += 1 }
        guard Int(state.refutations) == settings.refutationsBeforeDistrust else { return }
        state.logNoiseScale = min(state.logNoiseScale, 0)
    }

    /// The reported speed, unless the device says again and again that it stands while its positions move.
    ///
    /// Some devices always send 0. A speed that is one is believed at once.
    @inline(__always)
    func believedSpeed(_ state: inout MotionState, _ fix: Fix) -> Double? {
        guard let speed = fix.speedMetersPerSecond else { return nil }
        if speed >= settings.minimumSpeedForHeadingMetersPerSecond { state.refutations = 0 }
        return Int(state.refutations) < settings.refutationsBeforeDistrust ? speed : nil
    }

    private func anchor(_ state: inout MotionState, at fix: Fix) {
        state.halt = MotionState.Halt()
        state.halt.fixes = 1
        state.halt.anchor = GridPoint(fix.coordinate)
    }

    /// Moves the anchor to a nearby fix, and keeps whether a leap led there.
    private func anchorNear(_ state: inout MotionState, at fix: Fix) {
        let hasLeapt = state.halt.hasLeapt
        anchor(&state, at: fix)
        state.halt.hasLeapt = hasLeapt
    }

    /// Takes a fix near the anchor into the anchor's mean and into the recent mean.
    @inline(__always)
    private func stay(_ state: inout MotionState, plane: TangentPlane, at offset: TangentPlane.Point, seconds: Double) {
        if state.halt.fixes < .max { state.halt.fixes += 1 }
        (state.halt.strays, state.halt.isLeap) = (0, false)
        if state.halt.fixes >= 60 { state.refutations = 0 }
        state.halt.seconds = min(3600, state.halt.seconds + Float(seconds))
        let share = 1 / Double(min(state.halt.fixes, 64))
        let east = offset.east * share
        let north = offset.north * share
        state.halt.anchor = GridPoint(plane.coordinate(of: TangentPlane.Point(east: east, north: north)))
        state.halt.recentEastMeters += 0.3 * (Float(offset.east) - state.halt.recentEastMeters) - Float(east)
        state.halt.recentNorthMeters += 0.3 * (Float(offset.north) - state.halt.recentNorthMeters) - Float(north)
    }

    @inline(__always)
    private func decide(_ state: inout MotionState, fix: Fix, speed: Double) {
        let isSlow = speed < settings.haltSpeedMetersPerSecond
        if speed >= 2 * settings.haltSpeedMetersPerSecond || (!isSlow && !state.halt.isHalted) {
            anchor(&state, at: fix)
        } else if Int(state.halt.fixes) >= settings.haltFixes {
            state.halt.isHalted = true
        }
    }

    @inline(__always)
    private func decideWithoutSpeed(_ state: inout MotionState, fix: Fix, noise: Double) -> Double {
        let east = Double(state.halt.recentEastMeters)
        let north = Double(state.halt.recentNorthMeters)
        let drift = (east * east + north * north).squareRoot()
        let isParked = state.halt.isHalted && Double(state.halt.seconds) >= settings.parkedSeconds
        if drift > max(2.5, (isParked ? settings.parkedDriftPerNoise : settings.driftPerNoise) * noise) {
            anchorNear(&state, at: fix)
        } else if Int(state.halt.fixes) >= settings.haltWithoutSpeedFixes,
            Double(state.halt.seconds) >= settings.haltWithoutSpeedSeconds, drift < max(1, noise)
        {
            state.halt.isHalted = true
        }
        return drift
    }
}
