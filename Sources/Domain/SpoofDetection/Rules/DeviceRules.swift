/// Rule that rejects fixes that the platform marks as mocked; keeps no state.
package struct MockLocationRule: SpoofRule, Equatable {
    /// Weight per fix, in log-odds.
    package var weight = 3.0

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fix.isMock else { return }
        context.addProof(.device, weight, settings.risk)
        context.result.signals.insert(.device)
        context.reject(.mockLocation)
        context.warn(.mockLocation, .reject)
    }
}

/// Rule that detects failed attestation of the device by its platform; keeps no state.
package struct DeviceIntegrityRule: SpoofRule, Equatable {
    /// Weight per fix, or per second if fixes are more frequent, in log-odds.
    package var weight = 3.0
    /// Whether the fix is rejected instead of accepted and marked.
    package var rejects = false

    @inline(__always) func examine(_ context: inout FixContext, _ settings: TrackingSettings) {
        guard context.fix.integrity == .failed else { return }
        context.addRisk(.integrity, weight * context.evidenceSeconds, settings.risk)
        context.result.reasons.insert(.deviceIntegrity)
        if rejects { context.result.verdict = .rejected }
        context.warn(.deviceIntegrity, rejects ? .reject : .flag)
    }
}
