import Domain
import Foundation
import Recordings
import Simulation
import Support

/// The driven route with the errors of a map: the reference track, displaced sideways.
///
/// The displacement has a standard deviation of ``errorMeters`` and is correlated over ``correlationMeters``.
struct MapRoute {
    private static let errorMeters = 8.0
    private static let correlationMeters = 150.0
    /// Minimum distance between corners of the route, in metres.
    private static let spacingMeters = 15.0
    /// Minimum length of a trip, in metres.
    private static let shortestMeters = 500.0

    let points: [Coordinate]

    /// Makes the route of a trace; `nil` if its reference is too short for a trip.
    init?(of trace: RecordedTrace, seed: UInt64) {
        let reference = trace.truth.compactMap { $0 }
        guard let first = reference.first else { return nil }
        let plane = TangentPlane(origin: first)
        var corners: [TangentPlane.Point] = []
        var length = 0.0
        for point in reference.map(plane.point(of:)) {
            let step = corners.last.map { point.distanceMeters(to: $0) }
            guard step.map({ $0 > Self.spacingMeters }) ?? true else { continue }
            length += step ?? 0
            corners.append(point)
        }
        guard length >= Self.shortestMeters else { return nil }
        var random = RandomSource(seed: seed, index: 0, purpose: 7)
        var offset = Self.errorMeters * random.normal()
        var displaced: [Coordinate] = []
        for (index, corner) in corners.enumerated() {
            let (before, after) = (corners[max(0, index - 1)], corners[min(corners.count - 1, index + 1)])
            let (east, north) = (after.east - before.east, after.north - before.north)
            let run = max(1e-9, (east * east + north * north).squareRoot())
            displaced.append(
                plane.coordinate(
                    of: TangentPlane.Point(
                        east: corner.east - offset * north / run, north: corner.north + offset * east / run)))
            let correlation = exp(-corner.distanceMeters(to: after) / Self.correlationMeters)
            let fresh = (1 - correlation * correlation).squareRoot()
            offset = correlation * offset + Self.errorMeters * fresh * random.normal()
        }
        points = displaced
    }

    /// Returns a ride along the route that is in progress since `time`.
    func trip(of trace: RecordedTrace, at time: Timestamp) -> TripMessage {
        TripMessage(
            tripID: trace.id, driverID: trace.driverID, state: .inProgress, changedAt: time, version: 1,
            stops: [
                TripMessage.Stop(id: "pickup", kind: .pickup, coordinate: points[0]),
                TripMessage.Stop(id: "dropoff", kind: .dropoff, coordinate: points[points.count - 1]),
            ], route: TripMessage.Route(polyline: "", points: points))
    }
}
