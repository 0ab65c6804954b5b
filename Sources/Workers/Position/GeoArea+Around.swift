import Glibc
import Model

extension GeoArea {
    /// Degrees around a circle that are looked at as well: Redis keeps positions to 0.6 m.
    private static let margin = 1e-5

    /// The cells that hold every driver within `radiusMeters` of `center`, also across a border of cells, the date line
    /// or beside a pole.
    ///
    /// In rows from south to north; each cell once. Empty where the circle lies beyond ±85.05° of latitude, where no
    /// cell has drivers.
    package static func around(_ center: Coordinate, radiusMeters: Double) -> [GeoArea] {
        let reach = radiusMeters / Geodesy.metersPerDegree + margin
        let south = max(-maximumLatitude, center.latitude - reach)
        let north = min(maximumLatitude, center.latitude + reach)
        guard south <= north else { return [] }
        let columns = columns(around: center, reach: reach)
        return (row(of: south)...row(of: north)).flatMap { row in
            columns.map { GeoArea(column: UInt32($0), row: UInt32(row)) }
        }
    }

    private static func row(of latitude: Double) -> Int { min(gridSide - 1, Int((latitude + 90) / 180 * 1024)) }

    /// The columns between the meridians that a circle touches, from west to east.
    private static func columns(around center: Coordinate, reach: Double) -> [Int] {
        // Around a pole a circle touches every meridian.
        guard abs(center.latitude) + reach < 90 else { return Array(0..<gridSide) }
        let sine = sin(reach * .pi / 180) / cos(center.latitude * .pi / 180)
        let width = asin(min(1, sine)) * 180 / .pi + margin
        let west = Int(((center.longitude - width + 180) / 360 * Double(gridSide)).rounded(.down))
        let east = Int(((center.longitude + width + 180) / 360 * Double(gridSide)).rounded(.down))
        guard east - west < gridSide - 1 else { return Array(0..<gridSide) }
        return (west...east).map { ($0 % gridSide + gridSide) % gridSide }
    }
}
