import Domain
import Recordings
import Runtime
import Simulation
import Support

/// Replays recorded vehicles through the workers' algorithms in order of time, and samples the predictions.
///
/// A prediction uses only the fixes of all vehicles up to its time, and the announcement of its trip.
struct ArrivalReplay {
    struct Settings {
        var tracking = TrackingSettings()
        var arrival = ArrivalSettings()
        var broadcast = BroadcastSettings()
        var isLearning = true
        /// Whether learned road speeds are kept over days.
        var keepsRoadSpeeds = true
        /// Minimum time between samples of a trip, in seconds, so that phones with ten fixes a second do not count for
        /// more than buses.
        var sampleSeconds = 5.0
        /// Interval of the punctuations between fixes, in seconds.
        var punctuationSeconds = 10.0
    }

    struct Outcome: Sendable {
        /// Arrivals and messages of each announced trip.
        var journeys: [(series: [ArrivalSeries], gating: GatingFigures)] = []

        var series: [ArrivalSeries] { journeys.flatMap(\.series) }

        /// Returns the messages of the trips whose first arrival is included.
        func gating(where isIncluded: (ArrivalSeries) -> Bool) -> GatingFigures {
            journeys.reduce(into: GatingFigures()) { sum, journey in
                if let first = journey.series.first, isIncluded(first) { sum.add(journey.gating) }
            }
        }
    }

    /// A vehicle with its worker state.
    private struct Vehicle {
        var state = DriverState()
        var speed = RecentSpeed()
        var active: [WatchedJourney] = []
        /// Index of the next trip to begin.
        var upcoming = 0
        var trips: [RecordedTrip] = []
    }

    private let settings: Settings
    private let detector: SpoofDetector
    private let estimator: ArrivalEstimator
    private let speeds: SpeedBook

    init(settings: Settings, speeds: SpeedBook) {
        self.settings = settings
        self.speeds = speeds
        detector = SpoofDetector(settings: settings.tracking)
        estimator = ArrivalEstimator(settings: settings.arrival)
    }

    func run(_ log: VehicleLog, trips: [RecordedTrip]) -> Outcome {
        var vehicles = Dictionary(
            log.vehicles.map { ($0.trace.id, Vehicle()) }, uniquingKeysWith: { first, _ in first })
        for trip in trips { vehicles[trip.vehicleID]?.trips.append(trip) }
        var tracks = TrackMemory(settings.tracking.replay)
        var roadSpeeds = RoadSpeedTable(settings: settings.arrival.roadSpeeds)
        var outcome = Outcome()
        let events = Self.events(of: log)
        let clock = ServiceDay(of: log)
        var day = events.first.map { clock.day(of: $0.at) }
        for event in events {
            if !settings.keepsRoadSpeeds, clock.day(of: event.at) != day {
                day = clock.day(of: event.at)
                roadSpeeds = RoadSpeedTable(settings: settings.arrival.roadSpeeds)
            }
            let fixes = log.vehicles[event.vehicle]
            guard var vehicle = vehicles.removeValue(forKey: fixes.trace.id) else { continue }
            process(fixes.trace.fixes[event.row], of: &vehicle, at: event.at, &tracks, &roadSpeeds, &outcome)
            vehicles[fixes.trace.id] = vehicle
        }
        for vehicle in log.vehicles {
            for journey in vehicles[vehicle.trace.id]?.active ?? [] { close(journey, &outcome) }
        }
        return outcome
    }

    /// If the next timestamp is earlier by more than this many seconds, the current one is wrong.
    private static let maximumStepBackSeconds = 3600.0

    private struct Event {
        var at: Timestamp
        var vehicle: Int
        var row: Int
    }

    /// Returns the fixes of all vehicles in the order of receipt; a fix that is out of order counts as received late.
    private static func events(of log: VehicleLog) -> [Event] {
        var events: [Event] = []
        for (index, vehicle) in log.vehicles.enumerated() {
            var received = Timestamp(milliseconds: .min)
            let fixes = vehicle.trace.fixes
            for row in fixes.indices {
                guard let at = fixes[row].deviceAt else { continue }
                let next = row + 1 < fixes.count ? fixes[row + 1].deviceAt ?? at : at
                // A single timestamp in the far future must not delay all that follow.
                received = max(received, at.seconds(since: next) > maximumStepBackSeconds ? next : at)
                events.append(Event(at: received, vehicle: index, row: row))
            }
        }
        return events.sorted { ($0.at.milliseconds, $0.vehicle, $0.row) < ($1.at.milliseconds, $1.vehicle, $1.row) }
    }

