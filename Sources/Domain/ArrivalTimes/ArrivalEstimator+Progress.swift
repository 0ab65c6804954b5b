import Support

extension ArrivalEstimator {
    /// Updates the progress with a position; returns the stretch driven since the last match.
    func advance(
        _ progress: inout TripProgress, _ plan: TripPlan, to position: TripEta.Position, isHalted: Bool
    ) -> DrivenStretch? {
        let before = progress.position
        guard before.map({ position.fixedAt >= $0.fixedAt }) ?? true else { return nil }
        progress.position = position
        progress.shown = nil
        let elapsed = before.map { position.fixedAt.seconds(since: $0.fixedAt) } ?? 0
        let driven = before.map { Geodesy.distanceMeters(from: $0.coordinate, to: position.coordinate) } ?? 0
        let moves = isMoving(position, isHalted: isHalted)
        let matched = progress.match

        var stretch: DrivenStretch?
        if let geometry = plan.geometry, !isApproaching(progress, plan) {
            stretch = matchRoute(&progress, plan, geometry, position, moves: moves)
        } else if elapsed > 0 {
            updateRecentSpeed(&progress, plan, actual: elapsed, expected: (moves ? driven : 0) * plan.secondsPerMeter)
        }
        if moves, progress.state == .inProgress, let before {
            // A start message may arrive before fixes that were measured before the start.
            let start = progress.countsFrom(progress.stateChangedAt)
            addDistance(
                driven, to: &progress, from: matched, between: before.fixedAt, and: position.fixedAt,
                counted: start.partAfter(between: before.fixedAt, and: position.fixedAt))
        }
        if awaitsDeparture(progress, plan, from: before, matched: matched, at: position) {
            stretch = nil
            waitForDeparture(&progress)
        } else if progress.match.alongMeters == nil || progress.match.isOffRoute {
            passStopsByDistance(&progress, plan, position)
        }
        updateDeviation(&progress, at: position.fixedAt)
        updateHalt(&progress, plan, position, isHalted: isHalted)
        updateArrivalDetection(&progress, plan, position)
        return stretch
    }

    /// Returns the part of the route where the vehicle may be: up to the pickup, or from the pickup on.
    func allowedRange(_ progress: TripProgress, _ plan: TripPlan, _ geometry: RouteGeometry) -> ClosedRange<Double> {
        guard let pickup = plan.pickup else { return 0...geometry.lengthMeters }
        let offset = min(plan.offsets[pickup], geometry.lengthMeters)
        return progress.state.isBeforePickup ? 0...offset : offset...geometry.lengthMeters
    }

    private func matchRoute(
        _ progress: inout TripProgress, _ plan: TripPlan, _ geometry: RouteGeometry, _ position: TripEta.Position,
        moves: Bool
    ) -> DrivenStretch? {
        let before = progress.match
        let range = allowedRange(progress, plan, geometry)
        let hint = before.alongMeters == nil ? timetableMeters(plan, at: position.fixedAt) : nil
        let isMatched = matcher.update(&progress.match, with: position, on: geometry, allowed: range, hintMeters: hint)
        // Before the first match, a driver on the way to the pickup is not off route, but approaching it.
        if progress.state.isBeforePickup, plan.pickup != nil, progress.match.alongMeters == nil {
            progress.match.isOffRoute = false
            progress.match.offRouteFixes = 0
        }
        guard isMatched, let along = progress.match.alongMeters else { return nil }
        updateShownPosition(position, on: geometry, within: range, moves: moves, &progress)
        var stretch: DrivenStretch?
        // Backward noise counts as standing, and its seconds count towards the road's speed.
        let backing = settings.matching.backingMeters
        if let start = before.alongMeters.map({ $0 - along <= backing ? min($0, along) : $0 }), along >= start {
            let seconds = progress.match.matchedAt.seconds(since: before.matchedAt)
            // A faster movement is a corrected match, not driving.
            if along - start <= settings.matching.maximumSpeedMetersPerSecond * seconds {
                var driven = DrivenStretch(
                    fromMeters: start, toMeters: along, seconds: seconds,
                    countedSeconds: progress.standingBudget.add(meters: along - start, seconds: seconds),
                    at: progress.match.matchedAt)
                if let planned = updateRecentSpeed(&progress, plan, driven) {
                    driven.plannedSeconds = planned
                    stretch = driven
                }
            }
        }
        passStops(&progress, plan, geometry, from: before)
        return stretch
    }

