import Domain
import Recordings
import Runtime
import Simulation
import Support

/// Plays recorded vehicles through judging, smoothing, arrival times and broadcasting, one fix after the other in the
/// order of their times, and notes what was predicted of the arrivals that are known.
///
/// Everything comes from before: of the recording a prediction knows the fixes so far, of all vehicles; of the trip the
/// announcement.
struct ArrivalReplay {
    struct Settings {
        var tracking = TrackingSettings()
        var arrival = ArrivalSettings()
        var broadcast = BroadcastSettings()
        /// Whether paces are learned.
        var isLearning = true
        /// Whether paces are kept over days; else each day begins with none.
        var keepsPaces = true
        /// Predictions of a trip are sampled at most this often, in seconds: phones that send ten fixes a second do not
        /// count for more than buses.
        var sampleSeconds = 5.0
        /// Time passes in steps of so many seconds between fixes.
        var punctuationSeconds = 10.0
    }

    /// What came out.
    struct Outcome: Sendable {
        /// Per announced trip: its arrivals, and what was sent of it.
        var journeys: [(series: [ArrivalSeries], gating: GatingFigures)] = []

        var series: [ArrivalSeries] { journeys.flatMap(\.series) }

        /// What was sent of the trips whose first arrival counts.
        func gating(where isIncluded: (ArrivalSeries) -> Bool) -> GatingFigures {
            journeys.reduce(into: GatingFigures()) { sum, journey in
                if let first = journey.series.first, isIncluded(first) { sum.add(journey.gating) }
            }
        }
    }

    /// A vehicle with what its worker knows of it.
    private struct Vehicle {
        var state = DriverState()
        var speed = RecentSpeed()
        var active: [WatchedJourney] = []
        /// The next of ``trips`` to begin.
        var upcoming = 0
        var trips: [RecordedTrip] = []
    }

    private let settings: Settings
    private let judge: SpoofDetector
    private let estimator: ArrivalEstimator
    private let speeds: SpeedBook

    init(settings: Settings, speeds: SpeedBook) {
        self.settings = settings
        self.speeds = speeds
        judge = SpoofDetector(settings: settings.tracking)
        estimator = ArrivalEstimator(settings: settings.arrival)
    }

    func run(_ log: VehicleLog, trips: [RecordedTrip]) -> Outcome {
        var vehicles = Dictionary(
            log.vehicles.map { ($0.trace.id, Vehicle()) }, uniquingKeysWith: { first, _ in first })
        for trip in trips { vehicles[trip.vehicleID]?.trips.append(trip) }
        var tracks = TrackMemory(settings.tracking.replay)
        var paces = RoadSpeedTable(settings: settings.arrival.roadSpeeds)
        var outcome = Outcome()
        let events = Self.events(of: log)
        let clock = ServiceDay(of: log)
        var day = events.first.map { clock.day(of: $0.at) }
        for event in events {
            if !settings.keepsPaces, clock.day(of: event.at) != day {
                day = clock.day(of: event.at)
                paces = RoadSpeedTable(settings: settings.arrival.roadSpeeds)
            }
            let fixes = log.vehicles[event.vehicle]
            guard var vehicle = vehicles.removeValue(forKey: fixes.trace.id) else { continue }
            advance(&vehicle, by: fixes.trace.fixes[event.row], at: event.at, &tracks, &paces, &outcome)
            vehicles[fixes.trace.id] = vehicle
        }
        for vehicle in log.vehicles {
            for journey in vehicles[vehicle.trace.id]?.active ?? [] { close(journey, &outcome) }
        }
        return outcome
    }

    /// No clock in order steps back by more than an hour.
    private static let wildSeconds = 3600.0

    private struct Event {
        var at: Timestamp
        var vehicle: Int
        var row: Int
    }

