/// Road cells of a route in order, the keys of learned road speeds.
///
/// A cell is a square of about 200 m with one of eight directions and one kind of trip, as buses stop where cars do
/// not.
package struct RouteCells: Sendable {
    /// The part of the route in one cell, up to the start of the next section.
    struct Section: Sendable {
        var startMeters: Double
        var key: UInt64
    }

    /// Degrees of latitude per cell (222 m); longitudes are scaled so that cells are about square.
    private static let cellDegrees = 0.002
    /// Sampling distance along the route, in metres.
    private static let stepMeters = 25.0

    let sections: ContiguousArray<Section>
    let lengthMeters: Double

    package init(geometry: RouteGeometry, kind: TripMessage.Kind) {
        var sections: ContiguousArray<Section> = []
        lengthMeters = geometry.lengthMeters
        for index in 0..<geometry.segmentCount {
            let start = geometry.vertices[index]
            let end = geometry.vertices[index + 1]
            let length = end.alongMeters - start.alongMeters
            let octant = Self.octant(from: start, to: end)
            var part = 0.0
            while part < length {
                let middle = min(length, part + Self.stepMeters) / 2 + part / 2
                let share = length > 0 ? middle / length : 0
                let longitude = start.equatorMeters + share * (end.equatorMeters - start.equatorMeters)
                let latitude = start.meridianMeters + share * (end.meridianMeters - start.meridianMeters)
                let key = Self.key(
                    latitude: latitude / Geodesy.metersPerDegree, longitude: longitude / Geodesy.metersPerDegree,
                    octant: octant, kind: kind)
                if sections.last?.key != key {
                    sections.append(Section(startMeters: start.alongMeters + part, key: key))
                }
                part += Self.stepMeters
            }
        }
        self.sections = sections
    }

    /// Calls `body` with each cell between two positions of the route, and the metres of the route in it.
    func forEach(from start: Double, to end: Double, _ body: (_ key: UInt64, _ meters: Double) -> Void) {
        var low = 0
        var high = sections.count
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].startMeters <= start { low = middle + 1 } else { high = middle }
        }
        var index = max(0, low - 1)
        while index < sections.count, sections[index].startMeters < end {
            let stop = index + 1 < sections.count ? sections[index + 1].startMeters : lengthMeters
            let meters = min(end, stop) - max(start, sections[index].startMeters)
            if meters > 0 { body(sections[index].key, meters) }
            index += 1
        }
    }

    /// Returns the direction of a segment, as one of eight.
    private static func octant(from start: RouteGeometry.Vertex, to end: RouteGeometry.Vertex) -> UInt64 {
        let latitude = (start.meridianMeters + end.meridianMeters) / 2 / Geodesy.metersPerDegree
        let east = (end.equatorMeters - start.equatorMeters) * eastScale(latitude)
        let north = end.meridianMeters - start.meridianMeters
        // tan 22.5°; a component is ignored if it is smaller than this share of the other component.
        let limit = 0.41421356
        let eastward = abs(east) < limit * abs(north) ? 1 : (east > 0 ? 2 : 0)
        let northward = abs(north) < limit * abs(east) ? 1 : (north > 0 ? 2 : 0)
        return UInt64(eastward * 3 + northward)
    }

    private static func key(latitude: Double, longitude: Double, octant: UInt64, kind: TripMessage.Kind) -> UInt64 {
        let row = (latitude / cellDegrees).rounded(.down)
        // One scale per row of cells, so that bounds do not depend on the position within the cell.
        let columnDegrees = cellDegrees / eastScale((row + 0.5) * cellDegrees)
        let column = (Geodesy.normalizedLongitude(longitude) / columnDegrees).rounded(.down)
        return UInt64(UInt32(bitPattern: Int32(row))) << 32 | columnBits(Int32(column)) | octant << 4
            | UInt64(kind.rawValue)
    }

    /// Returns the column in 24 bits, because the 32 bits of a negative column would overlap the row.
    private static func columnBits(_ column: Int32) -> UInt64 { UInt64(UInt32(bitPattern: column) & 0xff_ffff) << 8 }

    /// Returns whether `key` is a road cell's; also `true` for one in 50,000 hashes of legs, classes or bins.
    static func isCell(_ key: UInt64) -> Bool {
        // 90 degrees are 45,000 rows.
        (-45_000...45_000).contains(Int32(truncatingIfNeeded: key >> 32))
    }

    /// Returns the cosine of the latitude by its series, exact to 1e-4 and identical on every machine.
    private static func eastScale(_ latitude: Double) -> Double {
        let angle = latitude * .pi / 180
        let squared = angle * angle
        let cosine = 1 - squared / 2 * (1 - squared / 12 * (1 - squared / 30 * (1 - squared / 56)))
        return max(0.01, cosine)
    }
}
