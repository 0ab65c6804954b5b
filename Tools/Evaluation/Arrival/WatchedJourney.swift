import Domain
import Runtime
import Support

/// An announced trip in progress, with its predictions and the messages to its riders.
final class WatchedJourney {
    /// Last message to riders about one stop.
    private struct Published {
        var arrivesAt: Timestamp?
        var flag = TripEta.Delay.unknown
        var flagChangedAt: Timestamp?
    }

    let trip: ActiveTrip
    /// Whether road speeds are learned from this journey; `true` only for the first journey of a recorded trip.
    let isLearnedFrom: Bool
    let endsAt: Timestamp
    private(set) var series: [ArrivalSeries]
    private(set) var gating = GatingFigures()

    /// Maximum time to the arrival of a sampled prediction, in seconds.
    private static let horizonSeconds = 2700.0
    private static let flipSeconds = 60.0
    /// Minimum time between samples in seconds, so that phones with ten fixes a second do not outweigh buses.
    private static let sampleSeconds = 5.0
    /// Interval of the punctuations between fixes, in seconds.
    private static let punctuationSeconds = 10.0

    private let targets: [RecordedTrip.Target]
    private let departedAt: Timestamp?
    private let meanSpeed: Double
    private let broadcaster = Broadcaster()
    private var broadcast = BroadcastState()
    private var published: [Published]
    private var advancedTo: Timestamp
    private var sampledAt: Timestamp?

    init(
        _ journey: RecordedTrip.Journey, of recorded: RecordedTrip, isLearnedFrom: Bool, estimator: ArrivalEstimator,
        meanSpeed: Double, at now: Timestamp
    ) {
        trip = ActiveTrip(journey.message, estimator: estimator, at: now)
        self.isLearnedFrom = isLearnedFrom
        self.meanSpeed = meanSpeed
        targets = journey.targets
        departedAt = journey.departedAt
        endsAt = journey.targets.map(\.arrivedAt).max() ?? now
        published = Array(repeating: Published(), count: journey.message.stops.count)
        advancedTo = now
        series = journey.targets.map {
            ArrivalSeries(tripID: recorded.id, half: recorded.driven.half, arrivedAt: $0.arrivedAt)
        }
    }

    /// Whether all arrivals are in the past.
    func isOver(at now: Timestamp) -> Bool { now >= endsAt }

    /// Advances the time to `now`, and records the results of the punctuations before it.
    func advance(to now: Timestamp) {
        var punctuation = advancedTo.advanced(bySeconds: Self.punctuationSeconds)
        while punctuation < min(now, endsAt) {
            if let eta = trip.punctuate(at: punctuation) { record(eta, isPunctuation: true) }
            punctuation = punctuation.advanced(bySeconds: Self.punctuationSeconds)
        }
        advancedTo = max(advancedTo, now)
    }

    /// Counts an ETA record and the messages that it causes, and samples its predictions.
    func record(_ eta: TripEta, isPunctuation: Bool = false) {
        let now = eta.computedAt
        guard now < endsAt else { return }
        if !isPunctuation { gating.fixRecords += 1 }
        publish(eta)
        countFlags(eta)
        guard sampledAt.map({ now.seconds(since: $0) >= Self.sampleSeconds }) ?? true else { return }
        sampledAt = now
        for (index, target) in targets.enumerated() {
            let horizon = target.arrivedAt.seconds(since: now)
            guard horizon >= 0, horizon <= Self.horizonSeconds else { continue }
            if let sample = sample(eta, target, horizon) {
                series[index].samples.append(sample)
            } else {
                series[index].missing += 1
            }
        }
    }

    private func publish(_ eta: TripEta) {
        for case .eta(let update) in broadcaster.updates(for: eta, state: &broadcast) {
            gating.messages += 1
            for (index, stop) in update.stops.enumerated() where index < published.count {
                published[index].arrivesAt = stop.status == .valid ? stop.arrivesAt : nil
            }
        }
    }

    private func countFlags(_ eta: TripEta) {
        for (index, stop) in eta.stops.enumerated() where index < published.count && stop.delay != .unknown {
            defer { published[index].flag = stop.delay }
            guard published[index].flag != .unknown, published[index].flag != stop.delay else { continue }
            gating.flagChanges += 1
            if let before = published[index].flagChangedAt, eta.computedAt.seconds(since: before) < Self.flipSeconds {
                gating.flagFlips += 1
            }
            published[index].flagChangedAt = eta.computedAt
        }
    }

    private func sample(_ eta: TripEta, _ target: RecordedTrip.Target, _ horizon: Double) -> ArrivalSample? {
        // Stale arrival times do not count as predictions, because the vehicle has sent nothing for minutes.
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
        sample.errors[.shown] = published[target.stop].arrivesAt.map(error)
        sample.errors[.plan] = target.plannedAt.map(error)
        if let meters = stop.distanceMeters, let from = eta.position?.fixedAt {
            sample.errors[.meanSpeed] = error(from.advanced(bySeconds: meters / meanSpeed))
        }
        return sample
    }
}
