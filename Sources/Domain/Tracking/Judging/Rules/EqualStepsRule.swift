/// Steps of exactly the same length or speed, after others that were not: a simulated drive at a constant one.
///
/// No device in the recordings makes more than three in a row; those that round their coordinates make any number, so
/// steps between rounded coordinates do not count (``GridPoint/isRounded``). Keeps ``DriverState/Steps/equalScore``: each one scores
/// ``equalScore``, any other takes off 1.
package struct EqualStepsRule: SpoofRule, Equatable {
    /// Once per run of steps of a second and more, in log-odds, and for shorter ones by their seconds; half as many more
    /// make another run.
    package var weight = 3.0
    /// Steps whose lengths differ by no more than this are equal, in metres: what two roundings to 1e-7° make.
    package var toleranceMeters = 0.04
    /// Equal steps in a row that count.
    package var steps = 6
    /// Steps from which it is learnt what the device's usually differ by.
    package var learntSteps = 40
    /// Steps that usually differ by less than this, in metres, are equal by habit; those of receivers, with 0.2 m
    /// added before the logarithm, differ by 0.6 (ndsbr_curitiba, barefoot_munich) and more.
    package var unequalMeters = 0.35
    /// What a point of the score adds to the hint, in log-odds; see ``TrackingSettings/Risk/maximumHint``.
    package var hint = 0.075

    /// Points for an equal step; what one that is not takes off is one point.
    private static let equalScore: UInt8 = 2

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !((2...100).contains(steps) && toleranceMeters >= 0) {
            problems.append("Equal steps come in runs of 2 to 100.")
        }
        if !(2...200).contains(learntSteps) { problems.append("What steps differ by is learnt from 2 to 200.") }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, step.hasPrevious else { return }
        context.addHint(Float(context.driver.steps.equalScore) * Float(hint))
        let last = context.driver.steps.meters
        let least = settings.signals.movingStepMeters
        guard step.meters >= least, last >= least else { return }
        let scaled = last * (step.seconds / context.driver.steps.seconds)
        let difference = min(abs(step.meters - last), abs(step.meters - scaled))
        guard difference <= toleranceMeters else {
            // A bend of the road shortens a step now and then.
            context.driver.steps.equalScore = max(1, context.driver.steps.equalScore) - 1
            return
        }
        // Steps between rounded coordinates are equal as soon as they differ by less than the rounding.
        guard !(context.driver.live.point.isRounded && GridPoint(context.fix.coordinate).isRounded) else { return }
        // 250 leaves room for one more.
        context.driver.steps.equalScore = min(context.driver.steps.equalScore, 250) + Self.equalScore
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
