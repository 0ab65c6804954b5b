/// Ends the hold of a flagged driver's relocation; see `docs/decisions/0052-relocation-of-flagged-drivers.md`.
extension JumpRule {
    /// Returns whether the fix is reachable from the position before a relocation whose evidence is held.
    func leadsBack(_ context: FixContext, _ accuracy: Double, _ settings: TrackingSettings) -> Bool {
        let jump = context.driver.jump
        guard jump.isOrigin, context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk) else {
            return false
        }
        let seconds = max(0, jump.at.seconds(until: context.at))
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        return distance <= settings.jumps.reachMeters(in: seconds, accuracy, jump.accuracy.meters)
    }

    /// Extends the hold of a flagged driver's relocation until an ordinary drive could explain the position.
    func extendHold(_ context: inout FixContext, _ settings: TrackingSettings) {
        let jump = context.driver.jump
        guard jump.isOrigin, context.driver.risk.holdsRelocation(at: context.streamTime, settings.risk) else { return }
        let seconds = jump.at.seconds(until: context.at)
        let distance = Geodesy.nearbyDistanceMeters(from: jump.point.coordinate, to: context.fix.coordinate)
        guard seconds <= longestHiddenSeconds, distance > supportingMetersPerSecond * seconds else { return }
        context.driver.risk.hold(isRelocation: true, at: context.streamTime, settings.risk)
    }

    /// Accepts a fix near the position before a relocation, and ends the hold.
    func acceptReturn(_ context: inout FixContext, _ evidence: LocationWarning.Evidence) {
        context.driver.jump = DriverState.Jump()
        context.driver.overspeed = DriverState.OverspeedStart()
        context.driver.risk.releaseRelocation()
        context.result.reasons.insert(.relocated)
        context.warn(.relocated, .none, evidence)
        context.trackContinuity = .startsOver
    }
}

extension DriverState.Jump {
    /// Stores the position before a relocation; no jump is pending.
    init(leaving fix: DriverState.LastAcceptedFix) {
        point = fix.point
        at = fix.at
        accuracy = fix.accuracy
    }

    /// Whether this is the position before a relocation, and not a pending jump.
    var isOrigin: Bool { fixes == 0 && self != DriverState.Jump() }
}
