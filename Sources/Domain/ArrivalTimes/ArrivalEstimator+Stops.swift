import Support

extension ArrivalEstimator {
    /// Distance and expected time from the vehicle to a stop.
    private struct Remaining {
        var meters: Double
        var driveSeconds: Double
        /// Seconds that do not depend on the road: dwell at stops, or time until a chained trip begins.
        var waitSeconds: Double
        /// Time of the fix, from which the seconds count.
        var origin: Timestamp
        /// Factor by which the interval is wider than with a match on the route.
        var spreadFactor = 1.0
    }

    /// Writes all stops to `record`, and their published arrivals and delay flags to `progress`.
    func fillStops(_ record: inout TripEta, _ progress: inout TripProgress, _ plan: TripPlan, at now: Timestamp) {
        for index in 0..<min(progress.nextStop, plan.stops.count) {
            fillPassed(&record.stops[index], &progress.stops[index], at: now)
        }
        guard progress.nextStop < plan.stops.count else { return }
        let available = isAvailable(progress, at: now)
        guard var remaining = remaining(progress, plan) else {
            for index in progress.nextStop..<plan.stops.count {
                Self.fillUnavailable(&record.stops[index], meters: nil)
            }
            return
        }
        let recent = recentSpeedSettings(of: plan)
        let ratio = progress.recentSpeed.ratio(recent)
        remaining.waitSeconds += standingSeconds(progress, plan)
        let age = max(0, now.seconds(since: remaining.origin))
        let interval = interval(of: plan)
        // Estimates off the route or of stale vehicles are not compared with arrivals.
        let recordsProbes = remaining.spreadFactor == 1 && !isStale(progress, at: now) && isProbeDue(progress, at: now)
        let context = Context(
            now: now, setsReference: plan.kind == .transit || progress.state.showsDriver,
            isPositionUnsure: progress.positionConfidence == .low, widening: widening(progress, plan),
            publishedETA: publishedETASettings(of: plan))
        for index in progress.nextStop..<plan.stops.count {
            if index > progress.nextStop {
                remaining.meters += plan.legMeters[index]
                remaining.driveSeconds += driveSeconds(index, progress, plan)
                remaining.waitSeconds += plan.dwellSeconds[index - 1]
            }
            let drive = RecentTripSpeed.stretch(remaining.driveSeconds, ratio: ratio, recent)
            let reached = drive + remaining.waitSeconds
            let hold = index == 0 ? holdSeconds(after: reached, remaining, plan) : 0
            remaining.waitSeconds += hold
            let seconds = reached + hold
            let least = remaining.meters / settings.matching.maximumSpeedMetersPerSecond
            guard available, max(seconds, least) - age <= settings.horizonSeconds else {
                Self.fillUnavailable(&record.stops[index], meters: remaining.meters)
                continue
            }
            let ahead = StopPrediction(
                seconds: max(seconds, least), leastSeconds: least, ageSeconds: age, meters: remaining.meters,
                spreadFactor: remaining.spreadFactor)
            let spread = spread(of: ahead, interval, progress.spreads)
            fillValid(&record.stops[index], &progress.stops[index], ahead, spread, context)
            if recordsProbes { recordProbe(&progress, index, ahead, interval, plan, at: now) }
        }
    }

    /// Returns the seconds that a run waits at its first stop until the scheduled departure.
    private func holdSeconds(after seconds: Double, _ remaining: Remaining, _ plan: TripPlan) -> Double {
        guard plan.kind == .transit, let departure = plan.stops[0].scheduledAt else { return 0 }
        return max(0, departure.seconds(since: remaining.origin) - seconds)
    }

