import Support

/// Counts distance by the times of the fixes, independent of the order in which fixes and trip messages arrive.
extension ActiveTrip {
    /// A change of state whose distance has not been compared with the fixes before it.
    enum Boundary {
        case started
        case ended
    }

    /// Whether fixes that were measured before the trip's end may still arrive.
    package var isSettling: Bool { progress.endedAt != nil }

    /// Stores the interval in which distance counts; implausible times are replaced by the arrival of the message.
    func markBoundary(from previous: TripState?, since: Timestamp, at streamTime: Timestamp) {
        let isEarly = message.changedAt.map { previous == .inProgress ? $0 <= progress.countsFrom(since) : $0 < since }
        let time = isEarly ?? true ? streamTime : min(progress.stateChangedAt, streamTime)
        if progress.state == .inProgress {
            progress.startedAt = time == progress.stateChangedAt ? nil : time
            boundary = .started
        } else if progress.state.hasEnded, previous == .inProgress {
            progress.startedAt = progress.countsFrom(since)
            progress.endedAt = time
            boundary = .ended
        }
    }

    /// Adds the distance driven before a late start message, or removes that driven before a late end message.
    ///
    /// The added distance was not matched to the route, so both sums grow alike; the removed one leaves their ratio.
    package func countDistance(in trail: DistanceTrail, arrivedAfter limit: Timestamp) {
        switch boundary {
        case .started:
            let meters = trail.meters(after: progress.countsFrom(progress.stateChangedAt), arrivedAfter: limit)
            progress.drivenMeters += meters
            progress.snappedMeters += meters
        case .ended:
            guard let end = progress.endedAt else { break }
            let meters = min(progress.drivenMeters, trail.meters(after: end, arrivedAfter: limit))
            if meters > 0 {
                progress.snappedMeters *= 1 - meters / progress.drivenMeters
                progress.drivenMeters -= meters
            }
        case nil: break
        }
        boundary = nil
        if let end = progress.endedAt, let position = progress.position, position.fixedAt >= end { endSettlement() }
    }

    /// Counts a fix that arrives after the trip's end; one measured at the end or later ends the settlement.
    package func settle(position given: TripEta.Position, isHalted: Bool, at streamTime: Timestamp) {
        guard let endedAt = progress.endedAt else { return }
        var position = given
        position.fixedAt = min(position.fixedAt, streamTime)
        estimator.settle(&progress, plan, to: position, isHalted: isHalted, endedAt: endedAt)
        if position.fixedAt >= endedAt { endSettlement() }
    }

    /// Ends the settlement: fixes that arrive from now on change nothing.
    package func endSettlement() {
        progress.endedAt = nil
        progress.startedAt = nil
    }

    /// Marks the next record as a change without a new state, because late fixes changed the distance.
    package func announceSettlement() {
        change = TripEta.Change(
            previousState: progress.state, triggeredBy: "LATE_LOCATIONS", changedAt: progress.stateChangedAt,
            factsJSON: message.factsJSON)
    }
}

extension TripProgress {
    /// Returns when distance begins to count; `since` is when the trip became in progress by its message.
    func countsFrom(_ since: Timestamp) -> Timestamp { startedAt ?? since }
}

extension ArrivalEstimator {
    /// Adds the distance to a late fix, as far as it lies between the trip's start and end.
    fileprivate func settle(
        _ progress: inout TripProgress, _ plan: TripPlan, to position: TripEta.Position, isHalted: Bool,
        endedAt: Timestamp
    ) {
        let before = progress.position
        guard before.map({ position.fixedAt >= $0.fixedAt }) ?? true else { return }
        let start = progress.countsFrom(progress.stateChangedAt)
        let matched = progress.match
        if let geometry = plan.geometry, position.fixedAt > start {
            let fix = MatchFix(
                coordinate: position.coordinate, headingDegrees: position.headingDegrees,
                speedMetersPerSecond: position.speedMetersPerSecond, at: position.fixedAt)
            let range = allowedRange(progress, plan, geometry)
            _ = matcher.update(&progress.match, with: fix, on: geometry, allowed: range)
        }
        if isMoving(position, isHalted: isHalted), let before {
            let meters = Geodesy.distanceMeters(from: before.coordinate, to: position.coordinate)
            let counted =
                start.partAfter(between: before.fixedAt, and: position.fixedAt)
                - endedAt.partAfter(between: before.fixedAt, and: position.fixedAt)
            addDistance(
                meters, to: &progress, from: matched, between: before.fixedAt, and: position.fixedAt,
                counted: max(0, counted))
        }
        // Riders must not see positions after the end of the trip.
        guard position.fixedAt <= endedAt else { return }
        progress.position = position
        progress.shown = nil
    }

    /// Whether the vehicle is moving, so that the distance to the fix is not noise.
    package func isMoving(_ position: TripEta.Position, isHalted: Bool) -> Bool {
        !isHalted && position.speedMetersPerSecond >= settings.haltedSpeedMetersPerSecond
    }
}
