import Model

/// The filter gave in to fixes far from where the track went on.
///
/// Keeps nothing.
package struct FilterRestartRule: SpoofRule, Equatable {
    /// Per restart, in log-odds.
    package var weight = 3.0
    /// The filter gives in over more than this, in metres.
    package var minimumMeters = 100.0

    var weights: [Double] { [weight] }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard let move = context.filterMove, !context.motion.isExcused,
            context.motion.continuity == .unbroken, context.driver.motion.rejects.count == 0,
            context.driver.motion.coordinate == context.fix.coordinate
        else { return }
        let distance = Geodesy.nearbyDistanceMeters(from: move.origin, to: context.fix.coordinate)
        guard distance > minimumMeters else { return }
        context.suspect(
            .filterRestart, weight, settings.risk,
            LocationWarning.Evidence(distanceMeters: distance, seconds: context.motion.seconds))
    }
}
