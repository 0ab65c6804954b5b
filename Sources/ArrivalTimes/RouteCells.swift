import Model

/// The road cells that a route runs through, in order: what learned paces are looked up by.
///
/// A cell is a piece of road about 200 m across, driven in one of eight directions, by one kind of vehicle: buses stop
/// where cars pass.
package struct RouteCells: Sendable {
    struct Run: Sendable {
        var startMeters: Double
        var key: UInt64
    }

    /// Degrees of latitude per cell (222 m); longitudes are taken so that cells are about square.
    private static let cellDegrees = 0.002
    /// A route is sampled this often, in metres: often enough not to jump over a cell's corner that matters.
    private static let stepMeters = 25.0

    let runs: ContiguousArray<Run>
    let lengthMeters: Double

    package init(geometry: RouteGeometry, kind: TripMessage.Kind) {
        var runs: ContiguousArray<Run> = []
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
                if runs.last?.key != key { runs.append(Run(startMeters: start.alongMeters + part, key: key)) }
                part += Self.stepMeters
            }
        }
        self.runs = runs
    }

    /// Calls `body` with each cell between two lengths of the route and the metres of it that lie in it.
    func forEach(from start: Double, to end: Double, _ body: (_ key: UInt64, _ meters: Double) -> Void) {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].startMeters <= start { low = middle + 1 } else { high = middle }
        }
        var index = max(0, low - 1)
        while index < runs.count, runs[index].startMeters < end {
            let stop = index + 1 < runs.count ? runs[index + 1].startMeters : lengthMeters
            let meters = min(end, stop) - max(start, runs[index].startMeters)
            if meters > 0 { body(runs[index].key, meters) }
            index += 1
        }
    }

    /// The eighth of the compass that a segment points to, from the longer and the shorter of its sides.
    private static func octant(from start: RouteGeometry.Vertex, to end: RouteGeometry.Vertex) -> UInt64 {
        let latitude = (start.meridianMeters + end.meridianMeters) / 2 / Geodesy.metersPerDegree
        let east = (end.equatorMeters - start.equatorMeters) * eastScale(latitude)
        let north = end.meridianMeters - start.meridianMeters
        // tan 22.5°: a side shorter than this share of the other does not count.
        let limit = 0.41421356
        let eastward = abs(east) < limit * abs(north) ? 1 : (east > 0 ? 2 : 0)
        let northward = abs(north) < limit * abs(east) ? 1 : (north > 0 ? 2 : 0)
        return UInt64(eastward * 3 + northward)
    }

    private static func key(latitude: Double, longitude: Double, octant: UInt64, kind: TripMessage.Kind) -> UInt64 {
        let row = (latitude / cellDegrees).rounded(.down)
        // One scale per row of cells, so that a cell's bounds do not depend on where in it the route runs.
        let columnDegrees = cellDegrees / eastScale((row + 0.5) * cellDegrees)
        let column = (Geodesy.normalizedLongitude(longitude) / columnDegrees).rounded(.down)
        return UInt64(UInt32(bitPattern: Int32(row))) << 32 | columnBits(Int32(column)) | octant << 4
            | UInt64(kind.rawValue)
    }

    /// The column in 24 bits of its own: with all 32, a negative one's leading ones would cover the row's last eight.
    private static func columnBits(_ column: Int32) -> UInt64 { UInt64(UInt32(bitPattern: column) & 0xff_ffff) << 8 }

    /// Whether `key` names a road cell, and not a leg or a count of arrivals.
    ///
    /// Those have hashes for keys, of which one in 50,000 has the form of a cell.
    static func isCell(_ key: UInt64) -> Bool {
        // 90 degrees are 45,000 rows.
        (-45_000...45_000).contains(Int32(truncatingIfNeeded: key >> 32))
    }

    /// Whether 256 rows of a column may have shared `key` before columns had bits of their own: it has the form of a
    /// cell at a negative longitude whose row ends in ones.
    package static func mayHaveBeenShared(_ key: UInt64) -> Bool {
        // 180 degrees are 90,000 columns at most, and 90 degrees 45,000 rows.
        let column = Int32(truncatingIfNeeded: key) >> 8
        let row = Int32(truncatingIfNeeded: key >> 32)
        let (octant, kind) = (key >> 4 & 0xf, key & 0xf)
        return (-90_000..<0).contains(column) && (-45_000...45_000).contains(row) && row & 0xff == 0xff && octant <= 8
            && TripMessage.Kind(rawValue: UInt8(kind)) != nil
    }

    /// Cosine of the latitude, by its series: the same bits on every machine, and good to 1e-4 for what cells need.
    private static func eastScale(_ latitude: Double) -> Double {
        let angle = latitude * .pi / 180
        let squared = angle * angle
        let cosine = 1 - squared / 2 * (1 - squared / 12 * (1 - squared / 30 * (1 - squared / 56)))
        return max(0.01, cosine)
    }
}