    private func process(
        _ recorded: Fix, of vehicle: inout Vehicle, at now: Timestamp, _ tracks: inout TrackMemory,
        _ roadSpeeds: inout RoadSpeedTable, _ outcome: inout Outcome
    ) {
        for journey in vehicle.active { journey.advance(to: now, every: settings.punctuationSeconds) }
        // The fix that ends a trip still counts for learning.
        let ended = vehicle.active.first { $0.isLearnedFrom && $0.isOver(at: now) }
        vehicle.active.removeAll { journey in
            guard journey.isOver(at: now) else { return false }
            close(journey, &outcome)
            return true
        }
        begin(&vehicle, at: now)
        var fix = recorded
        fix.isOnTrip = !vehicle.active.isEmpty
        let verdict = detector.evaluate(fix, receivedAt: now, streamTime: now, state: &vehicle.state, tracks: &tracks)
        guard let estimate = verdict.estimate, !verdict.isFlagged else { return }
        vehicle.speed.add(estimate.speedMetersPerSecond, at: verdict.fixedAt)
        let position = TripEta.Position(
            coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
            speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
            fixedAt: verdict.fixedAt)
        func update(_ trip: ActiveTrip) {
            trip.update(
                position: position, isHalted: estimate.isHalted, confidence: estimate.confidence,
                occupancyPercent: nil, at: now)
        }
        if let ended, settings.isLearning {
            update(ended.trip)
            ended.trip.recordSpeeds(in: &roadSpeeds)
        }
        for journey in vehicle.active {
            if settings.isLearning { journey.trip.updateExpectations(from: roadSpeeds, at: now) }
            update(journey.trip)
            journey.record(journey.trip.eta(at: now), isPunctuation: false, currentSpeed: vehicle.speed.metersPerSecond)
        }
        // After all predictions, because journeys of one trip must not learn from each other.
        if settings.isLearning { vehicle.active.first { $0.isLearnedFrom }?.trip.recordSpeeds(in: &roadSpeeds) }
    }

    private func begin(_ vehicle: inout Vehicle, at now: Timestamp) {
        while vehicle.upcoming < vehicle.trips.count, vehicle.trips[vehicle.upcoming].startsAt <= now {
            let trip = vehicle.trips[vehicle.upcoming]
            vehicle.upcoming += 1
            let speed = speeds.meanSpeed(half: trip.half, meters: trip.drivenMeters)
            for (index, journey) in trip.journeys.enumerated() {
                vehicle.active.append(
                    WatchedJourney(
                        journey, of: trip, isLearnedFrom: index == 0, estimator: estimator, settings: settings,
                        meanSpeed: speed, at: now))
            }
        }
    }

    private func close(_ journey: WatchedJourney, _ outcome: inout Outcome) {
        journey.advance(to: journey.endsAt, every: settings.punctuationSeconds)
        outcome.journeys.append((journey.series, journey.gating))
    }
}

/// Exponential average of a vehicle's speed with a time constant of 60 s.
private struct RecentSpeed {
    private static let fadeSeconds = 60.0
    private(set) var metersPerSecond: Double?
    private var at = Timestamp(milliseconds: 0)

    mutating func add(_ speed: Double, at time: Timestamp) {
        guard let before = metersPerSecond else {
            (metersPerSecond, at) = (speed, time)
            return
        }
        let elapsed = max(0, time.seconds(since: at))
        metersPerSecond = before + (speed - before) * elapsed / (elapsed + Self.fadeSeconds)
        at = time
    }
}

/// Service days, which change at 4:00 local solar time at the place of the recording.
struct ServiceDay {
    private let shiftSeconds: Double

    init(of log: VehicleLog) {
        let longitude = log.vehicles.lazy.flatMap(\.trace.fixes).map(\.coordinate.longitude).first { $0 != 0 } ?? 0
        shiftSeconds = longitude / 360 * 86_400 - 4 * 3600
    }

    /// Returns the service day of a time, as a number of days.
    func day(of time: Timestamp) -> Int64 {
        Int64(
            (time.advanced(bySeconds: shiftSeconds).seconds(since: Timestamp(milliseconds: 0)) / 86_400).rounded(.down))
    }

    /// Returns the number of days on which trips began.
    func count(of trips: [RecordedTrip]) -> Int { Set(trips.map { day(of: $0.startsAt) }).count }
}