    private static func events(of log: VehicleLog) -> [Event] {
        var events: [Event] = []
        for (index, vehicle) in log.vehicles.enumerated() {
            // As received: what the file has out of order came late. A single stamp far ahead of the next was not
            // received then, and must not make all that follows late.
            var received = Timestamp(milliseconds: .min)
            let fixes = vehicle.trace.fixes
            for row in fixes.indices {
                guard let at = fixes[row].deviceAt else { continue }
                let next = row + 1 < fixes.count ? fixes[row + 1].deviceAt ?? at : at
                received = max(received, at.seconds(since: next) > wildSeconds ? next : at)
                events.append(Event(at: received, vehicle: index, row: row))
            }
        }
        return events.sorted { ($0.at.milliseconds, $0.vehicle, $0.row) < ($1.at.milliseconds, $1.vehicle, $1.row) }
    }

    private func advance(
        _ vehicle: inout Vehicle, by recorded: Fix, at now: Timestamp, _ tracks: inout TrackMemory,
        _ paces: inout RoadSpeedTable, _ outcome: inout Outcome
    ) {
        // Time passes before the fix comes.
        for journey in vehicle.active { journey.pass(until: now, every: settings.punctuationSeconds) }
        // It is driven until a message ends it: the partition learns from the fix that ends it.
        let arrived = vehicle.active.first { $0.teaches && $0.isOver(at: now) }
        vehicle.active.removeAll { journey in
            guard journey.isOver(at: now) else { return false }
            close(journey, &outcome)
            return true
        }
        begin(&vehicle, at: now)
        var fix = recorded
        fix.isOnTrip = !vehicle.active.isEmpty
        let judgement = judge.evaluate(fix, receivedAt: now, streamTime: now, state: &vehicle.state, tracks: &tracks)
        guard let estimate = judgement.estimate, !judgement.isFlagged else { return }
        vehicle.speed.add(estimate.speedMetersPerSecond, at: judgement.fixedAt)
        let position = TripEta.Position(
            coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
            speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
            fixedAt: judgement.fixedAt)
        if let arrived, settings.isLearning {
            arrived.trip.update(
                position: position, isHalted: estimate.isHalted, confidence: estimate.confidence,
                occupancyPercent: nil, at: now)
            arrived.trip.recordSpeeds(in: &paces)
        }
        for journey in vehicle.active {
            if settings.isLearning { journey.trip.updateExpectations(from: paces, at: now) }
            journey.trip.update(
                position: position, isHalted: estimate.isHalted, confidence: estimate.confidence,
                occupancyPercent: nil, at: now)
            journey.note(journey.trip.eta(at: now), isPunctuation: false, currentSpeed: vehicle.speed.metersPerSecond)
        }
        // After all predictions: parts of one trip must not learn from each other.
        if settings.isLearning { vehicle.active.first { $0.teaches }?.trip.recordSpeeds(in: &paces) }
    }

    private func begin(_ vehicle: inout Vehicle, at now: Timestamp) {
        while vehicle.upcoming < vehicle.trips.count, vehicle.trips[vehicle.upcoming].startsAt <= now {
            let trip = vehicle.trips[vehicle.upcoming]
            vehicle.upcoming += 1
            let speed = speeds.meanSpeed(half: trip.half, meters: trip.drivenMeters)
            for (index, journey) in trip.journeys.enumerated() {
                vehicle.active.append(
                    WatchedJourney(
                        journey, of: trip, teaches: index == 0, estimator: estimator, settings: settings,
                        meanSpeed: speed, at: now))
            }
        }
    }

    private func close(_ journey: WatchedJourney, _ outcome: inout Outcome) {
        journey.pass(until: journey.endsAt, every: settings.punctuationSeconds)
        outcome.journeys.append((journey.series, journey.gating))
    }
}

/// The vehicle's speed of the last minute: an average that fades with a time constant of 60 s.
struct RecentSpeed {
    private static let fadeSeconds = 60.0
    private(set) var metersPerSecond: Double?
    private var at = Timestamp(milliseconds: 0)

    mutating func add(_ speed: Double, at time: Timestamp) {
        guard let before = metersPerSecond else {
            metersPerSecond = speed
            at = time
            return
        }
        let elapsed = max(0, time.seconds(since: at))
        metersPerSecond = before + (speed - before) * elapsed / (elapsed + Self.fadeSeconds)
        at = time
    }
}
