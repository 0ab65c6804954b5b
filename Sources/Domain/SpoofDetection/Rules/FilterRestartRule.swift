/// Rule that detects filter restarts far from the previous track; keeps no state.
package struct FilterRestartRule: SpoofRule, Equatable {
    /// Weight per restart, in log-odds.
    package var weight = 3.0
    /// Minimum distance of the restart, in metres.
    package var minimumMeters = 100.0

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let origin = context.filterOrigin, !context.motion.isExempt,
            context.motion.continuity == .unbroken, context.driver.motion.rejects.count == 0,
            context.driver.motion.coordinate == context.fix.coordinate
        else { return }
        let distance = Geodesy.nearbyDistanceMeters(from: origin, to: context.fix.coordinate)
        guard distance > minimumMeters else { return }
        context.markAmbiguous(
            .filterRestart, weight, settings.risk,
            LocationWarning.Evidence(distanceMeters: distance, seconds: context.motion.seconds))
    }
}
