/// The platform's attestation of the device failed.
///
/// Keeps nothing.
package struct DeviceIntegrityRule: SpoofRule, Equatable {
    /// Per fix, and per second at most, in log-odds.
    package var weight = 3.0
    /// Whether the fix is rejected, rather than accepted and marked.
    package var rejects = false

    var weights: [Double] { [weight] }

    @inline(__always)
    func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fix.integrity == .failed else { return }
        context.addRisk(.integrity, weight * context.evidenceSeconds, settings.risk)
        context.judgement.reasons.insert(.deviceIntegrity)
        if rejects { context.judgement.verdict = .rejected }
        context.warn(.deviceIntegrity, rejects ? .reject : .flag)
    }
}
