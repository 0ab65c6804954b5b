import Domain
import Recordings
import Support

/// Replays recorded vehicles through the workers' algorithms in order of time, and samples the predictions.
///
/// A prediction uses only the fixes of all vehicles up to its time, and the announcement of its trip.
struct ArrivalReplay {
    /// A vehicle with its worker state.
    private struct Vehicle {
        var state = DriverState()
        var active: [WatchedJourney] = []
        /// Index of the next trip to begin.
        var upcoming = 0
        var trips: [RecordedTrip] = []
    }

    private let detector = SpoofDetector(settings: TrackingSettings())
    private let estimator: ArrivalEstimator
    private let speeds: SpeedBook

    init(speeds: SpeedBook, arrival: ArrivalSettings = ArrivalSettings()) {
        self.speeds = speeds
        estimator = ArrivalEstimator(settings: arrival)
    }

    /// Replays a log and returns the announced trips; finished trips come first, in the order of their ends.
    func run(_ log: VehicleLog, trips: [RecordedTrip]) -> [WatchedJourney] {
        var vehicles = Dictionary(
            log.vehicles.map { ($0.trace.id, Vehicle()) }, uniquingKeysWith: { first, _ in first })
        for trip in trips { vehicles[trip.vehicleID]?.trips.append(trip) }
        var tracks = TrackMemory(TrackingSettings().replay)
        var roadSpeeds = RoadSpeedTable(settings: estimator.settings.roadSpeeds)
        var closed: [WatchedJourney] = []
        for event in Self.events(of: log) {
            let fixes = log.vehicles[event.vehicle]
            guard var vehicle = vehicles.removeValue(forKey: fixes.trace.id) else { continue }
            process(fixes.trace.fixes[event.row], of: &vehicle, at: event.at, &tracks, &roadSpeeds, &closed)
            vehicles[fixes.trace.id] = vehicle
        }
        for journey in log.vehicles.flatMap({ vehicles[$0.trace.id]?.active ?? [] }) {
            journey.advance(to: journey.endsAt)
            closed.append(journey)
        }
        return closed
    }

    /// Maximum seconds by which a plausible timestamp exceeds the next timestamp of its vehicle.
    private static let maximumStepBackSeconds = 3600.0

    /// Returns the fixes of all vehicles in the order of receipt; a fix that is out of order counts as received late.
    private static func events(of log: VehicleLog) -> [(at: Timestamp, vehicle: Int, row: Int)] {
        var events: [(at: Timestamp, vehicle: Int, row: Int)] = []
        for (index, vehicle) in log.vehicles.enumerated() {
            var received = Timestamp(milliseconds: .min)
            let fixes = vehicle.trace.fixes
            for row in fixes.indices {
                guard let at = fixes[row].deviceAt else { continue }
                let next = row + 1 < fixes.count ? fixes[row + 1].deviceAt ?? at : at
                // A single timestamp in the far future must not delay all following fixes.
                received = max(received, at.seconds(since: next) > maximumStepBackSeconds ? next : at)
                events.append((received, index, row))
            }
        }
        return events.sorted { $0 < $1 }
    }

    private func process(
        _ recorded: Fix, of vehicle: inout Vehicle, at now: Timestamp, _ tracks: inout TrackMemory,
        _ roadSpeeds: inout RoadSpeedTable, _ closed: inout [WatchedJourney]
    ) {
        for journey in vehicle.active { journey.advance(to: now) }
        // The fix that ends a trip still counts for learning.
        let ended = vehicle.active.first { $0.isLearnedFrom && $0.isOver(at: now) }
        closed += vehicle.active.filter { $0.isOver(at: now) }
        vehicle.active.removeAll { $0.isOver(at: now) }
        begin(&vehicle, at: now)
        var fix = recorded
        fix.isOnTrip = !vehicle.active.isEmpty
        let verdict = detector.evaluate(fix, receivedAt: now, streamTime: now, state: &vehicle.state, tracks: &tracks)
        guard let estimate = verdict.estimate, !verdict.isFlagged else { return }
        let position = TripEta.Position(
            coordinate: estimate.coordinate, headingDegrees: estimate.headingDegrees,
            speedMetersPerSecond: estimate.speedMetersPerSecond, accuracyMeters: estimate.accuracyMeters,
            fixedAt: verdict.fixedAt)
        func update(_ trip: ActiveTrip) {
            trip.update(
                position: position, isHalted: estimate.isHalted, confidence: estimate.confidence,
                occupancyPercent: nil, at: now)
        }
        if let ended {
            update(ended.trip)
            ended.trip.recordSpeeds(in: &roadSpeeds)
        }
        for journey in vehicle.active {
            journey.trip.updateExpectations(from: roadSpeeds, at: now)
            update(journey.trip)
            journey.record(journey.trip.eta(at: now))
        }
        // After all predictions, because journeys of one trip must not learn from each other.
        vehicle.active.first { $0.isLearnedFrom }?.trip.recordSpeeds(in: &roadSpeeds)
    }

    private func begin(_ vehicle: inout Vehicle, at now: Timestamp) {
        while vehicle.upcoming < vehicle.trips.count, vehicle.trips[vehicle.upcoming].startsAt <= now {
            let trip = vehicle.trips[vehicle.upcoming]
            vehicle.upcoming += 1
            let speed = speeds.meanSpeed(half: trip.driven.half, meters: trip.driven.meters)
            for (index, journey) in trip.journeys.enumerated() {
                vehicle.active.append(
                    WatchedJourney(
                        journey, of: trip, isLearnedFrom: index == 0, estimator: estimator, meanSpeed: speed, at: now))
            }
        }
    }
}
