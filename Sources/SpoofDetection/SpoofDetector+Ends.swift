import Model
import Support

/// The ends of warnings.
extension SpoofDetector {
    /// Silence after which all warnings of a driver are over, as a share of the memory.
    ///
    /// A restore reads as much of the changelog as the memory is long, so it finds every driver whose warnings go on.
    private static let silentShare = 0.5

    /// Says of codes that they are over; where the fix raises one again, nothing has changed.
    @inline(__always)
    func resolve(_ ended: EndedWarnings, _ context: inout FixContext) {
        if !ended.isEmpty { context.judgement.warnings = ended.warnings }
    }

    /// Ends the warnings of a driver that were not raised for as long as ends one, though no fix of the driver came.
    ///
    /// Given the same time it makes the same of a state that was restored, and of one that was not ended at a time
    /// before.
    ///
    /// - Returns: one warning per code that is over, and the driver's risk at `now`; mostly none.
    @inline(__always)
    package func endWarnings(
        of state: inout DriverState, at now: Timestamp
    ) -> (warnings: [LocationWarning], risk: Double) {
        guard state.warnings.open != 0 else { return ([], 0) }
        return endOpenWarnings(of: &state, at: now)
    }

    private func endOpenWarnings(of state: inout DriverState, at now: Timestamp) -> ([LocationWarning], Double) {
        // A time that was passed before the driver's last fix changes nothing.
        guard now > state.seenAt else { return ([], 0) }
        let isSilent = now.seconds(since: state.seenAt) > settings.memorySeconds * Self.silentShare
        let ended = isSilent ? state.warnings.end() : state.warnings.fade(until: now)
        guard !ended.isEmpty else { return ([], 0) }
        var risk = state.risk
        risk.fade(until: now, settings.risk)
        return (ended.warnings, risk.probability(settings.risk))
    }
}
