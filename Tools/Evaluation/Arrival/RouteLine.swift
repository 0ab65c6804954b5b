import Domain

/// Line of a route on a flat map, for offline matching of whole tracks.
struct RouteLine {
    private let plane: TangentPlane
    private let vertices: [TangentPlane.Point]
    /// Length from the start to each vertex.
    private let alongMeters: [Double]

    var lengthMeters: Double { alongMeters.last ?? 0 }

    init?(points: [Coordinate]) {
        guard let middle = points.dropFirst(points.count / 2).first, points.count > 1 else { return nil }
        let plane = TangentPlane(origin: middle)
        self.plane = plane
        vertices = points.map { plane.point(of: $0) }
        var along = [0.0]
        for (start, end) in zip(points, points.dropFirst()) {
            along.append((along.last ?? 0) + Geodesy.distanceMeters(from: start, to: end))
        }
        alongMeters = along
    }

    /// Returns the local minima of the distance to a coordinate within `radius` (m), ordered along the line.
    ///
    /// If there are more than `limit`, only the nearest are returned.
    func approaches(of coordinate: Coordinate, within radius: Double, limit: Int) -> [(along: Double, distance: Double)]
    {
        let point = plane.point(of: coordinate)
        var minima: [(along: Double, distance: Double)] = []
        var previous = (along: 0.0, distance: Double.infinity)
        var isFalling = false
        for index in 0..<vertices.count - 1 {
            let hit = nearest(to: point, onSegment: index)
            if hit.distance > previous.distance, isFalling { minima.append(previous) }
            if hit.distance != previous.distance { isFalling = hit.distance < previous.distance }
            previous = hit
        }
        if isFalling { minima.append(previous) }
        let near = minima.filter { $0.distance <= radius }
        guard near.count > limit else { return near }
        return near.sorted { $0.distance < $1.distance }.prefix(limit).sorted { $0.along < $1.along }
    }

    private func nearest(to point: TangentPlane.Point, onSegment index: Int) -> (along: Double, distance: Double) {
        let (foot, part) = point.foot(from: vertices[index], to: vertices[index + 1])
        let along = alongMeters[index] + part * (alongMeters[index + 1] - alongMeters[index])
        return (along, foot.distanceMeters(to: point))
    }

    /// Returns the line up to `meters` from its start.
    func prefix(_ meters: Double, of points: [Coordinate]) -> [Coordinate] {
        guard let next = alongMeters.firstIndex(where: { $0 >= meters }), next > 0 else { return points }
        let length = alongMeters[next] - alongMeters[next - 1]
        let part = length > 0 ? (meters - alongMeters[next - 1]) / length : 1
        let (start, end) = (vertices[next - 1], vertices[next])
        let cut = TangentPlane.Point(
            east: start.east + part * (end.east - start.east), north: start.north + part * (end.north - start.north))
        return points.prefix(next) + [plane.coordinate(of: cut)]
    }
}

extension TangentPlane.Point {
    /// Returns the nearest point on the segment between two points, and its position on the segment, 0 to 1.
    func foot(from start: Self, to end: Self) -> (point: Self, part: Double) {
        let (east, north) = (end.east - start.east, end.north - start.north)
        let squared = east * east + north * north
        let share = squared > 0 ? ((self.east - start.east) * east + (self.north - start.north) * north) / squared : 0
        let part = max(0, min(1, share))
        return (Self(east: start.east + part * east, north: start.north + part * north), part)
    }
}
