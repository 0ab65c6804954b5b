import Model

/// Accusations by the positions alone, which are withdrawn when many drivers of an area go wrong at once.
extension SpoofDetector {
    /// Windows of ``DisturbanceMemory`` for which an anomaly can still be taken back.
    private static let reconsideredWindows = 2.0
    /// Blame that weighs nothing and still tells that there was some, in log-odds.
    private static let tokenBlame: Float = 1e-6

    /// Takes back, at the driver's next fix, what it was blamed for before others went wrong as well.
    @inline(__always)
    func reconsider(_ context: inout FixContext, _ driver: Int, _ memory: inout DisturbanceMemory) {
        guard context.driver.risk.isAnomalous else { return }
        reconsiderAnomaly(&context, driver, &memory)
    }

    private func reconsiderAnomaly(_ context: inout FixContext, _ driver: Int, _ memory: inout DisturbanceMemory) {
        guard var anomaly = memory.anomaly(of: driver),
            context.streamTime.seconds(since: anomaly.at) <= Self.reconsideredWindows * memory.windowSeconds
        else {
            context.driver.risk.isAnomalous = false
            return
        }
        guard memory.isDisturbance(anomaly, of: driver) else { return }
        context.isDisturbed = true
        context.driver.risk.release()
        let blame = anomaly.blame(at: context.streamTime, halfLifeSeconds: settings.risk.halfLifeSeconds)
        guard blame > 0 else { return }
        context.driver.withdraw(.jump, blame)
        context.driver.jump.blamedFixes = 0
        context.driver.jump.blame = 0
        anomaly.pardon()
        memory.note(anomaly, of: driver)
        context.judgement.anomaly = anomaly
        label(&context, LocationWarning.Evidence())
    }

    /// Decides whether the driver is to blame for what it was accused of.
    ///
    /// `origin` is where the vehicle was believed to be before the fix.
    @inline(__always)
    func decide(
        _ context: inout FixContext, _ driver: Int, from origin: GridPoint, _ memory: inout DisturbanceMemory
    ) {
        if context.evidence.isExonerated || context.evidence.isStrayOver { pardon(&context, driver, &memory) }
        guard let accusation = context.evidence.accusation else {
            if !context.isDisturbed {
                blameSky(&context)
            }
            return
        }
        decide(accusation, &context, driver, from: origin, &memory)
    }

    private func decide(
        _ accusation: LocationWarning, _ context: inout FixContext, _ driver: Int, from origin: GridPoint,
        _ memory: inout DisturbanceMemory
    ) {
        guard memory.remembers else {
            blame(accusation, &context)
            return
        }
        let halfLife = settings.risk.halfLifeSeconds
        var anomaly = memory.anomaly(of: driver) ?? Anomaly(at: context.streamTime)
        anomaly.proceed(to: context.streamTime, windowSeconds: memory.windowSeconds, halfLifeSeconds: halfLife)
        anomaly.origin = origin
        anomaly.destination = GridPoint(context.fix.coordinate)
        if memory.isDisturbance(anomaly, of: driver) {
            context.driver.withdraw(.jump, anomaly.blame(at: context.streamTime, halfLifeSeconds: halfLife))
            context.driver.risk.release()
            context.driver.jump.blamedFixes = 0
            context.driver.jump.blame = 0
            anomaly.pardon()
            label(&context, accusation.evidence)
        } else {
            let before = context.driver.risk.evidence
            blame(accusation, &context)
            anomaly.recentBlame += max(0, context.driver.risk.evidence - before)
        }
        context.driver.risk.isAnomalous = true
        memory.note(anomaly, of: driver)
        context.judgement.anomaly = anomaly
    }

    @inline(__always)
    private func blame(_ accusation: LocationWarning, _ context: inout FixContext) {
        context.judgement.reasons.insert(accusation.reason)
        context.warn(accusation.reason, accusation.action, accusation.evidence)
        blameSky(&context)
        if accusation.reason == .relocated || context.judgement.signals.contains(.filterRestart) {
            // Under a flag no excuse makes a relocation honest: the place is believed, and stays hidden.
            let isRelocation =
                accusation.reason == .relocated
                && (context.evidence.accusedWeight > 0 || context.driver.risk.isFlagged)
            context.driver.risk.hold(isRelocation: isRelocation, at: context.streamTime, settings.risk)
        }
        guard context.evidence.accusedWeight > 0 else { return }
        let before = context.driver.risk.evidence
        context.driver.blame(
            context.evidence.accusedSignal, capped: Double(context.evidence.accusedWeight), at: context.streamTime,
            settings.risk)
        guard context.driver.jump.fixes > 0 else { return }
        context.driver.jump.blame += max(0, context.driver.risk.evidence - before)
        if context.driver.jump.blamedFixes < .max { context.driver.jump.blamedFixes += 1 }
    }

    @inline(__always)
    private func blameSky(_ context: inout FixContext) {
        guard context.evidence.skyWeight > 0 else { return }
        context.driver.blameSky(
            context.evidence.skySignal, Double(context.evidence.skyWeight), at: context.streamTime, settings.risk)
    }

    /// Says that the satellites are to blame.
    private func label(_ context: inout FixContext, _ evidence: LocationWarning.Evidence) {
        context.judgement.reasons.insert(.gnssDisturbance)
        context.warn(.gnssDisturbance, .none, evidence)
    }

    /// The driver's jump turned out to be within reach, or a single stray fix, and its blame was taken back already.
    private func pardon(_ context: inout FixContext, _ driver: Int, _ memory: inout DisturbanceMemory) {
        guard context.driver.risk.isAnomalous, var anomaly = memory.anomaly(of: driver) else { return }
        anomaly.pardon()
        // What is left of it is with the sky, and goes when others turn out to have gone wrong as well; that is said.
        if context.evidence.isStrayOver { anomaly.recentBlame = Self.tokenBlame }
        memory.note(anomaly, of: driver)
        context.judgement.anomaly = anomaly
    }
}
