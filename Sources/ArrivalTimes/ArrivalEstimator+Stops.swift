import Model
import Support

extension ArrivalEstimator {
    /// What is ahead of the vehicle up to the next stop.
    private struct Lead {
        var meters: Double
        var driveSeconds: Double
        /// Seconds that pass whatever the road is like: at stops, or until a chained trip begins.
        var waitSeconds: Double
        /// The time that all of this counts from.
        var origin: Timestamp
        /// How much wider than on a route the interval is.
        var spreadFactor = 1.0
    }

    /// Writes the state of every stop into `record`, and the promises and flags it makes into `progress`.
    func fillStops(_ record: inout TripEta, _ progress: inout TripProgress, _ plan: TripPlan, at now: Timestamp) {
        for index in 0..<min(progress.nextStop, plan.stops.count) {
            fillPassed(&record.stops[index], &progress.stops[index], at: now)
        }
        guard progress.nextStop < plan.stops.count else { return }
        let available = isAvailable(progress, at: now)
        guard var lead = lead(progress, plan) else {
            for index in progress.nextStop..<plan.stops.count {
                Self.fillUnavailable(&record.stops[index], meters: nil)
            }
            return
        }
        let pace = paceSettings(of: plan)
        let ratio = progress.pace.ratio(pace)
        lead.waitSeconds += standingSeconds(progress, plan)
        let age = max(0, now.seconds(since: lead.origin))
        let interval = interval(of: plan)
        // What is said while nothing is heard is no estimate to learn from.
        let notes = lead.spreadFactor == 1 && !isStale(progress, at: now) && isTimeToNote(progress, at: now)
        let reader = Reader(
            progress, plan, widening: widening(progress, plan), headline: headline(of: plan), at: now)
        for index in progress.nextStop..<plan.stops.count {
            if index > progress.nextStop {
                lead.meters += plan.legMeters[index]
                lead.driveSeconds += driveSeconds(index, progress, plan)
                lead.waitSeconds += plan.dwellSeconds[index - 1]
            }
            let unheld = RecentTripSpeed.stretch(lead.driveSeconds, ratio: ratio, pace) + lead.waitSeconds
            let hold = index == 0 ? holdSeconds(after: unheld, lead, plan) : 0
            lead.waitSeconds += hold
            let seconds = unheld + hold
            let least = lead.meters / settings.matching.maximumSpeedMetersPerSecond
            guard available, max(seconds, least) - age <= settings.horizonSeconds else {
                Self.fillUnavailable(&record.stops[index], meters: lead.meters)
                continue
            }
            let ahead = Ahead(
                seconds: max(seconds, least), leastSeconds: least, ageSeconds: age, meters: lead.meters,
                spreadFactor: lead.spreadFactor)
            let spread = spread(of: ahead, interval, progress.spreads)
            fillValid(&record.stops[index], &progress.stops[index], ahead, spread, reader)
            if notes { noteProbe(&progress, index, ahead, interval, plan, at: now) }
        }
    }

    /// What a run waits at its first stop: it is not left before the time of departure.
    private func holdSeconds(after seconds: Double, _ lead: Lead, _ plan: TripPlan) -> Double {
        guard plan.kind == .transit, let departure = plan.stops[0].scheduledAt else { return 0 }
        return max(0, departure.seconds(since: lead.origin) - seconds)
    }

    /// The way to the next stop: along the route where the vehicle is on it, else straight with the detour factor.
    private func lead(_ progress: TripProgress, _ plan: TripPlan) -> Lead? {
        guard let position = progress.position else { return nil }
        let next = progress.nextStop
        let wait = waitAtPickup(progress, plan, at: position.fixedAt)
        if let preceding = progress.preceding {
            let between =
                settings.detourFactor
                * Geodesy.distanceMeters(from: preceding.coordinate, to: plan.stops[next].coordinate)
            let until = max(0, preceding.arrivesAt.seconds(since: position.fixedAt))
            return Lead(
                meters: preceding.metersLeft + between, driveSeconds: between * plan.paceSecondsPerMeter,
                waitSeconds: until + settings.chainedDwellSeconds, origin: position.fixedAt,
                spreadFactor: settings.straightSpreadFactor)
        }
        if let along = progress.match.alongMeters, !progress.match.isOffRoute, !isApproaching(progress, plan) {
            let meters = max(0, plan.offsets[next] - along)
            let length = plan.legMeters[next]
            let end = plan.offsets[next]
            let drive = driveSeconds(next, from: end - min(meters, length), to: end, progress, plan)
            let beyond = max(0, meters - length) * plan.paceSecondsPerMeter
            return Lead(
                meters: meters, driveSeconds: drive + beyond, waitSeconds: wait, origin: progress.match.matchedAt)
        }
        let meters = settings.detourFactor * distance(position, plan, next)
        return Lead(
            meters: meters, driveSeconds: meters * plan.paceSecondsPerMeter, waitSeconds: wait,
            origin: position.fixedAt, spreadFactor: settings.straightSpreadFactor)
    }

    /// What is left of the time at the pickup when the driver has arrived there.
    private func waitAtPickup(_ progress: TripProgress, _ plan: TripPlan, at time: Timestamp) -> Double {
        guard progress.state == .arrived, plan.pickup != nil else { return 0 }
        return max(0, settings.pickupDwellSeconds - max(0, time.seconds(since: progress.stateChangedAt)))
    }

    /// The way to one stop, as from the fix it was estimated at.
    struct Ahead {
        var seconds: Double
        var leastSeconds: Double
        var ageSeconds: Double
        var meters: Double
        var spreadFactor: Double
    }

