/// Rule that detects driven distance that keeps deviating from reported speed and heading; keeps ``DriverState/Drift``.
package struct DriftRule: SpoofRule, Equatable {
    /// Weight at twice the allowed drift, per step or per second if steps are shorter, in log-odds.
    package var weight = 0.3
    /// Weight instead of ``weight`` if the coordinate along the drift is frozen.
    package var frozenWeight = 1.0
    /// Time constant of the comparison, in seconds.
    package var seconds = 60.0
    /// Allowed drift, in metres.
    package var meters = 12.0
    /// Multiple of the usual drift that is added to the allowed drift.
    package var usualFactor = 2.0
    /// Multiple of the noise learned by the filter that is added to the allowed drift.
    package var noiseFactor = 2.0
    /// Relative excess over the allowed drift from which the fix is marked.
    package var warnExcess = 0.5
    /// Steps needed to learn the usual drift.
    package var learntSteps = 40
    /// Hint for the usual drift plus ``hintSofteningMeters``, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    package var hint = 1.2
    /// Drift for the hint of a device without usual drift, in metres; exact devices may also be off by a few metres.
    package var hintSofteningMeters = 30.0
    /// Minimum share of the drift along an unchanged coordinate for the coordinate to count as frozen.
    package var frozenShare = 0.8
    /// Minimum reported motion along a frozen coordinate, in multiples of the coordinates' rounding.
    package var frozenRoundings = 3.0

    func problems() -> [String] {
        settingProblems(of: self, .within(2...200, \.learntSteps), .above(0, \.seconds, \.meters))
    }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, let speed = step.speed else { return }
        let drift = context.driver.drift
        let excess = beyondReported(step, speed, context.driver, settings)
        let size = Motion.length(excess.east, excess.north)
        let limit = meters + usualFactor * drift.usualMeters
        let isLearned = Int(drift.learnedFixes) > learntSteps
        if isLearned { context.addHint(Float(hint * size / (hintSofteningMeters + drift.usualMeters))) }
        if size > limit, isLearned {
            let isFrozen = isAlongFrozenAxis(excess, size, step, speed, context)
            addFindings(size, beyond: limit, isFrozen: isFrozen, step, &context, settings)
        }
        context.driver.drift.learn(east: excess.east, north: excess.north, size: size)
    }

    /// Returns driven minus reported displacement, including the decayed drift of earlier steps, in metres.
    @inline(__always) private func beyondReported(
        _ step: TrackStep, _ speed: Double, _ driver: DriverState, _ settings: TrackingSettings
    ) -> (east: Double, north: Double) {
        let share = step.seconds / seconds
        // exp(-share) to the second order.
        let decay = 1 / (1 + share + share * share / 2)
        var east = Double(driver.drift.east) / DriverState.Drift.unitsPerMeter * decay
        var north = Double(driver.drift.north) / DriverState.Drift.unitsPerMeter * decay
        let reported = (speed + (driver.steps.speedMetersPerSecond ?? speed)) / 2 * step.seconds
        if let heading = step.heading {
            east += step.east - reported * heading.east
            north += step.north - reported * heading.north
        } else if speed >= settings.smoothing.minimumSpeedForHeadingMetersPerSecond {
            // Without a heading only lengths can be compared.
            east += step.meters - reported
        } else {
            east += step.east
            north += step.north
        }
        return (east, north)
    }

    @inline(__always) private func addFindings(
        _ size: Double, beyond limit: Double, isFrozen: Bool, _ step: TrackStep, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        // A filter that follows only one axis learns noise that is not real.
        let noise = isFrozen ? 0 : context.driver.learnedNoiseMeters(settings.smoothing)
        let excess = size / (limit + noiseFactor * noise) - 1
        let share = min(1, excess) * min(1, step.seconds)
        let evidence = LocationWarning.Evidence(distanceMeters: size, seconds: seconds)
        if excess > warnExcess, isFrozen {
            // GNSS errors never freeze one coordinate to its last digit while the other coordinate follows the vehicle.
            context.mark(.drift, frozenWeight * share, .kinematicAnomaly, settings.risk, evidence)
        } else if excess > warnExcess {
            context.markAmbiguous(.drift, weight * share, settings.risk, evidence)
        } else if excess > 0 {
            context.addAmbiguousEvidence(.drift, weight * share)
        }
    }

    /// Returns whether the coordinate along the drift is frozen while the vehicle moves along the other coordinate.
    private func isAlongFrozenAxis(
        _ excess: (east: Double, north: Double), _ size: Double, _ step: TrackStep, _ speed: Double,
        _ context: FixContext
    ) -> Bool {
        guard let heading = step.heading, step.meters > 0 else { return false }
        let (last, here) = (context.driver.lastAccepted.point, GridPoint(context.fix.coordinate))
        let meters = Geodesy.metersPerDegree / 1e7
        if last.latitude == here.latitude {
            let rounding = frozenRoundings * GridPoint.commonSpacing(last.longitude, here.longitude) * meters
            let claimed = abs(speed * heading.north * step.seconds)
            return claimed > rounding && abs(excess.north) > max(rounding, frozenShare * size)
        }
        guard last.longitude == here.longitude else { return false }
        let rounding = frozenRoundings * GridPoint.commonSpacing(last.latitude, here.latitude) * meters
        let claimed = abs(speed * heading.east * step.seconds)
        return claimed > rounding && abs(excess.east) > max(rounding, frozenShare * size)
    }
}