    /// Returns whether a scheduled run has not departed yet.
    ///
    /// Waiting vehicles stop on the first stretch of the route or circle the terminus, without progress. Most runs of
    /// the WMATA recording wait like this, up to 634 m along the route and 20 minutes early.
    private func awaitsDeparture(
        _ progress: TripProgress, _ plan: TripPlan, from before: TripEta.Position?, matched: RouteMatch,
        at position: TripEta.Position
    ) -> Bool {
        guard plan.kind == .transit, let departure = plan.stops.first?.scheduledAt,
            (progress.match.alongMeters ?? 0) <= plan.offsets[0] + settings.layoverMeters
        else { return false }
        let secondsLeft = departure.seconds(since: position.fixedAt)
        if secondsLeft > settings.earlyDepartureSeconds { return true }
        // After the departure time, a vehicle that stays near the first stop is still waiting.
        guard secondsLeft > -settings.lateDepartureSeconds, matched.alongMeters == nil, let before,
            let along = progress.match.alongMeters, along > plan.offsets[0] + settings.stopRadiusMeters
        else { return false }
        return distance(position, plan, 0) < distance(before, plan, 0) + settings.stopRadiusMeters
    }

    private func waitForDeparture(_ progress: inout TripProgress) {
        progress.match = RouteMatch()
        progress.shown = nil
        for index in 0..<progress.nextStop { progress.stops[index].passedAt = nil }
        progress.nextStop = 0
        progress.atStop = nil
        progress.closestMeters = nil
        progress.recentSpeed = RecentTripSpeed()
    }

    /// Returns the scheduled position along the route at `time`, in metres; `nil` without a timetable.
    private func timetableMeters(_ plan: TripPlan, at time: Timestamp) -> Double? {
        var earlier: (at: Timestamp, meters: Double)?
        for (index, stop) in plan.stops.enumerated() {
            guard let at = stop.scheduledAt else { continue }
            if at > time {
                guard let earlier else { return plan.offsets[index] }
                let part = time.seconds(since: earlier.at) / max(1, at.seconds(since: earlier.at))
                return earlier.meters + part * (plan.offsets[index] - earlier.meters)
            }
            earlier = (at, plan.offsets[index])
        }
        return earlier?.meters
    }

    // MARK: Passing stops

    private func passStops(
        _ progress: inout TripProgress, _ plan: TripPlan, _ geometry: RouteGeometry, from before: RouteMatch
    ) {
        let match = progress.match
        guard let along = match.alongMeters else { return }
        // If the match has moved back behind a stop, that stop is ahead again.
        while progress.nextStop > 0, plan.isPassedByPosition(progress.nextStop - 1),
            along < plan.offsets[progress.nextStop - 1] - settings.matching.backingMeters
        {
            progress.nextStop -= 1
            progress.stops[progress.nextStop].passedAt = nil
        }
        while progress.nextStop < plan.stops.count, plan.isPassedByPosition(progress.nextStop) {
            let offset = plan.offsets[progress.nextStop]
            let isTerminus = offset > geometry.lengthMeters - settings.passedMeters - 1
            guard isTerminus ? along >= offset - settings.terminusMeters : along > offset + settings.passedMeters else {
                break
            }
            pass(&progress, at: Self.crossing(of: offset, from: before, to: match))
        }
    }

    /// Returns the time at which the vehicle was at `offset`, interpolated between two matches.
    static func crossing(of offset: Double, from before: RouteMatch, to after: RouteMatch) -> Timestamp {
        guard let start = before.alongMeters, let end = after.alongMeters, end > start, offset < end else {
            return after.matchedAt
        }
        let part = max(0, (offset - start) / (end - start))
        return before.matchedAt.advanced(bySeconds: part * after.matchedAt.seconds(since: before.matchedAt))
    }

    func pass(_ progress: inout TripProgress, at time: Timestamp) {
        progress.stops[progress.nextStop].passedAt = time
        progress.nextStop += 1
        progress.closestMeters = nil
        progress.atStop = nil
    }

    /// Passes stops by straight-line distance, while the vehicle has no match or is off the route.
    private func passStopsByDistance(_ progress: inout TripProgress, _ plan: TripPlan, _ position: TripEta.Position) {
        guard progress.nextStop < plan.stops.count, plan.isPassedByPosition(progress.nextStop) else { return }
        if let stop = progress.atStop, stop == progress.nextStop,
            distance(position, plan, stop) > settings.stopRadiusMeters
        {
            pass(&progress, at: position.fixedAt)
        }
        var index = progress.nextStop
        while index < plan.stops.count, plan.isPassedByPosition(index) {
            let isTerminus = index == plan.stops.count - 1
            let radius = isTerminus ? settings.terminusMeters : settings.stopRadiusMeters
            if distance(position, plan, index) <= radius {
                while progress.nextStop < index { pass(&progress, at: position.fixedAt) }
                if isTerminus { pass(&progress, at: position.fixedAt) } else { progress.atStop = index }
                return
            }
            index += 1
        }
        passMissedStop(&progress, plan, position)
    }

    private func passMissedStop(_ progress: inout TripProgress, _ plan: TripPlan, _ position: TripEta.Position) {
        let next = progress.nextStop
        guard plan.geometry == nil, next + 1 < plan.stops.count, plan.isPassedByPosition(next) else { return }
        let away = distance(position, plan, next)
        let closest = min(progress.closestMeters ?? away, away)
        progress.closestMeters = closest
        let nearby = 4 * settings.stopRadiusMeters
        let isBehind = closest <= nearby && away > closest + nearby && distance(position, plan, next + 1) < away
        if isBehind { pass(&progress, at: position.fixedAt) }
    }