    /// What the telling of a stop needs to know of its trip: not the progress itself, which a reader beside the writer
    /// would have copied with all its stops.
    private struct Reader {
        let now: Timestamp
        /// Whether times told now are promises.
        let isPromised: Bool
        let isPositionUnsure: Bool
        /// How much wider than what is told by the intervals are given.
        let widening: Double
        let headline: PublishedETASettings

        init(
            _ progress: TripProgress, _ plan: TripPlan, widening: Double, headline: PublishedETASettings,
            at now: Timestamp
        ) {
            self.now = now
            self.widening = widening
            self.headline = headline
            isPromised = plan.kind == .transit || progress.state.showsDriver
            isPositionUnsure = progress.positionConfidence == .low
        }
    }

    private func fillValid(
        _ stop: inout TripEta.Stop, _ state: inout TripProgress.Stop, _ ahead: Ahead, _ spread: Spread,
        _ reader: Reader
    ) {
        // Too far in the future for a number of seconds: the stop is unavailable.
        guard spread.isTellable else {
            state.toldAt = nil
            return Self.fillUnavailable(&stop, meters: nil)
        }
        let now = reader.now
        let middle = max(0, spread.middle - ahead.ageSeconds)
        let earliest = now.advanced(bySeconds: max(0, ahead.leastSeconds - ahead.ageSeconds))
        let arrivesAt = keptArrival(
            headline(
                state.toldAt, spread, reader.headline, middleSeconds: middle, scheduledAt: stop.scheduledAt, at: now),
            stop, state, earliest: earliest, at: now)
        state.toldAt = arrivesAt
        let seconds = arrivesAt.seconds(since: now)
        let lowest = max(ahead.leastSeconds, spread.middle - reader.widening * (spread.middle - spread.low))
        let low = min(seconds, max(0, lowest - ahead.ageSeconds))
        let high = max(seconds, middle + reader.widening * (spread.high - spread.middle))
        if stop.scheduledAt == nil, state.promisedAt == nil, reader.isPromised { state.promisedAt = arrivesAt }
        stop.status = .valid
        stop.seconds = Int(seconds.rounded())
        stop.minSeconds = Int(low.rounded(.down))
        stop.maxSeconds = Int(high.rounded(.up))
        stop.confidence = confidence(width: high - low, seconds: seconds, age: ahead.ageSeconds, reader)
        stop.distanceMeters = ahead.meters
        stop.arrivesAt = arrivesAt
        judgeDelay(&stop, &state, arrival: arrivesAt, at: now)
    }

    private func fillPassed(_ stop: inout TripEta.Stop, _ state: inout TripProgress.Stop, at now: Timestamp) {
        stop.status = .passed
        stop.seconds = -1
        stop.minSeconds = nil
        stop.maxSeconds = nil
        stop.confidence = nil
        stop.distanceMeters = nil
        stop.arrivesAt = state.passedAt
        state.toldAt = nil
        if let passedAt = state.passedAt { judgeDelay(&stop, &state, arrival: passedAt, at: now) }
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

    /// Whether the stop's flag changed so lately that it is not to change again.
    private func isHeld(_ state: TripProgress.Stop, at now: Timestamp) -> Bool {
        state.delayChangedAt.map { now.seconds(since: $0) < settings.delay.holdSeconds } ?? false
    }

    /// The arrival to tell while the flag is held: the nearest to `arrival` that agrees with it, if that is near and
    /// possible.
    private func keptArrival(
        _ arrival: Timestamp, _ stop: TripEta.Stop, _ state: TripProgress.Stop, earliest: Timestamp, at now: Timestamp
    ) -> Timestamp {
        guard isHeld(state, at: now), let reference = stop.scheduledAt ?? state.promisedAt,
            let kept = DelayClassifier.nearest(
                to: arrival, beside: state.delay, since: reference, settings: settings.delay),
            kept >= min(earliest, arrival)
        else { return arrival }
        return kept
    }

    /// Compares the arrival that is told with the timetable, or with what was promised first: each reader of the
    /// message can do the same.
    private func judgeDelay(
        _ stop: inout TripEta.Stop, _ state: inout TripProgress.Stop, arrival: Timestamp, at now: Timestamp
    ) {
        guard let reference = stop.scheduledAt ?? state.promisedAt else {
            stop.delaySeconds = nil
            stop.delay = .unknown
            return
        }
        let seconds = DelayClassifier.seconds(of: arrival, since: reference)
        let judged = DelayClassifier.judge(seconds, after: state.delay, settings: settings.delay)
        if judged != state.delay {
            let stays =
                isHeld(state, at: now) && DelayClassifier.agrees(state.delay, with: seconds, settings: settings.delay)
            if !stays {
                if state.delay != .unknown { state.delayChangedAt = now }
                state.delay = judged
            }
        }
        stop.delaySeconds = seconds
        stop.delay = state.delay
    }

    private func confidence(width: Double, seconds: Double, age: Double, _ reader: Reader) -> Confidence {
        if age > settings.staleSeconds { return .low }
        let isAged = age > settings.agedSeconds || reader.isPositionUnsure
        let high = max(settings.highConfidenceSeconds, settings.highConfidenceShare * seconds)
        if width < high { return isAged ? .medium : .high }
        let medium = max(settings.mediumConfidenceSeconds, settings.mediumConfidenceShare * seconds)
        return width < medium && !isAged ? .medium : .low
    }
}
