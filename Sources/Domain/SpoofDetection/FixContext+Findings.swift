/// Methods by which rules report their results.
extension FixContext {
    @inline(__always) mutating func reject(_ reason: Reasons) {
        result.verdict = .rejected
        result.reasons.insert(reason)
    }

    /// Adds a warning if `reason` starts or its action changes; up to one per code and fix.
    @inline(__always) mutating func warn(
        _ reason: Reasons, _ action: LocationWarning.Action,
        _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        let before = driver.warnings.lastAction(of: reason)
        guard driver.warnings.raise(reason, action, at: streamTime) else { return }
        result.add(LocationWarning(reason: reason, action: action, evidence: evidence, previousAction: before))
    }

    /// Adds evidence (log-odds) that GNSS errors cannot cause, up to the limit per window, without a warning.
    @inline(__always) mutating func addRisk(_ signal: Signals, _ weight: Double, _ risk: TrackingSettings.Risk) {
        driver.addEvidenceWithinWindow(signal, min(weight, risk.maximumSignal), of: at, at: streamTime, risk)
    }

    /// Adds evidence (log-odds) for which the fix is rejected, without the limit per window.
    @inline(__always) mutating func addProof(_ signal: Signals, _ weight: Double, _ risk: TrackingSettings.Risk) {
        driver.addEvidence(signal, capped: min(weight, risk.maximumSignal), at: streamTime, risk)
    }

    /// Adds evidence (log-odds) that GNSS errors cannot cause, marks the fix and warns.
    mutating func mark(
        _ signal: Signals, _ weight: Double, _ reason: Reasons, _ risk: TrackingSettings.Risk,
        _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        addRisk(signal, weight, risk)
        result.signals.insert(signal)
        result.reasons.insert(reason)
        warn(reason, .flag, evidence)
    }

    /// Adds evidence (log-odds) that GNSS errors can also cause, attributed to the heaviest signal, without a warning.
    @inline(__always) mutating func addAmbiguousEvidence(_ signal: Signals, _ weight: Double) {
        evidence.gnssWeight += Float(weight)
        guard weight > Double(evidence.heaviestGnssWeight) else { return }
        evidence.heaviestGnssWeight = Float(weight)
        evidence.gnssSignal = signal
    }

    /// Adds evidence (log-odds) that GNSS errors can also cause, and marks the fix.
    @inline(__always) mutating func markAmbiguous(
        _ signal: Signals, _ weight: Double, _ risk: TrackingSettings.Risk, _ evidence: LocationWarning.Evidence
    ) {
        result.signals.insert(signal)
        addAmbiguousEvidence(signal, min(weight, risk.maximumSignal))
        addCandidateEvidence(for: .kinematicAnomaly, .none, signal, weighing: 0, risk, evidence)
    }

    /// Adds position-based evidence, which is attributed to the driver or to GNSS interference at the end.
    ///
    /// Of several candidates in one fix, the first gives the warning, and the weights add up. Evidence that the device
    /// itself causes (mock flags, attestation, repeated sequences, tracks or fields) must not be added here.
    @inline(__always) mutating func addCandidateEvidence(
        for reason: Reasons, _ action: LocationWarning.Action, _ signal: Signals, weighing weight: Double,
        _ risk: TrackingSettings.Risk, _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        if weight > 0, self.evidence.candidateWeight == 0 { self.evidence.candidateSignal = signal }
        self.evidence.candidateWeight += Float(min(weight, risk.maximumSignal))
        guard self.evidence.candidateWarning == nil else { return }
        self.evidence.candidateWarning = LocationWarning(reason: reason, action: action, evidence: evidence)
    }

    /// Adds a hint (log-odds), which only ranks drivers and triggers no decision.
    @inline(__always) mutating func addHint(_ weight: Float) { evidence.hint += weight }
}
