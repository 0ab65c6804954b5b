import Model

/// Decides what supports a driver who is hidden because of a relocation; see `docs/decisions`.
extension JumpRule {
    /// Returns whether a vehicle can be at the fix that went on from the place before a relocation that is held.
    ///
    /// The place of the relocation had only its own fixes to support it. After several relocations none leads back, as
    /// the places between them were not supported either.
    func returns(_ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings) -> Bool {
        let jump = context.driver.jump
        guard jump.isOrigin, context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk) else {
            return false
        }
        let seconds = max(0, jump.at.seconds(until: context.at))
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        return distance <= settings.jumps.reachMeters(in: seconds, accuracy, jump.accuracy.meters)
    }

    /// Extends the hold of a flagged driver's relocation while no ordinary drive leads to where the driver is now.
    func keepHidden(_ context: inout FixContext, _ settings: TrackingSettings) {
        let jump = context.driver.jump
        guard jump.isOrigin, context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk) else { return }
        let seconds = jump.at.seconds(until: context.at)
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        guard seconds <= longestHiddenSeconds, distance > supportingMetersPerSecond * seconds else { return }
        context.driver.risk.hold(isRelocation: true, at: context.streamTime, settings.risk)
    }

    /// Accepts a fix that leads back, and ends the hold.
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
    /// Stores the place that a relocation leaves; no jump is pending.
    init(leaving live: DriverState.Live) {
        point = live.point
        at = live.at
        accuracy = live.accuracy
    }

    /// Whether this is the place that a relocation left, and not a pending jump.
    var isOrigin: Bool { fixes == 0 && self != DriverState.Jump() }
}
