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
        _ hearing: inout Hearing, _ driver: Int, _ state: inout DriverState, _ memory: inout DisturbanceMemory,
        _ judgement: inout Judgement
    ) {
        guard state.risk.isAnomalous else { return }
        reconsiderAnomaly(&hearing, driver, &state, &memory, &judgement)
    }

    private func reconsiderAnomaly(
        _ hearing: inout Hearing, _ driver: Int, _ state: inout DriverState, _ memory: inout DisturbanceMemory,
        _ judgement: inout Judgement
    ) {
        guard var anomaly = memory.anomaly(of: driver),
            hearing.laneTime.seconds(since: anomaly.at) <= 2 * memory.windowSeconds
        else {
            state.risk.isAnomalous = false
            return
        }
        guard memory.isDisturbance(anomaly, of: driver) else { return }
        hearing.isDisturbed = true
        state.risk.release()
        let blame = anomaly.blame(at: hearing.laneTime, halfLifeSeconds: settings.risk.halfLifeSeconds)
        guard blame > 0 else { return }
        state.risk.remove(blame)
        state.jump.blamedFixes = 0
        anomaly.pardon()
        memory.note(anomaly, of: driver)
        judgement.anomaly = anomaly
        label(hearing, &state, &judgement, LocationWarning.Evidence())
    }

    /// Decides whether the driver is to blame for what it was accused of.
    ///
    /// `origin` is where the vehicle was believed to be before the fix.
    @inline(__always)
    func decide(
        _ hearing: Hearing, _ driver: Int, from origin: GridPoint, _ state: inout DriverState,
        _ memory: inout DisturbanceMemory, _ judgement: inout Judgement
    ) {
        if judgement.isExonerated || judgement.isStrayOver { pardon(driver, state, &memory, &judgement) }
        guard let accusation = judgement.accusation else {
            if !hearing.isDisturbed {
                state.risk.addSky(Double(judgement.skyWeight), at: hearing.laneTime, settings.risk)
            }
            return
        }
        decide(accusation, hearing, driver, from: origin, &state, &memory, &judgement)
    }

    private func decide(
        _ accusation: LocationWarning, _ hearing: Hearing, _ driver: Int, from origin: GridPoint,
        _ state: inout DriverState, _ memory: inout DisturbanceMemory, _ judgement: inout Judgement
    ) {
        guard memory.remembers else {
            blame(accusation, hearing, &state, &judgement)
            return
        }
        let halfLife = settings.risk.halfLifeSeconds
        var anomaly = memory.anomaly(of: driver) ?? Anomaly(at: hearing.laneTime)
        anomaly.proceed(to: hearing.laneTime, windowSeconds: memory.windowSeconds, halfLifeSeconds: halfLife)
        anomaly.origin = origin
        anomaly.destination = GridPoint(hearing.fix.coordinate)
        if memory.isDisturbance(anomaly, of: driver) {
            state.risk.remove(anomaly.blame(at: hearing.laneTime, halfLifeSeconds: halfLife))
            state.risk.release()
            state.jump.blamedFixes = 0
            anomaly.pardon()
            label(hearing, &state, &judgement, accusation.evidence)
        } else {
            let before = state.risk.evidence
            blame(accusation, hearing, &state, &judgement)
            anomaly.recentBlame += max(0, state.risk.evidence - before)
        }
        state.risk.isAnomalous = true
        memory.note(anomaly, of: driver)
        judgement.anomaly = anomaly
    }

    @inline(__always)
    private func blame(
        _ accusation: LocationWarning, _ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement
    ) {
        judgement.reasons.insert(accusation.reason)
        warn(accusation.reason, accusation.action, hearing, &state, &judgement, accusation.evidence)
        state.risk.addSky(Double(judgement.skyWeight), at: hearing.laneTime, settings.risk)
        if accusation.reason == .relocated || judgement.signals.contains(.filterRestart) {
            let isRelocation = accusation.reason == .relocated && judgement.accusedWeight > 0
            state.risk.hold(isRelocation: isRelocation, at: hearing.laneTime, settings.risk)
        }
        guard judgement.accusedWeight > 0 else { return }
        state.risk.add(capped: Double(judgement.accusedWeight), at: hearing.laneTime, settings.risk)
        if state.jump.fixes > 0, state.jump.blamedFixes < .max { state.jump.blamedFixes += 1 }
    }

    /// Says that the satellites are to blame.
    private func label(
        _ hearing: Hearing, _ state: inout DriverState, _ judgement: inout Judgement,
        _ evidence: LocationWarning.Evidence
    ) {
        judgement.reasons.insert(.gnssDisturbance)
        warn(.gnssDisturbance, .none, hearing, &state, &judgement, evidence)
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
