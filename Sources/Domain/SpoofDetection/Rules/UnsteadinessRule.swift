/// Rule that detects independent noise per fix, by steps that begin to alternate sides; keeps ``DriverState/Steps``.
package struct UnsteadinessRule: SpoofRule, Equatable {
    /// Weight per neper of excess and per step, or per second if steps are shorter, in log-odds.
    package var weight = 0.5
    /// Increase over the usual change between steps that counts as unsteady, in nepers.
    package var excessNepers = 0.6
    /// Further increase from which the fix is marked, in nepers.
    package var warnNepers = 0.5
    /// Minimum share of alternating steps: white noise has 0.73, receivers less than 0.5.
    package var swerves = 0.55
    /// Change, in metres, above which steps are ignored, because they are typical of streets between high buildings.
    package var maximumMeters = 15.0
    /// Duration, in seconds, above which steps are ignored, because they are unsteady by the driving.
    package var maximumSeconds = 2.5
    /// Length, in metres, up to which a previous step has no usable direction.
    package var minimumPreviousMeters = 1.0

    func problems() -> [String] {
        settingProblems(of: self, .within(0...1, \.swerves), .above(0, \.maximumSeconds, \.maximumMeters))
    }

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
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
        guard excess > warnNepers else {
            context.addAmbiguousEvidence(.unsteadiness, weight)
            return
        }
        context.markAmbiguous(
            .unsteadiness, weight, settings.risk,
            LocationWarning.Evidence(distanceMeters: change.meters, seconds: step.seconds))
    }
}
