import Model

/// Steps that have come to swerve to and fro, with noise that is drawn anew for each fix.
///
/// Keeps what ``DriverState/Steps`` holds of how much steps differ from those before.
package struct UnsteadinessRule: SpoofRule, Equatable {
    /// Per step, and per second at most, and neper of excess, in log-odds.
    package var weight = 0.5
    /// Steps have become unsteady when they differ by e to the power of this more than usual.
    package var excessNepers = 0.6
    /// By e to the power of this more on top, and the unsteadiness is told of.
    package var toldNepers = 0.5
    /// Unsteady steps swerve at this share of the steps: white noise does at 0.73, a receiver at less than 0.5.
    package var swerves = 0.55
    /// Steps that differ by more than this, in metres, are those between high houses.
    package var maximumMeters = 15.0
    /// Steps that take longer than this, in seconds, are unsteady by the driving alone.
    package var maximumSeconds = 2.5
    /// A step before that was no longer than this, in metres, has no direction to swerve from.
    package var minimumPreviousMeters = 1.0

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        var problems: [String] = []
        if !(0...1).contains(swerves) { problems.append("The share of steps that swerve is from 0 to 1.") }
        if !(maximumSeconds > 0 && maximumMeters > 0) {
            problems.append("The limits of unsteady steps must be positive.")
        }
        return problems
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, step.hasPrevious else { return }
        guard let change = step.change, step.meters > settings.signals.movingStepMeters,
            context.driver.steps.meters > minimumPreviousMeters
        else {
            context.driver.steps.swerveSide = 0
            return
        }
        let excess = context.driver.steps.learn(change: change.meters, isLeft: change.isLeft, self)
        guard excess > 0, step.seconds <= maximumSeconds else { return }
        let weight = weight * excess * context.evidenceSeconds
        guard excess > toldNepers else {
            context.addSky(.unsteadiness, weight)
            return
        }
        context.suspect(
            .unsteadiness, weight, settings.risk,
            LocationWarning.Evidence(distanceMeters: change.meters, seconds: step.seconds))
    }
}
