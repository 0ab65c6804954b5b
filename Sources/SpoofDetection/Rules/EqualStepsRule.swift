import Model

/// Detects steps of exactly one length or speed after others that were not: a simulated drive at a constant speed.
///
/// The steps of a simulator differ from the speed of the run by no more than the rounding of its coordinates, and the
/// way made differs by no more than that either, however long the run is. The way of a real vehicle is off by
/// centimetres after some seconds, also with a receiver that is right to a millimetre, and also on rails; so equal
/// steps count once they have gone on for ``runSeconds``. Steps between rounded coordinates do not count
/// (``GridPoint/isRounded``): they are equal whenever they differ by less than the rounding.
///
/// Keeps ``DriverState/EqualRun`` and ``DriverState/Steps/equalHalfSeconds``.
package struct EqualStepsRule: SpoofRule, Equatable {
    /// Once per run of steps of a second and more, in log-odds, and for shorter ones by their seconds.
    package var weight = 3.0
    /// Steps that differ from the run by no more than this are equal, in metres: the rounding of two points to 1e-7°.
    package var toleranceMeters = 0.015
    /// A run ends when its way is off by more than this, in metres: the rounding, and that of the reference.
    package var driftMeters = 0.026
    /// How long steps have been equal before they score, in seconds.
    ///
    /// Vehicles whose speed wanders by 5 cm/s and more do not keep to a run for so long.
    package var runSeconds = 20.0
    /// How long steps have been equal since a run counted before it counts again, in seconds; less for steps under a
    /// second, which weigh less.
    package var againSeconds = 4.0
    /// Steps from which it is learnt what the device's usually differ by.
    package var learntSteps = 40
    /// Steps that usually differ by less than this, in metres, are equal by habit; those of receivers, with 0.2 m
    /// added before the logarithm, differ by 0.6 (ndsbr_curitiba, barefoot_munich) and more.
    package var unequalMeters = 0.35
    /// What each half-second of equal steps adds to the hint, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    package var hint = 0.075

    /// Half-seconds that count for the hint, at most.
    private static let hintedHalfSeconds: UInt8 = 12
    /// Equal steps in a run at least: what is named as evidence.
    private static let steps = 6
    /// Half-seconds that a step which differs a little takes off, and one that is equal adds at most: a run has six steps
    /// at least.
    private static let unequalHalfSeconds: UInt8 = 2
    private static let mostHalfSeconds = 8.0
    /// Largest rounding error of the stored reference, in m/s.
    private static let roundingMetersPerSecond = 0.0005
    /// Steps over which the mean goes that is the reference.
    private static let meanSteps = 8.0
    /// Steps over which the drift moves the reference: many, so that the reference does not follow a real change of speed.
    private static let driftSteps = 64.0
    /// A step that differs by more than this is at another speed, and not a little shortened by a bend, in metres.
    private static let otherSpeedMeters = 0.1
    /// Largest rounding error of the stored length of the last step, in metres.
    private static let storedMeters = 0.04

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !(toleranceMeters >= 0) { problems.append("The tolerance of equal steps must not be negative.") }
        if !(2...200).contains(learntSteps) { problems.append("What steps differ by is learnt from 2 to 200.") }
        if !(0...DriverState.EqualRun.greatestDriftMeters).contains(driftMeters) {
            problems.append("The drift of a run of equal steps is 0 to 0.03 metres.")
        }
        if !(0...Double(DriverState.Steps.longestRun) / 2).contains(runSeconds) {
            problems.append("A run of equal steps lasts 0 to 31.5 seconds.")
        }
        if !(0...Double(DriverState.Steps.longestRun) / 2).contains(againSeconds) {
            problems.append("A run of equal steps counts again after 0 to 31.5 seconds.")
        }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, step.hasPrevious else { return }
        context.addHint(Float(min(Self.hintedHalfSeconds, context.driver.steps.equalHalfSeconds)) * Float(hint))
        guard step.meters >= settings.signals.movingStepMeters else { return }
        let run = context.driver.equalRun
        let unit = run.isLength ? 1 : step.seconds
        let difference = run.difference(of: step.meters / unit)
        let limit = toleranceMeters + Self.roundingMetersPerSecond * unit
        guard run.isKnown, abs(difference * unit) <= limit else {
            leave(run, by: difference * unit, step, &context.driver)
            return
        }
        guard !differsByModulus(run, step, unit, context.driver) else {
            leave(run, by: DriverState.EqualRun.modulus * unit, step, &context.driver)
            return
        }
        follow(run, by: difference, unit, step, &context, settings)
    }

    /// Returns whether a step that fits the run differs from the last one, which fits it, too.
    ///
    /// The reference is known modulo half a metre, so lengths that differ by multiples of it would seem equal.
    @inline(__always)
    private func differsByModulus(
        _ run: DriverState.EqualRun, _ step: TrackStep, _ unit: Double, _ driver: DriverState
    ) -> Bool {
        let last = run.isLength ? driver.steps.meters : driver.steps.meters * (step.seconds / driver.steps.seconds)
        return abs(step.meters - last) > unit * DriverState.EqualRun.modulus / 2
            && abs(run.difference(of: last / unit)) * unit <= Self.storedMeters + toleranceMeters
    }

    /// Counts a step that differs from the run, and begins another run where this one has ended.
    @inline(__always)
    private func leave(
        _ run: DriverState.EqualRun, by meters: Double, _ step: TrackStep, _ driver: inout DriverState
    ) {
        // A bend of the road shortens a step now and then.
        let halfSeconds = driver.steps.equalHalfSeconds
        let isOtherSpeed = abs(meters) > Self.otherSpeedMeters
        let lost = isOtherSpeed ? UInt8(max(2, min(16, 4 * step.seconds))) : Self.unequalHalfSeconds
        driver.steps.equalHalfSeconds = max(lost, halfSeconds) - lost
        driver.equalRun.endDrift()
        let hasEnded = !run.isKnown || halfSeconds <= lost
        if hasEnded || isOtherSpeed && isLikeLast(step, driver) {
            driver.equalRun = begun(with: step, driver)
        }
    }

    /// Counts an equal step, and marks the fix where there were enough of them.
    private func follow(
        _ run: DriverState.EqualRun, by difference: Double, _ unit: Double, _ step: TrackStep,
        _ context: inout FixContext, _ settings: TrackingSettings
    ) {
        guard !(context.driver.live.point.isRounded && GridPoint(context.fix.coordinate).isRounded) else { return }
        let drift = run.driftMeters + difference * unit
        guard abs(drift) <= driftMeters else {
            context.driver.steps.equalHalfSeconds = 0
            context.driver.equalRun = begun(with: step, context.driver)
            return
        }
        let mean = min(
            Self.meanSteps, 2 + Double(context.driver.steps.equalHalfSeconds) / (2 * max(0.5, step.seconds)))
        // Without the drift's share, a reference that is off by less than its rounding would never move.
        let correction = difference / mean + drift / (Self.driftSteps * unit)
        context.driver.equalRun.move(by: correction, driftMeters: drift)
        guard counts(step, &context) else { return }
        // One that never did otherwise is a model of a vehicle, as in tests and demonstrations.
        guard Int(context.driver.steps.learnt) >= learntSteps,
            context.driver.steps.usualChangeMeters > unequalMeters
        else { return }
        context.mark(
            .equalSteps, weight * context.evidenceSeconds, .kinematicAnomaly, settings.risk,
            LocationWarning.Evidence(distanceMeters: step.meters, seconds: step.seconds, fixes: Self.steps))
    }

    /// Returns whether the run has gone on for long enough with this equal step.
    @inline(__always)
    private func counts(_ step: TrackStep, _ context: inout FixContext) -> Bool {
        // At least one for each step: what steps usually differ by would have been forgotten before shorter ones count.
        let added = UInt8(max(1, min(Self.mostHalfSeconds, 2 * step.seconds + 0.1)))
        context.driver.steps.equalHalfSeconds = min(
            DriverState.Steps.longestRun, context.driver.steps.equalHalfSeconds + added)
        guard Double(context.driver.steps.equalHalfSeconds) >= 2 * runSeconds else { return false }
        let again = againSeconds * context.evidenceSeconds
        context.driver.steps.equalHalfSeconds = UInt8(2 * max(0, runSeconds - again))
        return true
    }

    /// Whether a step is as long, or as fast, as the one before, as far as that is known.
    private func isLikeLast(_ step: TrackStep, _ driver: DriverState) -> Bool {
        let last = driver.steps.meters
        let scaled = last * (step.seconds / driver.steps.seconds)
        return min(abs(step.meters - last), abs(step.meters - scaled)) <= Self.storedMeters
    }

    /// Returns the run that begins with a step, of lengths or of speeds, whichever has changed less.
    ///
    /// A simulator moves on by one length at each tick, or by the time that has passed.
    @inline(__always)
    private func begun(with step: TrackStep, _ driver: DriverState) -> DriverState.EqualRun {
        let last = driver.steps.meters
        let scaled = last * (step.seconds / driver.steps.seconds)
        let isLength = abs(step.meters - last) < abs(step.meters - scaled)
        return DriverState.EqualRun(reference: isLength ? step.meters : step.meters / step.seconds, isLength: isLength)
    }
}
