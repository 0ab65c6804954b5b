/// Zero-velocity updates: a stationary vehicle keeps its position, so that its marker does not wander.
extension KinematicFilter {
    /// Updates the halt, and sets the velocity to zero if the vehicle is halted.
    @inline(__always) func updateHalt(
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
            drift = handleDistantFix(
                &state, fix: fix, distance: distance, radius: radius, speed: speed, seconds: seconds)
        } else {
            updateAnchor(&state, plane: plane, at: offset, seconds: seconds)
            if let speed {
                applyReportedSpeed(&state, fix: fix, speed: speed)
            } else {
                drift = applyDrift(&state, fix: fix, noise: noise)
            }
        }
        if state.halt.isHalted {
            if !wasHalted { estimate.stop(velocityVariance: 0.01) }
        } else if wasHalted {
            // The vehicle departed a moment ago, so the halted position lags by about the observed drift.
            estimate.row0.x += drift * drift
            estimate.row1.y += drift * drift
            estimate.row2.z = drift > 0 ? 9 : 1
            estimate.row3.w = estimate.row2.z
        }
    }

    /// Returns the maximum distance of a halted vehicle's fix from the anchor, in metres.
    @inline(__always) func haltRadius(_ fix: Fix, noise: Double, knowsSpeed: Bool) -> Double {
        // Without a speed, only positions show a departure, so the radius is as small as their noise allows. Learned
        // noise far above the stated noise may be an undetected departure.
        guard knowsSpeed else { return min(4 * noise + 2, 4 * settings.haltRadiusMeters) }
        let plausibleNoise = min(noise, 3 * statedVariance(of: fix).squareRoot())
        return max(settings.haltRadiusMeters, max(fix.accuracyMeters ?? 0, 4.5 * plausibleNoise))
    }

    /// Handles a fix too far from the anchor; returns the possible lag of the halted position, in metres.
    private func handleDistantFix(
        _ state: inout MotionState, fix: Fix, distance: Double, radius: Double, speed: Double?, seconds: Double
    ) -> Double {
        let isFar = distance > max(settings.farRejectMeters, settings.departureMetersPerSecond * seconds)
        // A standing vehicle cannot leap. Without a speed, the step is limited by acceleration. Up to two distant
        // fixes are outliers; three are a departure.
        let reportsStandstill = speed.map { $0 < settings.haltSpeedMetersPerSecond } ?? false
        let reach =
            radius + settings.distanceGateMeters + settings.departureMetersPerSecondSquared / 2 * seconds * seconds
        let isOutOfReach = seconds <= settings.agreeingStepSeconds && distance > reach
        if state.halt.strays == 0 { state.halt.isLeap = isOutOfReach }
        let mayStand = reportsStandstill || speed == nil && isOutOfReach
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
            // The vehicle drives, and the halted position lags only if the fix is far away.
            guard speed < settings.haltSpeedMetersPerSecond else { return leaps ? distance : 0 }
            // The device reports standstill at another position.
            recordContradiction(&state)
            return distance
        }
        anchor(&state, at: fix)
        return distance
    }

    /// Returns whether a halted vehicle that has leapt before leaps again and stays there.
    ///
    /// Among reflecting buildings, a receiver alternates between two positions; after an initial error it leaps once. A
    /// departing vehicle does not leap, or does not stay at the new position.
    private func isBackAndForth(_ state: MotionState, _ fix: Fix, _ seconds: Double) -> Bool {
        guard state.halt.hasLeapt, state.halt.isLeap, Int(state.halt.strays) < settings.leapFixes,
            seconds <= settings.agreeingStepSeconds
        else { return false }
        let step = Geodesy.nearbyDistanceMeters(from: state.rejects.last.coordinate, to: fix.coordinate)
        return step <= settings.leapStepMeters
    }

    /// Counts a reported standstill that positions contradict; at the limit, also resets high learned noise.
    private func recordContradiction(_ state: inout MotionState) {
        if state.refutations < .max { state.refutations += 1 }
        guard Int(state.refutations) == settings.refutationsBeforeDistrust else { return }
        state.logNoiseScale = min(state.logNoiseScale, 0)
    }

    /// Returns the reported speed; `nil` if it is slow and the device often reports standstill while moving.
    @inline(__always) func trustedSpeed(_ state: inout MotionState, _ fix: Fix) -> Double? {
        guard let speed = fix.speedMetersPerSecond else { return nil }
        if speed >= settings.minimumSpeedForHeadingMetersPerSecond { state.refutations = 0 }
        return Int(state.refutations) < settings.refutationsBeforeDistrust ? speed : nil
    }

    private func anchor(_ state: inout MotionState, at fix: Fix) {
        state.halt = MotionState.Halt()
        state.halt.fixes = 1
        state.halt.anchor = GridPoint(fix.coordinate)
    }

    /// Moves the anchor to a nearby fix and ends the halt; keeps ``MotionState/Halt/hasLeapt``.
    private func anchorNear(_ state: inout MotionState, at fix: Fix) {
        let hasLeapt = state.halt.hasLeapt
        anchor(&state, at: fix)
        state.halt.hasLeapt = hasLeapt
    }

    /// Adds a fix near the anchor to the anchor, which is a mean, and to the recent mean.
    @inline(__always) private func updateAnchor(
        _ state: inout MotionState, plane: TangentPlane, at offset: TangentPlane.Point, seconds: Double
    ) {
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

    @inline(__always) private func applyReportedSpeed(_ state: inout MotionState, fix: Fix, speed: Double) {
        let isSlow = speed < settings.haltSpeedMetersPerSecond
        if speed >= 2 * settings.haltSpeedMetersPerSecond || (!isSlow && !state.halt.isHalted) {
            anchor(&state, at: fix)
        } else if Int(state.halt.fixes) >= settings.haltFixes {
            state.halt.isHalted = true
        }
    }

    @inline(__always) private func applyDrift(_ state: inout MotionState, fix: Fix, noise: Double) -> Double {
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
