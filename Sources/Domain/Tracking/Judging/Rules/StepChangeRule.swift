/// A step that no vehicle makes after the one before.
///
/// Reads ``DriverState/Steps``.
package struct StepChangeRule: SpoofRule, Equatable {
    /// Per step, in log-odds.
    package var weight = 2.5
    /// A step may differ from the one before by this times the square of its seconds, in m/s².
    ///
    /// A share of the step before, the accuracies, and the noise come on top.
    package var perSecondSquared = 4.0
    /// The same for long steps: this times their seconds, in m/s.
    package var perSecond = 16.0
    /// Share of the length of the step before that is allowed for on top.
    package var previousStepShare = 0.5
    /// How many times what steps usually differ by is allowed for on top.
    package var usualFactor = 8.0
    /// How many times the noise that the filter has learnt is allowed for on top.
    package var noiseFactor = 2.0

    var weights: [Double] { [weight] }

    func problems() -> [String] {
        perSecondSquared > 0 && perSecond > 0 ? [] : ["The limits of steps must be positive."]
    }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, let change = step.change else { return }
        let seconds = step.seconds + settings.jumps.stampJitterSeconds
        let least =
            seconds * min(seconds * perSecondSquared, perSecond)
            + context.driver.steps.meters * previousStepShare + step.accuracyMeters
        if change.meters > least { compare(change.meters, with: least, step, &context, settings) }
    }

    /// Apart from the rest, as what is usual takes an exponential to tell.
    private func compare(
        _ change: Double, with least: Double, _ step: TrackStep, _ context: inout FixContext,
        _ settings: TrackingSettings
    ) {
        let usual = context.driver.steps.usualChangeMeters(settings.signals)
        let noise = context.driver.learnedNoiseMeters(settings.smoothing)
        guard change > least + (usualFactor * usual + noiseFactor * noise) else { return }
        context.suspect(
            .stepChange, weight, settings.risk,
            LocationWarning.Evidence(distanceMeters: change, seconds: step.seconds))
    }
}
