/// A reported speed that no vehicle reaches from the one before.
///
/// Reads ``DriverState/Steps/speed``.
package struct AccelerationRule: SpoofRule, Equatable {
    /// Per step, in log-odds.
    package var weight = 3.0

    var weights: [Double] { [weight] }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let step = context.step, step.hasPrevious, let speed = step.speed,
            let last = context.driver.steps.speedMetersPerSecond
        else { return }
        let seconds = step.seconds + settings.jumps.stampJitterSeconds
        guard abs(speed - last) > settings.signals.maximumAccelerationMetersPerSecondSquared * seconds else { return }
        context.suspect(
            .acceleration, weight, settings.risk,
            LocationWarning.Evidence(seconds: step.seconds, speedMetersPerSecond: speed))
    }
}
