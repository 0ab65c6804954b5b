import Support

extension SpoofDetector {
    /// Silence after which all warnings expire, as a share of `memorySeconds`; a restore finds all active warnings.
    private static let silentShare = 0.5

    /// Adds RESOLVED warnings for expired codes; a code that this fix raises again replaces its RESOLVED warning.
    @inline(__always) func resolve(_ ended: ExpiredWarnings, _ context: inout FixContext) {
        if !ended.isEmpty { context.result.warnings = ended.warnings }
    }

    /// Expires warnings of a silent driver; returns them as resolved, with the driver's risk at `now`.
    @inline(__always) package func endWarnings(
        of state: inout DriverState, at now: Timestamp
    ) -> (warnings: [LocationWarning], risk: Double) {
        guard state.warnings.open != 0 else { return ([], 0) }
        return endOpenWarnings(of: &state, at: now)
    }

    private func endOpenWarnings(of state: inout DriverState, at now: Timestamp) -> ([LocationWarning], Double) {
        // Times before the driver's last fix have no effect.
        guard now > state.seenAt else { return ([], 0) }
        let isSilent = now.seconds(since: state.seenAt) > settings.memorySeconds * Self.silentShare
        let ended = isSilent ? state.warnings.expireAll() : state.warnings.expire(until: now)
        guard !ended.isEmpty else { return ([], 0) }
        var risk = state.risk
        risk.decay(until: now, settings.risk)
        return (ended.warnings, risk.probability(settings.risk))
    }
}
