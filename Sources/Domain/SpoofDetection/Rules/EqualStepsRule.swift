/// Rule that detects steps of one exact length or speed after varying steps, as in a drive simulated at constant speed.
///
/// Steps of a simulator differ from the speed of the run only by the rounding of coordinates. Real vehicles deviate by
/// centimetres within seconds, even on rails. Steps between rounded coordinates (``GridPoint/isRounded``) are ignored.
/// Keeps ``DriverState/EqualRun`` and ``DriverState/Steps/equalHalfSeconds``.
package struct EqualStepsRule: SpoofRule, Equatable {
    /// Weight per run of steps of a second or more, in log-odds; shorter steps weigh less in proportion.
    package var weight = 3.0
    /// Tolerance of equal steps, in metres: the rounding of two points to 1e-7°.
    package var toleranceMeters = 0.015
    /// Maximum deviation of a run's distance, in metres: the rounding of points and reference.
    package var driftMeters = 0.026
    /// Duration of equal steps before they score, in seconds; at a speed that varies by 5 cm/s, a run ends earlier.
    package var runSeconds = 20.0
    /// Duration before a run scores again, in seconds; less for steps under a second, which weigh less.
    package var repeatSeconds = 4.0
    /// Steps needed to learn the device's usual difference between steps.
    package var learntSteps = 40
    /// Minimum usual difference between a device's steps to mark it, in metres; real receivers have 0.6 or more.
    package var unequalMeters = 0.35
    /// Hint per half-second of equal steps, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    package var hint = 0.075

    /// Maximum half-seconds that count for the hint.
    private static let hintedHalfSeconds: UInt8 = 12
    /// Minimum number of equal steps in a run that scores, for the warning.
    private static let steps = 6
    /// Half-seconds subtracted by a slightly different step, and maximum added by an equal step.
    private static let unequalHalfSeconds: UInt8 = 2
    private static let mostHalfSeconds = 8.0
    /// Largest rounding error of the stored reference, in m/s.
    private static let roundingMetersPerSecond = 0.0005
    private static let meanSteps = 8.0
    /// Number of steps over which drift moves the reference, too many to follow a real change of speed.
    private static let driftSteps = 64.0
    /// Difference, in metres, above which a step has another speed and is not only shortened by a bend.
    private static let otherSpeedMeters = 0.1
    /// Largest rounding error of the stored length of the last step, in metres.
    private static let storedMeters = 0.04

    func problems() -> [String] {
        settingProblems(
            of: self, .atLeast(0, \.toleranceMeters), .within(2...200, \.learntSteps),
            .within(0...DriverState.EqualRun.greatestDriftMeters, \.driftMeters),
            .within(0...Double(DriverState.Steps.longestRun) / 2, \.runSeconds, \.repeatSeconds))
    }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, step.hasPrevious else { return }
        context.addHint(Float(min(Self.hintedHalfSeconds, context.driver.steps.equalHalfSeconds)) * Float(hint))
        guard step.meters >= settings.signals.movingStepMeters else { return }
        let run = context.driver.equalRun
        let unit = run.isLength ? 1 : step.seconds
        let difference = run.difference(of: step.meters / unit)
        let limit = toleranceMeters + Self.roundingMetersPerSecond * unit
        guard run.isKnown, abs(difference * unit) <= limit else {
            breakRun(run, by: difference * unit, step, &context.driver)
            return
        }
        guard !differsByModulus(run, step, unit, context.driver) else {
            breakRun(run, by: DriverState.EqualRun.modulus * unit, step, &context.driver)
            return
        }
        extendRun(run, by: difference, unit, step, &context, settings)
    }

    /// Returns whether a step that fits the run differs from the last step by a multiple of the reference's modulus.
    @inline(__always) private func differsByModulus(
        _ run: DriverState.EqualRun, _ step: TrackStep, _ unit: Double, _ driver: DriverState
    ) -> Bool {
        let last = run.isLength ? driver.steps.meters : driver.steps.meters * (step.seconds / driver.steps.seconds)
        return abs(step.meters - last) > unit * DriverState.EqualRun.modulus / 2
            && abs(run.difference(of: last / unit)) * unit <= Self.storedMeters + toleranceMeters
    }

    /// Subtracts an unequal step from the run's duration, and starts another run if this one has ended.
    @inline(__always) private func breakRun(
        _ run: DriverState.EqualRun, by meters: Double, _ step: TrackStep, _ driver: inout DriverState
    ) {
        // Bends occasionally shorten a step.
        let halfSeconds = driver.steps.equalHalfSeconds
        let isOtherSpeed = abs(meters) > Self.otherSpeedMeters
        let lost = isOtherSpeed ? UInt8(max(2, min(16, 4 * step.seconds))) : Self.unequalHalfSeconds
        driver.steps.equalHalfSeconds = max(lost, halfSeconds) - lost
        driver.equalRun.endDrift()
        let hasEnded = !run.isKnown || halfSeconds <= lost
        if hasEnded || isOtherSpeed && isLikeLast(step, driver) { driver.equalRun = newRun(with: step, driver) }
    }

    /// Adds an equal step to the run, and marks the fix if the run is long enough.
    private func extendRun(
        _ run: DriverState.EqualRun, by difference: Double, _ unit: Double, _ step: TrackStep,
        _ context: inout FixContext, _ settings: TrackingSettings
    ) {
        guard !(context.driver.lastAccepted.point.isRounded && GridPoint(context.fix.coordinate).isRounded) else {
            return
        }
        let drift = run.driftMeters + difference * unit
        guard abs(drift) <= driftMeters else {
            context.driver.steps.equalHalfSeconds = 0
            context.driver.equalRun = newRun(with: step, context.driver)
            return
        }
        let mean = min(Self.meanSteps, 2 + Double(context.driver.steps.equalHalfSeconds) / (2 * max(0.5, step.seconds)))
        // Without the drift's share, a reference that is off by less than its rounding would never move.
        let correction = difference / mean + drift / (Self.driftSteps * unit)
        context.driver.equalRun.move(by: correction, driftMeters: drift)
        guard extendDuration(by: step, &context) else { return }
        // A device whose steps were always equal is a simulator, as in tests and demonstrations, and is not marked.
        guard Int(context.driver.steps.learnedFixes) >= learntSteps,
            context.driver.steps.usualChangeMeters > unequalMeters
        else { return }
        context.mark(
            .equalSteps, weight * context.evidenceSeconds, .kinematicAnomaly, settings.risk,
            LocationWarning.Evidence(distanceMeters: step.meters, seconds: step.seconds, fixes: Self.steps))
    }

    /// Adds the step's duration to the run; returns whether the run is now long enough to score.
    @inline(__always) private func extendDuration(by step: TrackStep, _ context: inout FixContext) -> Bool {
        // Adds at least one half-second per step, so that short steps score before they lower the usual difference.
        let added = UInt8(max(1, min(Self.mostHalfSeconds, 2 * step.seconds + 0.1)))
        context.driver.steps.equalHalfSeconds = min(
            DriverState.Steps.longestRun, context.driver.steps.equalHalfSeconds + added)
        guard Double(context.driver.steps.equalHalfSeconds) >= 2 * runSeconds else { return false }
        let again = repeatSeconds * context.evidenceSeconds
        context.driver.steps.equalHalfSeconds = UInt8(2 * max(0, runSeconds - again))
        return true
    }

    /// Returns whether a step has about the same length or speed as the previous one.
    private func isLikeLast(_ step: TrackStep, _ driver: DriverState) -> Bool {
        let last = driver.steps.meters
        let scaled = last * (step.seconds / driver.steps.seconds)
        return min(abs(step.meters - last), abs(step.meters - scaled)) <= Self.storedMeters
    }

    /// Returns a run of equal lengths or of equal speeds, whichever changed less; simulators use either.
    @inline(__always) private func newRun(with step: TrackStep, _ driver: DriverState) -> DriverState.EqualRun {
        let last = driver.steps.meters
        let scaled = last * (step.seconds / driver.steps.seconds)
        let isLength = abs(step.meters - last) < abs(step.meters - scaled)
        return DriverState.EqualRun(reference: isLength ? step.meters : step.meters / step.seconds, isLength: isLength)
    }
}
