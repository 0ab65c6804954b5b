import Codec
import Domain
import Glibc

/// A path through the street network with the speeds allowed along it.
package struct DrivePath: Sendable {
    /// The crossings along the path, including its ends.
    package let crossings: [Int]
    package let points: [TangentPlane.Point]
    /// Metres from the start to each point.
    package private(set) var distanceMeters = [0.0]
    /// Speed in traffic on the segment that begins at each point, in m/s; one element fewer than ``points``.
    private(set) var segmentSpeed: [Double] = []
    /// Whether the segment that begins at each point is a tunnel.
    private(set) var isTunnel: [Bool] = []
    /// Maximum speed of the turn at each point, in m/s.
    let turnSpeed: [Double]
    /// Planned travel time to each point, in seconds.
    package private(set) var plannedSeconds = [0.0]

    package var lengthMeters: Double { distanceMeters[distanceMeters.count - 1] }
    package var planSeconds: Double { plannedSeconds[plannedSeconds.count - 1] }

    /// - Precondition: `crossings` is not empty, and streets connect successive crossings.
    package init(crossings: [Int], in network: StreetNetwork) {
        precondition(!crossings.isEmpty, "A path needs at least one crossing.")
        self.crossings = crossings
        let points = crossings.map { network.crossings[$0] }
        self.points = points
        turnSpeed = points.indices.map { Self.turnSpeed(at: $0, of: points) }
        for (from, to) in zip(crossings, crossings.dropFirst()) {
            guard let index = network.street(from: from, to: to) else {
                preconditionFailure("No street connects two successive crossings of a path.")
            }
            let street = network.streets[index]
            distanceMeters.append(lengthMeters + street.lengthMeters)
            plannedSeconds.append(planSeconds + RoutePlanner.seconds(on: street, in: network))
            segmentSpeed.append(street.streetClass.limitMetersPerSecond * street.trafficFactor)
            isTunnel.append(street.isTunnel)
        }
    }

    /// Returns the index of the segment at `distance` from the start, searched forward from `hint`.
    func segment(at distance: Double, from hint: Int) -> Int {
        var segment = hint
        while segment + 2 < distanceMeters.count, distanceMeters[segment + 1] <= distance { segment += 1 }
        return segment
    }

    /// Returns the segment at `distance`, and the share of the segment that lies before `distance`.
    private func position(at distance: Double, from hint: Int) -> (segment: Int, share: Double) {
        let segment = segment(at: distance, from: hint)
        let length = distanceMeters[segment + 1] - distanceMeters[segment]
        return (segment, length > 0 ? min(1, max(0, (distance - distanceMeters[segment]) / length)) : 0)
    }

    /// Returns the point at `distance` metres from the start.
    package func point(at distance: Double, from hint: Int = 0) -> TangentPlane.Point {
        guard points.count > 1 else { return points[0] }
        let (segment, share) = position(at: distance, from: hint)
        let (start, end) = (points[segment], points[segment + 1])
        return TangentPlane.Point(
            east: start.east + (end.east - start.east) * share, north: start.north + (end.north - start.north) * share)
    }

    /// Returns the planned travel time to `distance`, in seconds.
    func planSeconds(to distance: Double) -> Double {
        guard points.count > 1 else { return 0 }
        let (segment, share) = position(at: distance, from: 0)
        return plannedSeconds[segment] + (plannedSeconds[segment + 1] - plannedSeconds[segment]) * share
    }

    /// Returns `distance`, or the end of the tunnel that contains it; at most ``lengthMeters``.
    func outsideTunnel(_ distance: Double) -> Double {
        guard !isTunnel.isEmpty, distance < lengthMeters else { return min(distance, lengthMeters) }
        var segment = segment(at: distance, from: 0)
        guard isTunnel[segment] else { return distance }
        while segment < isTunnel.count, isTunnel[segment] { segment += 1 }
        return distanceMeters[segment]
    }

    /// Returns the route as in a trip message; its duration is `seconds`, by default the planned travel time.
    func plannedRoute(in network: StreetNetwork, seconds: Double? = nil) -> TripMessage.Route {
        let coordinates = points.map { network.plane.coordinate(of: $0) }
        return TripMessage.Route(
            polyline: Polyline.encode(coordinates, precision: 5), points: coordinates,
            distanceMeters: lengthMeters.rounded(), durationSeconds: (seconds ?? planSeconds).rounded())
    }

    /// Returns a speed that limits the lateral acceleration in a turn to about 3 m/s².
    private static func turnSpeed(at index: Int, of points: [TangentPlane.Point]) -> Double {
        guard index > 0, index + 1 < points.count else { return .infinity }
        let (before, here, after) = (points[index - 1], points[index], points[index + 1])
        let arriving = atan2(here.east - before.east, here.north - before.north)
        let leaving = atan2(after.east - here.east, after.north - here.north)
        var turn = abs(leaving - arriving) * 180 / .pi
        if turn > 180 { turn = 360 - turn }
        switch turn {
        case ..<12: return .infinity
        case ..<30: return 11
        case ..<60: return 7.5
        case ..<120: return 4.8
        default: return 2.2
        }
    }
}
