import Support

/// Reported speed and heading as a second measurement.
extension KinematicFilter {
    /// Reported velocity component along a unit vector; the component across it is zero.
    private struct VelocityReport {
        var east = 0.0
        var north = 1.0
        var metersPerSecond = 0.0
        var alongVariance: Double
        /// Variance across the direction; `nil` if the direction is not reported.
        var acrossVariance: Double?
    }

    /// Updates with the speed and heading of a fix, with reduced weight if they contradict the track.
    @inline(__always)
    func observeVelocity(_ state: inout MotionState, _ estimate: inout KinematicEstimate, _ fix: Fix, speed: Double) {
        guard
            let report = report(
                of: fix, speed: speed, logNoise: state.logNoiseScale, logVelocityNoise: state.logVelocityNoiseScale,
                estimate)
        else { return }
        let spread = (estimate.row2.z + estimate.row3.w) / 2
        let along = report.metersPerSecond - report.east * estimate.mean.z - report.north * estimate.mean.w
        var distance = along * along / (report.alongVariance + spread)
        if let acrossVariance = report.acrossVariance {
            let across = report.east * estimate.mean.w - report.north * estimate.mean.z
            distance += across * across / (acrossVariance + spread)
        } else {
            distance *= 2
        }
        let factor = tailFactor(distance)
        estimate.observeVelocity(
            alongEast: report.east, north: report.north, metersPerSecond: report.metersPerSecond,
            variance: report.alongVariance * factor)
        if let acrossVariance = report.acrossVariance {
            estimate.observeVelocity(
                alongEast: report.north, north: -report.east, metersPerSecond: 0, variance: acrossVariance * factor)
        }
        let surprise = min(distance / 2, 4) - 1
        let share = report.alongVariance / (report.alongVariance + spread)
        let adapted = Double(state.logVelocityNoiseScale) + settings.velocityNoiseAdaptationRate * surprise * share
        state.logVelocityNoiseScale = Float(min(max(adapted, -2), 6))
    }

    @inline(__always) private func report(
        of fix: Fix, speed: Double, logNoise: Float, logVelocityNoise: Float, _ estimate: KinematicEstimate
    ) -> VelocityReport? {
        // The offset keeps ordinary fluctuations of the learned position noise from affecting the velocity.
        let coupled = settings.velocityNoiseCoupling * Double(logNoise) - 1.5
        let scale = Elementary.exp(max(Double(logVelocityNoise), coupled))
        let variance = settings.speedNoiseMetersPerSecond * settings.speedNoiseMetersPerSecond * scale
        if speed < settings.minimumSpeedForHeadingMetersPerSecond {
            // Slow, with an unreliable heading: zero velocity on both axes, with twice the noise.
            return VelocityReport(alongVariance: variance * 4, acrossVariance: variance * 4)
        }
        if let heading = fix.headingDegrees {
            let direction = Direction(headingDegrees: heading)
            let across = speed * headingSine
            return VelocityReport(
                east: direction.east, north: direction.north, metersPerSecond: speed, alongVariance: variance,
                acrossVariance: max(variance, across * across * scale))
        }
        let east = estimate.mean.z
        let north = estimate.mean.w
        let length = (east * east + north * north).squareRoot()
        guard length > 3 else { return nil }
        // Uses the direction of the estimate. If it is uncertain by an angle a, the speed along it is s · cos a, which
        // is lower by s · a² / 2 on average, with a deviation of s · a² / √2.
        let across =
            north * north * estimate.row2.z - 2 * east * north * estimate.row2.w + east * east * estimate.row3.w
        let square = across / (length * length * length * length)
        guard square < settings.unsureDirection else { return nil }
        return VelocityReport(
            east: east / length, north: north / length, metersPerSecond: speed * (1 - square / 2),
            alongVariance: variance + speed * speed * square * square / 2)
    }
}
