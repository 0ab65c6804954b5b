import Model
import Support

/// The reported speed and heading as a second measurement.
extension KinematicFilter {
    /// What a report says of the velocity: a component along a unit vector, and perhaps that there is none across it.
    private struct Claim {
        var east = 0.0
        var north = 1.0
        var metersPerSecond = 0.0
        var alongVariance: Double
        /// `nil` when the report says nothing of the direction.
        var acrossVariance: Double?
    }

    /// Takes in the speed and heading of a fix, toned down when they contradict the track.
    @inline(__always)
    func observeVelocity(_ state: inout MotionState, _ estimate: inout KinematicEstimate, _ fix: Fix, speed: Double) {
        guard
            let claim = claim(
                of: fix, speed: speed, logNoise: state.logNoiseScale, logVelocityNoise: state.logVelocityNoiseScale,
                estimate)
        else { return }
        let spread = (estimate.row2.z + estimate.row3.w) / 2
        let along = claim.metersPerSecond - claim.east * estimate.mean.z - claim.north * estimate.mean.w
        var distance = along * along / (claim.alongVariance + spread)
        if let acrossVariance = claim.acrossVariance {
            let across = claim.east * estimate.mean.w - claim.north * estimate.mean.z
            distance += across * across / (acrossVariance + spread)
        } else {
            distance *= 2
        }
        let factor = tailFactor(distance)
        estimate.observeVelocity(
            alongEast: claim.east, north: claim.north, metersPerSecond: claim.metersPerSecond,
            variance: claim.alongVariance * factor)
        if let acrossVariance = claim.acrossVariance {
            estimate.observeVelocity(
                alongEast: claim.north, north: -claim.east, metersPerSecond: 0, variance: acrossVariance * factor)
        }
        let surprise = min(distance / 2, 4) - 1
        let share = claim.alongVariance / (claim.alongVariance + spread)
        let moved = Double(state.logVelocityNoiseScale) + settings.velocityNoiseAdaptationRate * surprise * share
        state.logVelocityNoiseScale = Float(min(max(moved, -2), 6))
    }

    @inline(__always)
    private func claim(
        of fix: Fix, speed: Double, logNoise: Float, logVelocityNoise: Float, _ estimate: KinematicEstimate
    )
        -> Claim?
    {
        // The offset leaves ordinary fluctuations of the learned position noise without effect on the velocity.
        let coupled = settings.velocityNoiseCoupling * Double(logNoise) - 1.5
        let scale = Elementary.exp(max(Double(logVelocityNoise), coupled))
        let variance = settings.speedNoiseMetersPerSecond * settings.speedNoiseMetersPerSecond * scale
        if speed < settings.minimumSpeedForHeadingMetersPerSecond {
            // Slow: whatever the direction, the velocity is within about this speed of none.
            return Claim(alongVariance: variance * 4, acrossVariance: variance * 4)
        }
        if let heading = fix.headingDegrees {
            let direction = Direction(headingDegrees: heading)
            let across = speed * headingSine
            return Claim(
                east: direction.east, north: direction.north, metersPerSecond: speed, alongVariance: variance,
                acrossVariance: max(variance, across * across * scale))
        }
        let east = estimate.mean.z
        let north = estimate.mean.w
        let length = (east * east + north * north).squareRoot()
        guard length > 3 else { return nil }
        // The direction is the estimate's own. As far as it is unsure, by an angle a, the speed along it is s · cos a:
        // less by s · a² / 2 in the mean, and unsure by s · a² / √2.
        let across =
            north * north * estimate.row2.z - 2 * east * north * estimate.row2.w + east * east * estimate.row3.w
        let square = across / (length * length * length * length)
        guard square < settings.unsureDirection else { return nil }
        return Claim(
            east: east / length, north: north / length, metersPerSecond: speed * (1 - square / 2),
            alongVariance: variance + speed * speed * square * square / 2)
    }
}
