import Support

/// Counts distance by the times of the fixes, independently of the order in which fixes and messages arrive.
///
/// After its end message, a trip is in settlement: fixes measured before its end still count when they arrive.
extension ActiveTrip {
    /// A start or end of a trip, which ``countDistance(in:arrivedAfter:)`` processes.
    enum Boundary {
        case started
        case ended
    }

    package var isSettling: Bool { progress.endedAt != nil }

    /// Stores the time of a start or end; `since` is the time of the `previous` state.
    ///
    /// Uses `streamTime` if the message has no time, a future time, or a time before the previous start or change.
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

    /// Adds the distance driven between a start and its message, or removes that between an end and its message.
    ///
    /// Added distance was not matched to the route, so the driven and the snapped sum grow equally. A removal keeps the
    /// ratio of the two sums.
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

    /// Counts a fix that arrives in settlement, which ends with the first fix measured at the end or later.
    package func settle(position given: TripEta.Position, isHalted: Bool, at streamTime: Timestamp) {
        guard let endedAt = progress.endedAt else { return }
        var position = given
        position.fixedAt = min(position.fixedAt, streamTime)
        estimator.settle(&progress, plan, to: position, isHalted: isHalted, endedAt: endedAt)
        if position.fixedAt >= endedAt { endSettlement() }
    }

    /// Ends the settlement; later fixes do not count.
    package func endSettlement() {
        progress.endedAt = nil
        progress.startedAt = nil
    }

    /// Marks the next record as a change with the same state, because late fixes changed the distance.
    package func announceSettlement() {
        change = TripEta.Change(
            previousState: progress.state, triggeredBy: "LATE_LOCATIONS", changedAt: progress.stateChangedAt,
            factsJSON: message.factsJSON)
    }
}

extension TripProgress {
    /// Returns the time from which distance counts; `since` is the start according to the trip's message.
    func countsFrom(_ since: Timestamp) -> Timestamp { startedAt ?? since }
}

extension ArrivalEstimator {
    /// Adds the part of the distance to a late fix that is between the trip's start and end.
    fileprivate func settle(
        _ progress: inout TripProgress, _ plan: TripPlan, to position: TripEta.Position, isHalted: Bool,
        endedAt: Timestamp
    ) {
        let before = progress.position
        guard before.map({ position.fixedAt >= $0.fixedAt }) ?? true else { return }
        let start = progress.countsFrom(progress.stateChangedAt)
        let matched = progress.match
        if let geometry = plan.geometry, position.fixedAt > start {
            let range = allowedRange(progress, plan, geometry)
            _ = matcher.update(&progress.match, with: position, on: geometry, allowed: range)
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

    /// Returns whether the vehicle moves; the distance between the positions of a standing vehicle is noise.
    package func isMoving(_ position: TripEta.Position, isHalted: Bool) -> Bool {
        !isHalted && position.speedMetersPerSecond >= settings.haltedSpeedMetersPerSecond
    }
}
