import Model

/// How rules tell what they found.
extension FixContext {
    @inline(__always)
    mutating func reject(_ reason: Reasons) {
        judgement.verdict = .rejected
        judgement.reasons.insert(reason)
    }

    /// Warns when `reason` starts or its action changes; of several signals of one code in one fix, once.
    @inline(__always)
    mutating func warn(
        _ reason: Reasons, _ action: LocationWarning.Action,
        _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        let before = driver.warnings.told(reason)
        guard driver.warnings.raise(reason, action, at: streamTime) else { return }
        judgement.add(LocationWarning(reason: reason, action: action, evidence: evidence, previousAction: before))
    }

    /// Adds `weight`, in log-odds, to the risk, for evidence that GNSS errors cannot cause, without a warning.
    ///
    /// The fixes of one window add no more than ``TrackingSettings/Risk/maximumWindowEvidence`` in this way.
    @inline(__always)
    mutating func addRisk(_ signal: Signals, _ weight: Double, _ risk: TrackingSettings.Risk) {
        driver.blameWithinWindow(signal, min(weight, risk.maximumSignal), of: at, at: streamTime, risk)
    }

    /// Adds `weight`, in log-odds, to the risk, for what proves a forgery: a fix that is rejected for it.
    @inline(__always)
    mutating func addProof(_ signal: Signals, _ weight: Double, _ risk: TrackingSettings.Risk) {
        driver.blame(signal, capped: min(weight, risk.maximumSignal), at: streamTime, risk)
    }

    /// Adds `weight`, in log-odds, to the risk, for evidence that GNSS errors cannot cause; marks the fix and warns.
    mutating func mark(
        _ signal: Signals, _ weight: Double, _ reason: Reasons, _ risk: TrackingSettings.Risk,
        _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        addRisk(signal, weight, risk)
        judgement.signals.insert(signal)
        judgement.reasons.insert(reason)
        warn(reason, .flag, evidence)
    }

    /// Adds `weight`, in log-odds, for evidence that GNSS errors can cause as well, without a warning.
    ///
    /// Of several signals in one fix, the heaviest is said to be the cause of all.
    @inline(__always)
    mutating func addSky(_ signal: Signals, _ weight: Double) {
        evidence.skyWeight += Float(weight)
        guard weight > Double(evidence.heaviestSkyWeight) else { return }
        evidence.heaviestSkyWeight = Float(weight)
        evidence.skySignal = signal
    }

    /// Adds `weight`, in log-odds, for evidence that GNSS errors can cause as well, and marks the fix.
    @inline(__always)
    mutating func suspect(
        _ signal: Signals, _ weight: Double, _ risk: TrackingSettings.Risk, _ evidence: LocationWarning.Evidence
    ) {
        judgement.signals.insert(signal)
        addSky(signal, min(weight, risk.maximumSignal))
        accuse(of: .kinematicAnomaly, .none, signal, weighing: 0, risk, evidence)
    }

    /// Accuses the driver by how it moves; whether it is blamed or a disturbance of GNSS is decided at the end.
    ///
    /// Of several accusations by one fix the first is warned about, and all weigh. What the device says of itself (mock
    /// flags, attestation), and what it repeats (sequences, tracks, frozen fields), is its own doing and never comes
    /// here.
    @inline(__always)
    mutating func accuse(
        of reason: Reasons, _ action: LocationWarning.Action, _ signal: Signals, weighing weight: Double,
        _ risk: TrackingSettings.Risk, _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        if weight > 0, self.evidence.accusedWeight == 0 { self.evidence.accusedSignal = signal }
        self.evidence.accusedWeight += Float(min(weight, risk.maximumSignal))
        guard self.evidence.accusation == nil else { return }
        self.evidence.accusation = LocationWarning(reason: reason, action: action, evidence: evidence)
    }

    /// Adds what is too weak to be evidence, in log-odds; nothing is decided by it.
    @inline(__always)
    mutating func addHint(_ weight: Float) { evidence.hint += weight }
}
