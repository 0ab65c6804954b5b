import Domain
import Foundation
import Simulation

/// Route of a faked vehicle.
struct FakeRoute {
    private let plane: TangentPlane
    private var points: [TangentPlane.Point]
    private var meters: [Double]

    /// Makes a route of at least 40 km from straight legs of 200 to 600 m and turns.
    static func straightLegs(from start: Coordinate, course: Double, random: inout RandomSource) -> FakeRoute {
        let turns: [Double] = [0, 0, 30, -30, 90, -90]
        var route = FakeRoute(from: start)
        var heading = course
        while route.lengthMeters < 40_000 {
            route.append(meters: random.uniform(in: 200...600), heading: heading)
            heading += turns[random.index(below: turns.count)]
        }
        return route
    }

    /// Makes a route from the host's track after the attack, moved and rotated to continue the earlier track.
    ///
    /// Route simulators also follow real streets, and this track has not been driven before.
    static func laterTrack(of site: AttackSite, random: inout RandomSource) -> FakeRoute {
        let host = site.host
        var route = FakeRoute(from: site.lastHonest)
        var last = host.coordinate(site.range.upperBound)
        var turn: Double?
        var index = site.range.upperBound
        while index < host.seconds.count, route.lengthMeters < 8000 {
            let here = host.coordinate(index)
            let step = Geodesy.nearbyDistanceMeters(from: last, to: here)
            index += 1
            // Steps of 25 m suppress most noise; a step of 300 m or more is an outlier or a gap.
            guard step >= 25 else { continue }
            if step < 300 {
                let bearing = Geodesy.bearingDegrees(from: last, to: here)
                if turn == nil { turn = site.course - bearing }
                route.append(meters: step, heading: bearing + (turn ?? 0))
            }
            last = here
        }
        let rest = straightLegs(from: site.lastHonest, course: site.course, random: &random)
        for (from, to) in zip(rest.points, rest.points.dropFirst()) {
            let heading = atan2(to.east - from.east, to.north - from.north) * 180 / .pi
            route.append(meters: from.distanceMeters(to: to), heading: heading)
        }
        return route
    }

    init(from start: Coordinate) {
        plane = TangentPlane(origin: start)
        points = [TangentPlane.Point(east: 0, north: 0)]
        meters = [0]
    }

    var lengthMeters: Double { meters[meters.count - 1] }

    mutating func append(meters length: Double, heading: Double) {
        let last = points[points.count - 1]
        points.append(
            TangentPlane.Point(
                east: last.east + length * sin(heading * .pi / 180),
                north: last.north + length * cos(heading * .pi / 180)))
        meters.append(lengthMeters + length)
    }

    /// Returns the position and heading after `distance` metres.
    func position(after distance: Double) -> (coordinate: Coordinate, heading: Double) {
        var segment = 0
        while segment + 2 < meters.count, meters[segment + 1] <= distance { segment += 1 }
        let (from, to) = (points[segment], points[segment + 1])
        let share = (distance - meters[segment]) / (meters[segment + 1] - meters[segment])
        let point = TangentPlane.Point(
            east: from.east + (to.east - from.east) * share, north: from.north + (to.north - from.north) * share)
        let heading = atan2(to.east - from.east, to.north - from.north) * 180 / .pi
        return (plane.coordinate(of: point), Geodesy.normalizedHeading(heading))
    }
}