    func distance(_ position: TripEta.Position, _ plan: TripPlan, _ stop: Int) -> Double {
        Geodesy.distanceMeters(from: position.coordinate, to: plan.stops[stop].coordinate)
    }

    // MARK: Standing

    private func updateHalt(
        _ progress: inout TripProgress, _ plan: TripPlan, _ position: TripEta.Position, isHalted: Bool
    ) {
        let isSlow = isHalted || position.speedMetersPerSecond < settings.haltedSpeedMetersPerSecond
        guard isSlow, !isAtStop(progress, plan, position) else {
            progress.slowSince = nil
            return
        }
        if progress.slowSince == nil { progress.slowSince = position.fixedAt }
    }

    private func isAtStop(_ progress: TripProgress, _ plan: TripPlan, _ position: TripEta.Position) -> Bool {
        let next = progress.nextStop
        return (next < plan.stops.count && distance(position, plan, next) <= settings.stopRadiusMeters)
            || (next > 0 && distance(position, plan, next - 1) <= settings.stopRadiusMeters)
    }

    private func updateArrivalDetection(_ progress: inout TripProgress, _ plan: TripPlan, _ position: TripEta.Position)
    {
        guard let stop = expectedArrivalStop(progress, plan) else {
            progress.arrival = ArrivalDetector()
            return
        }
        progress.arrival.update(
            distanceMeters: distance(position, plan, stop), speedMetersPerSecond: position.speedMetersPerSecond,
            at: position.fixedAt, settings: settings.detection)
    }

    /// Returns the stop at which an arrival changes a ride's state next; `nil` if an arrival changes no state.
    func expectedArrivalStop(_ progress: TripProgress, _ plan: TripPlan) -> Int? {
        guard plan.kind == .ride, !plan.stops.isEmpty else { return nil }
        switch progress.state {
        case .accepted: return plan.pickup
        case .inProgress: return progress.nextStop == plan.stops.count - 1 ? plan.stops.count - 1 : nil
        case .requested, .arrived, .completed, .cancelled: return nil
        }
    }

    // MARK: Recent speed

    /// Adds a stretch to the recent speed and returns its planned seconds; `nil` if the vehicle waited.
    private func updateRecentSpeed(
        _ progress: inout TripProgress, _ plan: TripPlan, _ stretch: DrivenStretch
    ) -> Double? {
        let end = stretch.toMeters
        guard isDriving(progress, plan, end) else { return nil }
        var expected = 0.0
        var planned = 0.0
        var reached = stretch.fromMeters
        var leg = progress.nextStop
        while leg < plan.stops.count, reached < end {
            let boundary = plan.offsets[leg]
            if boundary > reached, plan.legMeters[leg] > 0 {
                let part = (min(end, boundary) - reached) / plan.legMeters[leg]
                expected += driveSeconds(leg, from: reached, to: min(end, boundary), progress, plan)
                planned += part * plan.legSeconds[leg]
                if boundary <= end {
                    expected += plan.dwellSeconds[leg]
                    planned += plan.dwellSeconds[leg]
                }
                reached = min(end, boundary)
            }
            leg += 1
        }
        progress.recentSpeed.add(
            actual: stretch.seconds, expected: expected, planned: planned,
            settings: recentSpeedSettings(of: plan))
        return planned
    }

    private func updateRecentSpeed(_ progress: inout TripProgress, _ plan: TripPlan, actual: Double, expected: Double) {
        guard isDriving(progress, plan, .infinity) else { return }
        progress.recentSpeed.add(
            actual: actual, expected: expected, planned: expected, settings: recentSpeedSettings(of: plan))
    }

    /// Returns whether the vehicle drives, rather than waits for acceptance, a passenger or the departure.
    private func isDriving(_ progress: TripProgress, _ plan: TripPlan, _ along: Double) -> Bool {
        guard progress.state == .accepted || progress.state == .inProgress, !plan.stops.isEmpty else { return false }
        if plan.kind == .transit { return progress.nextStop > 0 && along > plan.offsets[0] + settings.stopRadiusMeters }
        return true
    }
}

extension ArrivalEstimator {
    /// Matches the last position again if its match is outside the allowed part of the route.
    func rematch(_ progress: inout TripProgress, _ plan: TripPlan) {
        guard let geometry = plan.geometry, !isApproaching(progress, plan) else {
            progress.match = RouteMatch()
            return
        }
        let range = allowedRange(progress, plan, geometry)
        if let along = progress.match.alongMeters, range.contains(along) { return }
        progress.match = RouteMatch()
        guard let position = progress.position else { return }
        _ = matcher.update(&progress.match, with: position, on: geometry, allowed: range)
        // A single old position does not make the trip off route.
        if progress.match.alongMeters == nil { progress.match = RouteMatch() }
    }
}