    /// Returns distance and time to the next stop, along straight lines if off the route; `nil` without a fix.
    private func remaining(_ progress: TripProgress, _ plan: TripPlan) -> Remaining? {
        guard let position = progress.position else { return nil }
        let next = progress.nextStop
        let wait = waitAtPickup(progress, plan, at: position.fixedAt)
        if let preceding = progress.preceding {
            let between =
                settings.detourFactor
                * Geodesy.distanceMeters(from: preceding.coordinate, to: plan.stops[next].coordinate)
            let until = max(0, preceding.arrivesAt.seconds(since: position.fixedAt))
            return Remaining(
                meters: preceding.metersLeft + between, driveSeconds: between * plan.secondsPerMeter,
                waitSeconds: until + settings.chainedDwellSeconds, origin: position.fixedAt,
                spreadFactor: settings.straightSpreadFactor)
        }
        if let along = progress.match.alongMeters, !progress.match.isOffRoute, !isApproaching(progress, plan) {
            let meters = max(0, plan.offsets[next] - along)
            let length = plan.legMeters[next]
            let end = plan.offsets[next]
            let drive = driveSeconds(next, from: end - min(meters, length), to: end, progress, plan)
            let beyond = max(0, meters - length) * plan.secondsPerMeter
            return Remaining(
                meters: meters, driveSeconds: drive + beyond, waitSeconds: wait, origin: progress.match.matchedAt)
        }
        let meters = settings.detourFactor * distance(position, plan, next)
        return Remaining(
            meters: meters, driveSeconds: meters * plan.secondsPerMeter, waitSeconds: wait,
            origin: position.fixedAt, spreadFactor: settings.straightSpreadFactor)
    }

    /// Returns the remaining dwell at the pickup after the driver has arrived.
    private func waitAtPickup(_ progress: TripProgress, _ plan: TripPlan, at time: Timestamp) -> Double {
        guard progress.state == .arrived, plan.pickup != nil else { return 0 }
        return max(0, settings.pickupDwellSeconds - max(0, time.seconds(since: progress.stateChangedAt)))
    }

    struct StopPrediction {
        /// Seconds from the fix to the arrival, and their minimum by the maximum speed.
        var seconds: Double
        var leastSeconds: Double
        /// Age of the fix.
        var ageSeconds: Double
        var meters: Double
        var spreadFactor: Double
    }

    /// Values of the trip for filling a stop; passing the progress itself would copy its stops.
    private struct Context {
        let now: Timestamp
        /// Whether an arrival published now is the reference for later delays.
        let setsReference: Bool
        let isPositionUnsure: Bool
        let widening: Double
        let publishedETA: PublishedETASettings
    }

    private func fillValid(
        _ stop: inout TripEta.Stop, _ state: inout TripProgress.Stop, _ ahead: StopPrediction,
        _ spread: Spread, _ context: Context
    ) {
        // Arrivals that are too far in the future cannot be represented.
        guard spread.isRepresentable else {
            state.publishedAt = nil
            return Self.fillUnavailable(&stop, meters: nil)
        }
        let now = context.now
        let middle = max(0, spread.middle - ahead.ageSeconds)
        let earliest = now.advanced(bySeconds: max(0, ahead.leastSeconds - ahead.ageSeconds))
        let arrivesAt = arrivalForLockedFlag(
            publishedArrival(
                state.publishedAt, spread, context.publishedETA, middleSeconds: middle,
                scheduledAt: stop.scheduledAt, at: now),
            stop, state, earliest: earliest, at: now)
        state.publishedAt = arrivesAt
        let seconds = arrivesAt.seconds(since: now)
        let lowest = max(ahead.leastSeconds, spread.middle - context.widening * (spread.middle - spread.low))
        let low = min(seconds, max(0, lowest - ahead.ageSeconds))
        let high = max(seconds, middle + context.widening * (spread.high - spread.middle))
        if stop.scheduledAt == nil, state.firstPublishedAt == nil, context.setsReference {
            state.firstPublishedAt = arrivesAt
        }
        stop.status = .valid
        stop.seconds = Int(seconds.rounded())
        stop.minSeconds = Int(low.rounded(.down))
        stop.maxSeconds = Int(high.rounded(.up))
        stop.confidence = confidence(width: high - low, seconds: seconds, age: ahead.ageSeconds, context)
        stop.distanceMeters = ahead.meters
        stop.arrivesAt = arrivesAt
        updateDelay(&stop, &state, arrival: arrivesAt, at: now)
    }

