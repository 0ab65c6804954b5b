import Model

/// A way that goes on and on beyond the way reported.
///
/// Keeps ``DriverState/Drift``.
package struct DriftRule: SpoofRule, Equatable {
    /// Per second, at twice what is allowed for, in log-odds.
    package var weight = 0.3
    /// The same where one coordinate is frozen, per fix and per second at most.
    package var frozenWeight = 1.0
    /// Time over which ways made and reported are compared, in seconds.
    package var seconds = 60.0
    /// A difference under this is no drift, in metres.
    package var meters = 12.0
    /// So many times the usual difference is allowed for on top.
    package var usualFactor = 2.0
    /// And so many times the noise that the filter has learnt.
    package var noiseFactor = 2.0
    /// By this share more, and the drift is told of.
    package var toldExcess = 0.5
    /// Steps from which the usual difference is learnt.
    package var learntSteps = 40
    /// What a drift adds to the hint for each time that it usually amounts to, in log-odds; see
    /// ``TrackingSettings/Risk/maximumHint``.
    package var hint = 1.2
    /// Added to the usual difference before a drift is divided by it, in metres: what a device reports that is exact
    /// may be off by some metres as well.
    package var hintSofteningMeters = 30.0
    /// A coordinate that stays the same to the last digit is frozen from this share of the drift along it on.
    package var frozenShare = 0.8
    /// And when the reported heading leads this many times the rounding of the coordinates across it, in one step and
    /// over the drift.
    package var frozenRoundings = 3.0

    var weights: [Double] { [weight, frozenWeight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !(2...200).contains(learntSteps) { problems.append("Drifts are learnt from 2 to 200 steps.") }
        if !(seconds > 0 && meters > 0) { problems.append("The limits of drifts must be positive.") }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, let speed = step.speed else { return }
        let drift = context.driver.drift
        let way = beyondReported(step, speed, context.driver, settings)
        let size = Motion.length(way.east, way.north)
        let limit = meters + usualFactor * drift.usualMeters
        let isLearnt = Int(drift.learnt) > learntSteps
        if isLearnt {
            context.addHint(Float(hint * size / (hintSofteningMeters + drift.usualMeters)))
        }
        if size > limit, isLearnt {
            let isFrozen = isAlongFrozenAxis(way, size, step, speed, context)
            tell(size, beyond: limit, isFrozen: isFrozen, step, &context, settings)
        }
        context.driver.drift.learn(east: way.east, north: way.north, size: size)
    }

    /// The way made beyond the way reported, with that of the steps before, in metres.
    @inline(__always)
    private func beyondReported(
        _ step: TrackStep, _ speed: Double, _ driver: DriverState, _ settings: TrackingSettings
    ) -> (east: Double, north: Double) {
        let share = step.seconds / seconds
        // exp(-share) to the second order.
        let rest = 1 / (1 + share + share * share / 2)
        var east = Double(driver.drift.east) / DriverState.Drift.unitsPerMeter * rest
        var north = Double(driver.drift.north) / DriverState.Drift.unitsPerMeter * rest
        let reported = (speed + (driver.steps.speedMetersPerSecond ?? speed)) / 2 * step.seconds
        if let heading = step.heading {
            east += step.east - reported * heading.east
            north += step.north - reported * heading.north
        } else if speed >= settings.smoothing.minimumSpeedForHeadingMetersPerSecond {
            // Without a heading only the lengths can be compared.
            east += step.meters - reported
        } else {
            east += step.east
            north += step.north
        }
        return (east, north)
    }

    @inline(__always)
    private func tell(
        _ size: Double, beyond limit: Double, isFrozen: Bool, _ step: TrackStep, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        // A filter that follows one axis alone learns noise that does not exist.
        let noise = isFrozen ? 0 : context.driver.learnedNoiseMeters(settings.smoothing)
        let excess = size / (limit + noiseFactor * noise) - 1
        let share = min(1, excess) * min(1, step.seconds)
        let evidence = LocationWarning.Evidence(distanceMeters: size, seconds: seconds)
        if excess > toldExcess, isFrozen {
            // No sky keeps one coordinate to its last digit and lets the other follow the vehicle.
            context.mark(.drift, frozenWeight * share, .kinematicAnomaly, settings.risk, evidence)
        } else if excess > toldExcess {
            context.suspect(.drift, weight * share, settings.risk, evidence)
        } else if excess > 0 {
            context.addSky(.drift, weight * share)
        }
    }

    /// Whether latitude or longitude stands still while the vehicle moves along the other, and the drift is what the
    /// reported heading leads across.
    private func isAlongFrozenAxis(
        _ way: (east: Double, north: Double), _ size: Double, _ step: TrackStep, _ speed: Double, _ context: FixContext
    ) -> Bool {
        guard let heading = step.heading, step.meters > 0 else { return false }
        let (last, here) = (context.driver.live.point, GridPoint(context.fix.coordinate))
        let meters = Geodesy.metersPerDegree / 1e7
        if last.latitude == here.latitude {
            let rounding = frozenRoundings * GridPoint.commonSpacing(last.longitude, here.longitude) * meters
            let claimed = abs(speed * heading.north * step.seconds)
            return claimed > rounding && abs(way.north) > max(rounding, frozenShare * size)
        }
        guard last.longitude == here.longitude else { return false }
        let rounding = frozenRoundings * GridPoint.commonSpacing(last.latitude, here.latitude) * meters
        let claimed = abs(speed * heading.east * step.seconds)
        return claimed > rounding && abs(way.east) > max(rounding, frozenShare * size)
    }
}
