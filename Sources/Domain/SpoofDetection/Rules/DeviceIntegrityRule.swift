/// Detects failed attestation of the device by its platform.
///
/// Keeps no state.
package struct DeviceIntegrityRule: SpoofRule, Equatable {
    /// Per fix, at most per second, in log-odds.
    package var weight = 3.0
    /// Whether the fix is rejected instead of accepted and marked.
    package var rejects = false

    var weights: [Double] { [weight] }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fix.integrity == .failed else { return }
        context.addRisk(.integrity, weight * context.evidenceSeconds, settings.risk)
        context.result.reasons.insert(.deviceIntegrity)
        if rejects { context.result.verdict = .rejected }
        context.warn(.deviceIntegrity, rejects ? .reject : .flag)
    }
}
