/// Rejects fixes that the platform marks as mocked.
///
/// Keeps no state.
package struct MockLocationRule: SpoofRule, Equatable {
    /// Per fix, in log-odds.
    package var weight = 3.0

    var weights: [Double] { [weight] }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fix.isMock else { return }
        context.addProof(.device, weight, settings.risk)
        context.result.signals.insert(.device)
        context.reject(.mockLocation)
        context.warn(.mockLocation, .reject)
    }
}
