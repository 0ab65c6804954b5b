import Domain
import Runtime
import Support

/// One announced trip on its way, with all that is predicted of it and told to its riders.
final class WatchedJourney {
    /// What riders were told last of one stop.
    private struct Told {
        var arrivesAt: Timestamp?
        var flag = TripEta.Delay.unknown
        var flagChangedAt: Timestamp?
    }

    let trip: ActiveTrip
    let teaches: Bool
    let endsAt: Timestamp
    private(set) var series: [ArrivalSeries]
    private(set) var gating = GatingFigures()

    /// Predictions are of interest this long before they come true, in seconds.
    private static let horizonSeconds = 2700.0
    private static let slowestMetersPerSecond = 2.0
    private static let flipSeconds = 60.0

    private let targets: [RecordedTrip.Target]
    private let departedAt: Timestamp?
    private let meanSpeed: Double
    private let broadcaster: Broadcaster
    private let sampleSeconds: Double
    private var broadcast = BroadcastState()
    private var told: [Told]
    private var passedUntil: Timestamp
    private var sampledAt: Timestamp?
    private var currentSpeed: Double?

    init(
        _ journey: RecordedTrip.Journey, of recorded: RecordedTrip, teaches: Bool, estimator: ArrivalEstimator,
        settings: ArrivalReplay.Settings, meanSpeed: Double, at now: Timestamp
    ) {
        trip = ActiveTrip(journey.message, estimator: estimator, at: now)
        self.teaches = teaches
        self.meanSpeed = meanSpeed
        targets = journey.targets
        departedAt = journey.departedAt
        endsAt = journey.targets.map(\.arrivedAt).max() ?? now
        broadcaster = Broadcaster(settings: settings.broadcast)
        sampleSeconds = settings.sampleSeconds
        told = Array(repeating: Told(), count: journey.message.stops.count)
        passedUntil = now
        series = journey.targets.map {
            ArrivalSeries(
                tripID: recorded.id, routeID: recorded.routeID, half: recorded.half, arrivedAt: $0.arrivedAt)
        }
    }

    /// Whether every arrival has come true.
    func isOver(at now: Timestamp) -> Bool { now >= endsAt }

    /// Lets time pass up to `now`, exclusively, and notes the records that punctuations make.
    func pass(until now: Timestamp, every seconds: Double) {
        var punctuation = passedUntil.advanced(bySeconds: seconds)
        while punctuation < min(now, endsAt) {
            if let eta = trip.punctuate(at: punctuation) { note(eta, isPunctuation: true, currentSpeed: currentSpeed) }
            punctuation = punctuation.advanced(bySeconds: seconds)
        }
        passedUntil = max(passedUntil, now)
    }

    /// Notes a record: what it says, and what of it riders are told.
    func note(_ eta: TripEta, isPunctuation: Bool, currentSpeed: Double?) {
        self.currentSpeed = currentSpeed
        let now = eta.computedAt
        guard now < endsAt else { return }
        if isPunctuation { gating.punctuationRecords += 1 } else { gating.fixRecords += 1 }
        tell(eta)
        noteFlags(eta)
        guard sampledAt.map({ now.seconds(since: $0) >= sampleSeconds }) ?? true else { return }
        sampledAt = now
        for (index, target) in targets.enumerated() {
            let horizon = target.arrivedAt.seconds(since: now)
            guard horizon >= 0, horizon <= Self.horizonSeconds else { continue }
            if let sample = sample(eta, target, horizon, isPunctuation: isPunctuation) {
                series[index].samples.append(sample)
            } else {
                series[index].missing += 1
            }
        }
    }

    private func tell(_ eta: TripEta) {
        for case .eta(let update) in broadcaster.updates(for: eta, state: &broadcast) {
            gating.messages += 1
            for (index, stop) in update.stops.enumerated() where index < told.count {
                told[index].arrivesAt = stop.status == .valid ? stop.arrivesAt : nil
            }
        }
    }

    private func noteFlags(_ eta: TripEta) {
        for (index, stop) in eta.stops.enumerated() where index < told.count && stop.delay != .unknown {
            defer { told[index].flag = stop.delay }
            guard told[index].flag != .unknown, told[index].flag != stop.delay else { continue }
            gating.flagChanges += 1
            if let before = told[index].flagChangedAt, eta.computedAt.seconds(since: before) < Self.flipSeconds {
                gating.flagFlips += 1
            }
            told[index].flagChangedAt = eta.computedAt
        }
    }

    private func sample(
        _ eta: TripEta, _ target: RecordedTrip.Target, _ horizon: Double, isPunctuation: Bool
    ) -> ArrivalSample? {
        // The arrival times of a vehicle that has sent nothing for minutes are flagged as stale, and are no prediction.
        guard !eta.isStale, eta.stops.indices.contains(target.stop) else { return nil }
        let now = eta.computedAt
        let stop = eta.stops[target.stop]
        guard stop.status == .valid, let arrivesAt = stop.arrivesAt, let low = stop.minSeconds,
            let high = stop.maxSeconds
        else { return nil }
        var sample = ArrivalSample(at: now, horizonSeconds: horizon)
        func error(_ predicted: Timestamp) -> Double { max(predicted, now).seconds(since: target.arrivedAt) }
        sample.isBeforeDeparture = departedAt.map { now < $0 } ?? false
        sample.errors[.ours] = error(arrivesAt)
        sample.lowSeconds = Double(low) - horizon
        sample.highSeconds = Double(high) - horizon
        sample.errors[.shown] = told[target.stop].arrivesAt.map(error)
        sample.errors[.plan] = target.plannedAt.map(error)
        if let meters = stop.distanceMeters, let from = eta.position?.fixedAt {
            sample.errors[.meanSpeed] = error(from.advanced(bySeconds: meters / meanSpeed))
            let speed = max(Self.slowestMetersPerSecond, currentSpeed ?? meanSpeed)
            sample.errors[.currentSpeed] = error(from.advanced(bySeconds: meters / speed))
        }
        let isStraight = eta.isOffRoute || eta.progressMeters == nil
        sample.basis = isStraight ? .straight : (isPunctuation ? .counted : .route)
        return sample
    }
}
