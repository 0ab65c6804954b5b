import Domain
import Recordings
import Support

/// Recorded drives without a timetable, as rides along the driven track to destinations on it.
///
/// Planned durations come from ``SpeedBook``, which uses only the trips of the other half.
package struct DrivenTrips {
    /// A drive without a plan.
    struct Drive {
        var track: DrivenTrack
        var route: [Coordinate]
        var lengthMeters: Double
        /// Destinations of predicted arrivals: metres along the route, and actual arrival.
        var destinations: [(meters: Double, at: Timestamp)]
        var startsAt: Timestamp
        var driven: SpeedBook.Entry
    }

    /// Minimum distance between destinations in metres, and their maximum number.
    private static let destinationSpacingMeters = 1500.0
    private static let maximumDestinations = 6
    /// Distance in metres from the last destination to the end of the route.
    private static let terminusMeters = 30.0

    let drives: [Drive]

    /// Finds the drives of a log that last at least five minutes and cover at least one kilometre.
    package init(of log: VehicleLog) {
        drives = log.vehicles.flatMap { DrivenTrack.tracks(of: $0) }.compactMap(Self.drive)
            .sorted { ($0.startsAt, $0.track.id) < ($1.startsAt, $1.track.id) }
    }

    private static func drive(_ track: DrivenTrack) -> Drive? {
        guard let first = track.points.first, let last = track.points.last,
            last.at.seconds(since: first.at) >= DrivenTrack.shortestSeconds
        else { return nil }
        let route = track.route
        guard let matched = TrackOnRoute(route: route, fixes: track.points),
            matched.lengthMeters >= DrivenTrack.shortestMeters
        else { return nil }
        let length = matched.lengthMeters
        let step = max(destinationSpacingMeters, length / Double(maximumDestinations))
        var positions = Array(stride(from: step, to: length - step / 2, by: step))
        positions.append(length - terminusMeters)
        let passed = positions.compactMap { meters in matched.passage(at: meters).map { (meters: meters, at: $0) } }
        let destinations = passed.filter { $0.at.seconds(since: first.at) >= DrivenTrack.shortestSeconds }
        guard let end = destinations.last else { return nil }
        return Drive(
            track: track, route: route, lengthMeters: length, destinations: destinations, startsAt: first.at,
            driven: SpeedBook.Entry(
                routeID: track.routeID, half: EvaluationHalf.of(tripID: track.id), meters: end.meters,
                seconds: end.at.seconds(since: first.at)))
    }

    /// Returns the trips, with planned durations from `planner`.
    package func trips(planner: SpeedBook) -> [RecordedTrip] {
        drives.map { drive in
            let speed = planner.plannedSpeed(
                meters: drive.lengthMeters, routeID: drive.driven.routeID, half: drive.driven.half)
            // The longest journey is first, because learning uses only the first journey.
            let journeys = drive.destinations.reversed().map { destination in
                journey(drive, to: destination.meters, at: destination.at, planned: destination.meters / speed)
            }
            return RecordedTrip(
                id: drive.track.id, vehicleID: drive.track.vehicleID, startsAt: drive.startsAt, driven: drive.driven,
                journeys: journeys)
        }
    }

    private func journey(_ drive: Drive, to meters: Double, at: Timestamp, planned seconds: Double)
        -> RecordedTrip.Journey
    {
        let points = RouteLine(points: drive.route)?.prefix(meters, of: drive.route) ?? drive.route
        let stops = [
            TripMessage.Stop(id: "pickup", kind: .pickup, coordinate: points[0]),
            TripMessage.Stop(id: "dropoff", kind: .dropoff, coordinate: points[points.count - 1]),
        ]
        let message = TripMessage(
            tripID: "\(drive.track.id)/\(Int(meters))", driverID: drive.track.vehicleID, kind: .ride,
            state: .inProgress, changedAt: drive.startsAt, version: 1, stops: stops,
            route: TripMessage.Route(
                polyline: "", points: points, distanceMeters: meters, durationSeconds: seconds),
            routeID: drive.track.routeID)
        let planned = drive.startsAt.advanced(bySeconds: seconds)
        return .init(message: message, targets: [.init(stop: 1, arrivedAt: at, plannedAt: planned)])
    }
}
