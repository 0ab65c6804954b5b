/// Polyline of a route with the distance along it at each vertex, divided into blocks that a search can skip.
///
/// Vertices are metres on the equator (longitude, unwrapped across the date line) and meridian (latitude). A query
/// scales longitudes by the cosine of its own latitude, so that long routes are not distorted.
package struct RouteGeometry: Sendable {
    struct Vertex: Sendable {
        var equatorMeters: Double
        var meridianMeters: Double
        /// Distance from the start of the route.
        var alongMeters: Double
    }

    /// Bounds of consecutive segments, in the units of ``Vertex``.
    struct Block: Sendable {
        var west: Double
        var east: Double
        var south: Double
        var north: Double
    }

    /// Segments per block.
    static let blockSize = 32

    let vertices: ContiguousArray<Vertex>
    let blocks: ContiguousArray<Block>
    /// Length of the route in metres, above 0.
    package let lengthMeters: Double

    /// Creates the geometry; `nil` if the points do not form a line of positive length.
    package init?(points: [Coordinate]) {
        var vertices: ContiguousArray<Vertex> = []
        vertices.reserveCapacity(points.count)
        var last: Coordinate?
        var longitude = 0.0
        var along = 0.0
        for point in points where point != last {
            if let last {
                along += Geodesy.distanceMeters(from: last, to: point)
                longitude += Geodesy.normalizedLongitude(point.longitude - last.longitude)
            } else {
                longitude = point.longitude
            }
            last = point
            vertices.append(
                Vertex(
                    equatorMeters: longitude * Geodesy.metersPerDegree,
                    meridianMeters: point.latitude * Geodesy.metersPerDegree, alongMeters: along))
        }
        guard vertices.count > 1, along > 0 else { return nil }
        self.vertices = vertices
        lengthMeters = along
        blocks = Self.blocks(of: vertices)
    }

    var segmentCount: Int { vertices.count - 1 }

    /// Returns the index of the segment at `alongMeters` from the start.
    func segment(at alongMeters: Double) -> Int {
        var low = 0
        var high = segmentCount - 1
        while low < high {
            let middle = (low + high + 1) / 2
            if vertices[middle].alongMeters <= alongMeters { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// Returns the coordinate at `alongMeters` from the start.
    func coordinate(at alongMeters: Double) -> Coordinate {
        let index = segment(at: alongMeters)
        let (start, end) = (vertices[index], vertices[index + 1])
        let length = end.alongMeters - start.alongMeters
        let part = length > 0 ? max(0, min(1, (alongMeters - start.alongMeters) / length)) : 0
        let longitude = start.equatorMeters + part * (end.equatorMeters - start.equatorMeters)
        let latitude = start.meridianMeters + part * (end.meridianMeters - start.meridianMeters)
        return Coordinate(
            latitude: latitude / Geodesy.metersPerDegree,
            longitude: Geodesy.normalizedLongitude(longitude / Geodesy.metersPerDegree))
    }

    private static func blocks(of vertices: ContiguousArray<Vertex>) -> ContiguousArray<Block> {
        var blocks: ContiguousArray<Block> = []
        var start = 0
        while start < vertices.count - 1 {
            let end = min(start + blockSize, vertices.count - 1)
            var block = Block(west: .infinity, east: -.infinity, south: .infinity, north: -.infinity)
            for vertex in vertices[start...end] {
                block.west = min(block.west, vertex.equatorMeters)
                block.east = max(block.east, vertex.equatorMeters)
                block.south = min(block.south, vertex.meridianMeters)
                block.north = max(block.north, vertex.meridianMeters)
            }
            blocks.append(block)
            start = end
        }
        return blocks
    }
}
