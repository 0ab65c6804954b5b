/// Accusations by the positions alone, which are withdrawn when many drivers of an area go wrong at once.
///
/// What the device says of itself (mock flags, attestation), and what it repeats (sequences, tracks, frozen fields), is
/// its own doing and never comes here.
extension FixJudge {
    /// Accuses the driver by how it moves; whether it is blamed or a disturbance of GNSS is decided at the end.
    ///
    /// Of several accusations by one fix the first is warned about, and all weigh.
    @inline(__always)
    func accuse(
        of reason: Reasons, _ action: LocationWarning.Action, weighing weight: Double, _ judgement: inout Judgement,
        _ evidence: LocationWarning.Evidence = LocationWarning.Evidence()
    ) {
        judgement.accusedWeight += Float(min(weight, settings.risk.maximumSignal))
        guard judgement.accusation == nil else { return }
        judgement.accusation = LocationWarning(reason: reason, action: action, evidence: evidence)
    }

    /// Adds to the risk what a bad sky may be the cause of as well.
    @inline(__always)
    func suspect(
        _ signal: Signals, _ weight: Double, _ judgement: inout Judgement, _ evidence: LocationWarning.Evidence
    ) {
        judgement.signals.insert(signal)
        judgement.skyWeight += Float(min(weight, settings.risk.maximumSignal))
        accuse(of: .kinematicAnomaly, .none, weighing: 0, &judgement, evidence)
    }

    /// Takes back, at the driver's next fix, what it was blamed for before others went wrong as well.
    @inline(__always)
    func reconsider(
        _ context: inout FixContext, _ driver: Int, _ state: inout DriverState, _ memory: inout DisturbanceMemory,
        _ judgement: inout Judgement
    ) {
        guard state.risk.isAnomalous else { return }
        reconsiderAnomaly(&context, driver, &state, &memory, &judgement)
    }

    private func reconsiderAnomaly(
        _ context: inout FixContext, _ driver: Int, _ state: inout DriverState, _ memory: inout DisturbanceMemory,
        _ judgement: inout Judgement
    ) {
        guard var anomaly = memory.anomaly(of: driver),
            context.streamTime.seconds(since: anomaly.at) <= 2 * memory.windowSeconds
        else {
            state.risk.isAnomalous = false
            return
        }
        guard memory.isDisturbance(anomaly, of: driver) else { return }
        context.isDisturbed = true
        state.risk.release()
        let blame = anomaly.blame(at: context.streamTime, halfLifeSeconds: settings.risk.halfLifeSeconds)
        guard blame > 0 else { return }
        state.risk.remove(blame)
        state.jump.blamedFixes = 0
        anomaly.pardon()
        memory.note(anomaly, of: driver)
        judgement.anomaly = anomaly
        label(context, &state, &judgement, LocationWarning.Evidence())
    }

    /// Decides whether the driver is to blame for what it was accused of.
    ///
    /// `origin` is where the vehicle was believed to be before the fix.
    @inline(__always)
    func decide(
        _ context: FixContext, _ driver: Int, from origin: GridPoint, _ state: inout DriverState,
        _ memory: inout DisturbanceMemory, _ judgement: inout Judgement
    ) {
        if judgement.isExonerated || judgement.isStrayOver { pardon(driver, state, &memory, &judgement) }
        guard let accusation = judgement.accusation else {
            if !context.isDisturbed {
                state.risk.addSky(Double(judgement.skyWeight), at: context.streamTime, settings.risk)
            }
            return
        }
        decide(accusation, context, driver, from: origin, &state, &memory, &judgement)
    }

    private func decide(
        _ accusation: LocationWarning, _ context: FixContext, _ driver: Int, from origin: GridPoint,
        _ state: inout DriverState, _ memory: inout DisturbanceMemory, _ judgement: inout Judgement
    ) {
        guard memory.remembers else {
            blame(accusation, context, &state, &judgement)
            return
        }
        let halfLife = settings.risk.halfLifeSeconds
        var anomaly = memory.anomaly(of: driver) ?? Anomaly(at: context.streamTime)
        anomaly.proceed(to: context.streamTime, windowSeconds: memory.windowSeconds, halfLifeSeconds: halfLife)
        anomaly.origin = origin
        anomaly.destination = GridPoint(context.fix.coordinate)
        if memory.isDisturbance(anomaly, of: driver) {
            state.risk.remove(anomaly.blame(at: context.streamTime, halfLifeSeconds: halfLife))
            state.risk.release()
            state.jump.blamedFixes = 0
            anomaly.pardon()
            label(context, &state, &judgement, accusation.evidence)
        } else {
            let before = state.risk.evidence
            blame(accusation, context, &state, &judgement)
            anomaly.recentBlame += max(0, state.risk.evidence - before)
        }
        state.risk.isAnomalous = true
        memory.note(anomaly, of: driver)
        judgement.anomaly = anomaly
    }

    @inline(__always)
    private func blame(
        _ accusation: LocationWarning, _ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        judgement.reasons.insert(accusation.reason)
        warn(accusation.reason, accusation.action, context, &state, &judgement, accusation.evidence)
        state.risk.addSky(Double(judgement.skyWeight), at: context.streamTime, settings.risk)
        if accusation.reason == .relocated || judgement.signals.contains(.filterRestart) {
            let isRelocation = accusation.reason == .relocated && judgement.accusedWeight > 0
            state.risk.hold(isRelocation: isRelocation, at: context.streamTime, settings.risk)
        }
        guard judgement.accusedWeight > 0 else { return }
        state.risk.add(capped: Double(judgement.accusedWeight), at: context.streamTime, settings.risk)
        if state.jump.fixes > 0, state.jump.blamedFixes < .max { state.jump.blamedFixes += 1 }
    }

    /// Says that the satellites are to blame.
    private func label(
        _ context: FixContext, _ state: inout DriverState, _ judgement: inout Judgement,
        _ evidence: LocationWarning.Evidence
    ) {
        judgement.reasons.insert(.gnssDisturbance)
        warn(.gnssDisturbance, .none, context, &state, &judgement, evidence)
    }

    /// The driver's jump turned out to be within reach, or a single stray fix, and its blame was taken back already.
    private func pardon(
        _ driver: Int, _ state: DriverState, _ memory: inout DisturbanceMemory, _ judgement: inout Judgement
    ) {
        guard state.risk.isAnomalous, var anomaly = memory.anomaly(of: driver) else { return }
        anomaly.pardon()
        // What is left of it is with the sky, and goes when others turn out to have gone wrong as well; that is said.
        if judgement.isStrayOver { anomaly.recentBlame = 1e-6 }
        memory.note(anomaly, of: driver)
        judgement.anomaly = anomaly
    }
}
