extension FixJudge {
    /// The answer to a fix of which it is not known when it was received: rejected.
    ///
    /// All checks of order, speed and rate need that time. It changes nothing that is known of the driver; `streamTime`
    /// stands in for the time of the fix.
    package func refuse(at streamTime: Timestamp, state: DriverState) -> Judgement {
        var judgement = Judgement(
            verdict: .rejected, reasons: .clockSkew, risk: state.risk.probability(settings.risk), fixedAt: streamTime)
        if state.risk.isFlagged { judgement.reasons.insert(.flagged) }
        return judgement
    }
}
