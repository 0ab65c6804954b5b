/// Position-based evidence, removed when many nearby drivers show anomalies at the same time (GNSS interference).
extension SpoofDetector {
    /// Age up to which evidence of an anomaly can be removed, in windows of ``DisturbanceMemory``.
    private static let revocableWindows = 2.0
    /// Smallest non-zero log-odds: marks that evidence existed without affecting the score.
    private static let markerEvidence: Float = 1e-6

    /// Removes evidence, on the driver's next fix, that was added before the interference was recognised.
    @inline(__always)
    func revokeEvidence(_ context: inout FixContext, _ driver: Int, _ memory: inout DisturbanceMemory) {
        guard context.driver.risk.isAnomalous else { return }
        revokeAnomaly(&context, driver, &memory)
    }

    private func revokeAnomaly(_ context: inout FixContext, _ driver: Int, _ memory: inout DisturbanceMemory) {
        guard var anomaly = memory.anomaly(of: driver),
            context.streamTime.seconds(since: anomaly.at) <= Self.revocableWindows * memory.windowSeconds
        else {
            context.driver.risk.isAnomalous = false
            return
        }
        guard memory.isDisturbance(anomaly, of: driver) else { return }
        context.isDisturbed = true
        context.driver.risk.clearAmbiguousEvidence()
        let evidence = anomaly.evidence(at: context.streamTime, halfLifeSeconds: settings.risk.halfLifeSeconds)
        guard evidence > 0 else { return }
        removeJumpEvidence(evidence, &context)
        anomaly.clearEvidence()
        store(anomaly, of: driver, &context, &memory)
        warnOfDisturbance(&context, LocationWarning.Evidence())
    }

    /// Attributes position-based evidence to the driver or to interference; `origin` is the last accepted position.
    @inline(__always) func attributeEvidence(
        _ context: inout FixContext, _ driver: Int, from origin: GridPoint, _ memory: inout DisturbanceMemory
    ) {
        if context.evidence.isJumpWithinReach || context.evidence.isJumpStray {
            clearEvidence(&context, driver, &memory)
        }
        guard let candidate = context.evidence.candidateWarning else {
            if !context.isDisturbed { addAmbiguousEvidence(&context) }
            return
        }
        attribute(candidate, &context, driver, from: origin, &memory)
    }

    private func attribute(
        _ candidate: LocationWarning, _ context: inout FixContext, _ driver: Int, from origin: GridPoint,
        _ memory: inout DisturbanceMemory
    ) {
        guard memory.isEnabled else {
            addEvidence(of: candidate, &context)
            return
        }
        let halfLife = settings.risk.halfLifeSeconds
        var anomaly = memory.anomaly(of: driver) ?? Anomaly(at: context.streamTime)
        anomaly.advance(to: context.streamTime, windowSeconds: memory.windowSeconds, halfLifeSeconds: halfLife)
        anomaly.origin = origin
        anomaly.destination = GridPoint(context.fix.coordinate)
        if memory.isDisturbance(anomaly, of: driver) {
            removeJumpEvidence(anomaly.evidence(at: context.streamTime, halfLifeSeconds: halfLife), &context)
            context.driver.risk.clearAmbiguousEvidence()
            anomaly.clearEvidence()
            warnOfDisturbance(&context, candidate.evidence)
        } else {
            let before = context.driver.risk.evidence
            addEvidence(of: candidate, &context)
            anomaly.recentEvidence += max(0, context.driver.risk.evidence - before)
        }
        context.driver.risk.isAnomalous = true
        store(anomaly, of: driver, &context, &memory)
    }

    @inline(__always) private func addEvidence(of candidate: LocationWarning, _ context: inout FixContext) {
        context.result.reasons.insert(candidate.reason)
        context.warn(candidate.reason, candidate.action, candidate.evidence)
        addAmbiguousEvidence(&context)
        if candidate.reason == .relocated || context.result.signals.contains(.filterRestart) {
            // While the driver is flagged, the evidence of every relocation is held, so that the driver stays hidden.
            let isRelocation =
                candidate.reason == .relocated
                && (context.evidence.candidateWeight > 0 || context.driver.risk.isFlagged)
            context.driver.risk.hold(isRelocation: isRelocation, at: context.streamTime, settings.risk)
        }
        guard context.evidence.candidateWeight > 0 else { return }
        let before = context.driver.risk.evidence
        context.driver.addEvidence(
            context.evidence.candidateSignal, capped: Double(context.evidence.candidateWeight), at: context.streamTime,
            settings.risk)
        guard context.driver.jump.fixes > 0 else { return }
        context.driver.jump.evidence += max(0, context.driver.risk.evidence - before)
        if context.driver.jump.evidenceFixes < .max { context.driver.jump.evidenceFixes += 1 }
    }

    @inline(__always) private func addAmbiguousEvidence(_ context: inout FixContext) {
        guard context.evidence.gnssWeight > 0 else { return }
        context.driver.addAmbiguousEvidence(
            context.evidence.gnssSignal, Double(context.evidence.gnssWeight), at: context.streamTime, settings.risk)
    }

    private func removeJumpEvidence(_ weight: Double, _ context: inout FixContext) {
        context.driver.removeEvidence(.jump, weight)
        context.driver.jump.evidenceFixes = 0
        context.driver.jump.evidence = 0
    }

    private func warnOfDisturbance(_ context: inout FixContext, _ evidence: LocationWarning.Evidence) {
        context.result.reasons.insert(.gnssDisturbance)
        context.warn(.gnssDisturbance, .none, evidence)
    }

    /// Clears the anomaly's evidence of a jump that became reachable or was a single outlier.
    private func clearEvidence(_ context: inout FixContext, _ driver: Int, _ memory: inout DisturbanceMemory) {
        guard context.driver.risk.isAnomalous, var anomaly = memory.anomaly(of: driver) else { return }
        anomaly.clearEvidence()
        // The remainder is ambiguous evidence; it is removed, with a warning, if interference is detected later.
        if context.evidence.isJumpStray { anomaly.recentEvidence = Self.markerEvidence }
        store(anomaly, of: driver, &context, &memory)
    }

    private func store(
        _ anomaly: Anomaly, of driver: Int, _ context: inout FixContext, _ memory: inout DisturbanceMemory
    ) {
        memory.record(anomaly, of: driver)
        context.result.anomaly = anomaly
    }
}
