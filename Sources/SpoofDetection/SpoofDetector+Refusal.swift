import Model
import Support

extension SpoofDetector {
    /// The answer to a fix of which it is not known when it was received: rejected.
    ///
    /// All checks of order, speed and rate need that time. It changes nothing that is known of the driver; `streamTime`
    /// stands in for the time of the fix.
    package func refuse(at streamTime: Timestamp, state: DriverState) -> VerdictResult {
        let risk = state.risk.probability(settings.risk)
        var judgement = VerdictResult(verdict: .rejected, reasons: .clockSkew, risk: risk, fixedAt: streamTime)
        judgement.riskSignals = state.signals(explaining: risk, settings.risk)
        if state.risk.isFlagged {
            judgement.reasons.insert(.flagged)
        } else if risk >= settings.risk.suspectRisk {
            judgement.reasons.insert(.suspect)
        }
        return judgement
    }
}
