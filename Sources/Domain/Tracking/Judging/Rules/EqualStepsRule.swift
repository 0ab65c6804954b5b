/// Detects a drive at one exact speed, of a device at which steps used to differ: a simulator.
///
/// An honest precise receiver under cruise control has steps that are nearly equal to the one before, but its speed
/// wanders: over 13 s it leaves the rounding of the coordinates (survey-grade receivers on motorways). So steps are
/// compared with the speed at which the run began. Bends of a simulated road shorten a step now and then; the steps after
/// are at the same speed again. Steps between rounded coordinates are equal as soon as they differ by less than the
/// rounding, and do not count (``GridPoint/isRounded``). Keeps ``DriverState/Steps/equalScore`` and
/// ``DriverState/equalSpeed``.
package struct EqualStepsRule: SpoofRule, Equatable {
    /// Once per run, in log-odds; half as many more equal steps make another run.
    package var weight = 3.0
    /// Steps that differ by no more than this from the speed of the run are equal, in metres: what two roundings to 1e-7°
    /// and stamps of whole milliseconds make.
    package var toleranceMeters = 0.03
    /// Steps that take less than this tell nothing, in seconds: no vehicle changes its speed so fast that it shows.
    package var leastSeconds = 0.8
    /// Equal steps, less the others, that count.
    package var steps = 12
    /// Steps from which it is learnt what the device's usually differ by.
    package var learntSteps = 40
    /// Steps that usually differ by less than this, in metres, are equal by habit; those of receivers, with 0.2 m
    /// added before the logarithm, differ by 0.6 (ndsbr_curitiba, barefoot_munich) and more.
    package var unequalMeters = 0.35
    /// What a point of the score adds to the hint, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    package var hint = 0.075

    /// Points for an equal step; what one that is not takes off is one point.
    private static let equalScore: UInt8 = 2
    /// Steps over which the mean speed of a run goes.
    private static let meanSteps = 8.0

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !((2...100).contains(steps) && toleranceMeters >= 0) {
            problems.append("Equal steps come in runs of 2 to 100.")
        }
        if !(2...200).contains(learntSteps) { problems.append("What steps differ by is learnt from 2 to 200.") }
        if !(leastSeconds > 0) { problems.append("Steps that are compared take more than 0 seconds.") }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, step.hasPrevious else { return }
        context.addHint(Float(context.driver.steps.equalScore) * Float(hint))
        guard step.seconds >= leastSeconds, step.meters >= settings.signals.movingStepMeters else { return }
        compare(step, &context, settings)
    }

    private func compare(_ step: TrackStep, _ context: inout FixContext, _ settings: TrackingSettings) {
        let score = context.driver.steps.equalScore
        let speed = step.meters / step.seconds
        let run = Double(context.driver.equalSpeed) / 1000
        guard run > 0, abs(speed - run) * step.seconds <= toleranceMeters else {
            context.driver.steps.equalScore = max(1, score) - 1
            if score <= 1 { context.driver.setEqualSpeed(speed) }
            return
        }
        // Steps between rounded coordinates are equal as soon as they differ by less than the rounding.
        guard !(context.driver.live.point.isRounded && GridPoint(context.fix.coordinate).isRounded) else { return }
        // 250 leaves room for one more.
        context.driver.steps.equalScore = min(score, 250) + Self.equalScore
        let counted = min(Self.meanSteps, Double(score / Self.equalScore) + 2)
        context.driver.setEqualSpeed(run + (speed - run) / counted)
        guard Int(context.driver.steps.equalScore) >= Int(Self.equalScore) * steps else { return }
        context.driver.steps.equalScore /= 2
        // One that never did otherwise is a model of a vehicle, as in tests and demonstrations.
        guard Int(context.driver.steps.learnt) >= learntSteps,
            context.driver.steps.usualChangeMeters > unequalMeters
        else { return }
        context.mark(
            .equalSteps, weight * context.evidenceSeconds, .kinematicAnomaly, settings.risk,
            LocationWarning.Evidence(distanceMeters: step.meters, seconds: step.seconds, fixes: steps))
    }
}

extension DriverState {
    /// Keeps the speed of a run of equal steps, in m/s.
    fileprivate mutating func setEqualSpeed(_ metersPerSecond: Double) {
        equalSpeed = UInt16(max(0, min(65_535, (metersPerSecond * 1000).halfAwayFromZero)))
    }
}