    private func fillPassed(_ stop: inout TripEta.Stop, _ state: inout TripProgress.Stop, at now: Timestamp) {
        stop.status = .passed
        stop.seconds = -1
        stop.minSeconds = nil
        stop.maxSeconds = nil
        stop.confidence = nil
        stop.distanceMeters = nil
        stop.arrivesAt = state.passedAt
        state.publishedAt = nil
        if let passedAt = state.passedAt { updateDelay(&stop, &state, arrival: passedAt, at: now) }
    }

    static func fillUnavailable(_ stop: inout TripEta.Stop, meters: Double?) {
        stop.status = .unavailable
        stop.seconds = nil
        stop.minSeconds = nil
        stop.maxSeconds = nil
        stop.confidence = nil
        stop.distanceMeters = meters
        stop.arrivesAt = nil
        stop.delaySeconds = nil
        stop.delay = .unknown
    }

    /// Returns whether the stop's delay flag changed too recently to change again.
    private func isFlagLocked(_ state: TripProgress.Stop, at now: Timestamp) -> Bool {
        state.delayChangedAt.map { now.seconds(since: $0) < settings.delay.holdSeconds } ?? false
    }

    /// Returns the arrival, moved to agree with a locked delay flag if the moved arrival is close and reachable.
    private func arrivalForLockedFlag(
        _ arrival: Timestamp, _ stop: TripEta.Stop, _ state: TripProgress.Stop, earliest: Timestamp, at now: Timestamp
    ) -> Timestamp {
        guard isFlagLocked(state, at: now), let reference = stop.scheduledAt ?? state.firstPublishedAt,
            let moved = DelayClassifier.nearest(
                to: arrival, matching: state.delay, since: reference, settings: settings.delay),
            moved >= min(earliest, arrival)
        else { return arrival }
        return moved
    }

    /// Sets delay and flag from an arrival, relative to the schedule or the first published arrival.
    private func updateDelay(
        _ stop: inout TripEta.Stop, _ state: inout TripProgress.Stop, arrival: Timestamp, at now: Timestamp
    ) {
        guard let reference = stop.scheduledAt ?? state.firstPublishedAt else {
            stop.delaySeconds = nil
            stop.delay = .unknown
            return
        }
        let seconds = DelayClassifier.seconds(of: arrival, since: reference)
        let flag = DelayClassifier.classify(seconds, after: state.delay, settings: settings.delay)
        if flag != state.delay {
            let stays =
                isFlagLocked(state, at: now)
                && DelayClassifier.agrees(state.delay, with: seconds, settings: settings.delay)
            if !stays {
                if state.delay != .unknown { state.delayChangedAt = now }
                state.delay = flag
            }
        }
        stop.delaySeconds = seconds
        stop.delay = state.delay
    }

    private func confidence(width: Double, seconds: Double, age: Double, _ context: Context) -> Confidence {
        if age > settings.staleSeconds { return .low }
        let isAged = age > settings.agedSeconds || context.isPositionUnsure
        let high = max(settings.highConfidenceSeconds, settings.highConfidenceShare * seconds)
        if width < high { return isAged ? .medium : .high }
        let medium = max(settings.mediumConfidenceSeconds, settings.mediumConfidenceShare * seconds)
        return width < medium && !isAged ? .medium : .low
    }
}

extension ArrivalEstimator {
    /// Returns additional seconds for a run below half the expected speed; 0 before it passes its first stop.
    func standingSeconds(_ progress: TripProgress, _ plan: TripPlan) -> Double {
        let next = progress.nextStop
        guard plan.kind == .transit, (1..<plan.stops.count).contains(next), let position = progress.position,
            let along = progress.match.alongMeters, !progress.match.isOffRoute
        else { return 0 }
        let meters = min(plan.offsets[next] - along, Self.roadMeters)
        let seconds = driveSeconds(next, from: along, to: along + meters, progress, plan)
        let road = meters > 1 && seconds > 0 ? seconds / meters : plan.secondsPerMeter
        return settings.standingSeconds * max(0, 1 - 2 * max(0, position.speedMetersPerSecond) * road)
    }

    /// Length of road ahead whose expected speed is compared with the vehicle's, in metres.
    private static let roadMeters = 500.0
}
