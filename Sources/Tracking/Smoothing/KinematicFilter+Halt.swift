/// The zero-velocity update: a vehicle that stands is held still, so that its marker does not wander.
extension KinematicFilter {
    /// Decides whether the vehicle stands, and if so takes its velocity away.
    @inline(__always)
    func settleHalt(
        _ state: inout MotionState, _ belief: inout KinematicBelief, fix: Fix, seconds: Double, noise: Double
    ) {
        let wasHalted = state.halt.isHalted
        let plane = TangentPlane(origin: state.halt.anchor.coordinate)
        let offset = plane.point(of: fix.coordinate)
        let distance = offset.distanceMeters(to: TangentPlane.Point(east: 0, north: 0))
        // A reported speed is believed as long as it agrees with the positions: some devices always send 0.
        let trustedSpeed = state.logVelocityNoiseScale < 1.4 ? fix.speedMetersPerSecond : nil
        let radius = max(settings.haltRadiusMeters, max(fix.accuracyMeters ?? 0, 3 * noise))
        var drift = 0.0
        if state.halt.fixes == 0 || distance > radius || (trustedSpeed == nil && distance > 4 * noise + 2) {
            anchor(&state, at: fix)
            if trustedSpeed == nil { drift = distance }
        } else {
            stay(&state, plane: plane, at: offset, seconds: seconds)
            if let trustedSpeed {
                decide(&state, fix: fix, speed: trustedSpeed)
            } else {
                drift = decideWithoutSpeed(&state, fix: fix, noise: noise)
            }
        }
        if state.halt.isHalted {
            if !wasHalted { belief.stop(velocityVariance: 0.01) }
        } else if wasHalted {
            // It drives again, and has been for a moment: the position held is behind by about the drift seen.
            belief.row0.x += drift * drift
            belief.row1.y += drift * drift
            belief.row2.z = drift > 0 ? 9 : 1
            belief.row3.w = belief.row2.z
        }
    }

    private func anchor(_ state: inout MotionState, at fix: Fix) {
        state.halt = MotionState.Halt()
        state.halt.fixes = 1
        state.halt.anchor = GridPoint(fix.coordinate)
    }

    /// Takes a fix near the anchor into the anchor's mean and into the recent mean.
    @inline(__always)
    private func stay(_ state: inout MotionState, plane: TangentPlane, at offset: TangentPlane.Point, seconds: Double) {
        if state.halt.fixes < .max { state.halt.fixes += 1 }
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
        if drift > max(1.5, 1.5 * noise) {
            anchor(&state, at: fix)
        } else if Int(state.halt.fixes) >= settings.haltWithoutSpeedFixes,
            Double(state.halt.seconds) >= settings.haltWithoutSpeedSeconds, drift < max(1, noise)
        {
            state.halt.isHalted = true
        }
        return drift
    }
}
