/// The way back from a relocation: what supports a driver who is hidden because of one.
extension JumpRule {
    /// Whether the fix is where the vehicle can have got to from where it was before a relocation that is held.
    ///
    /// The place of the relocation had only its own fixes to support it. Of several relocations, none leads back: the
    /// places between them were not supported either.
    func returns(_ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings) -> Bool {
        let jump = context.driver.jump
        guard jump.isOrigin, context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk) else {
            return false
        }
        let seconds = max(0, jump.at.seconds(until: context.at))
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        return distance <= settings.jumps.reachMeters(in: seconds, accuracy, jump.accuracy.meters)
    }

    /// Holds what a relocation left of a flagged driver for as long as no ordinary drive leads to where it is now.
    func keepHidden(_ context: inout FixContext, _ settings: TrackingSettings) {
        let jump = context.driver.jump
        guard jump.isOrigin, context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk) else { return }
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        guard distance > supportingMetersPerSecond * jump.at.seconds(until: context.at) else { return }
        context.driver.risk.hold(isRelocation: true, at: context.streamTime, settings.risk)
    }

    /// Believes the fix at once, and ends what was held.
    func acceptReturn(_ context: inout FixContext, _ evidence: LocationWarning.Evidence) {
        context.driver.jump = DriverState.Jump()
        context.driver.reach = DriverState.Reach()
        context.driver.risk.releaseRelocation()
        context.judgement.reasons.insert(.relocated)
        context.warn(.relocated, .none, evidence)
        context.passage = .startsOver
    }
}

extension DriverState.Jump {
    /// The place that a relocation leaves; no jump is pending.
    init(leaving live: DriverState.Live) {
        point = live.point
        at = live.at
        accuracy = live.accuracy
    }

    /// Whether this is the place that a relocation left, and not a jump that may become one.
    var isOrigin: Bool { fixes == 0 && self != DriverState.Jump() }
}
