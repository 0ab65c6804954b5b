import Domain
import Glibc

/// Geohash cell of four characters, about 39 km × 20 km at the equator; each cell with drivers has a geo set.
///
/// A query reads the cell of its centre and the neighbours that its circle touches.
package struct GeoArea: Hashable, Sendable {
    /// The four characters, first in the lowest byte; 0 for none.
    package private(set) var code: UInt32

    /// No area: unknown, or beyond the latitudes that Redis geo sets accept.
    package static let none = GeoArea(code: 0)

    /// Maximum latitude of Redis geo sets, in degrees (the bound of Web Mercator, EPSG:3857).
    package static let maximumLatitude = 85.051_128_78

    /// Number of columns around the Earth, and of rows from pole to pole.
    static let gridSide = 1024

    private static let alphabet: StaticString = "0123456789bcdefghjkmnpqrstuvwxyz"

    private init(code: UInt32) { self.code = code }

    /// Returns the cell of a coordinate; ``none`` beyond ±85.05° of latitude.
    package init(_ coordinate: Coordinate) {
        guard abs(coordinate.latitude) <= Self.maximumLatitude, abs(coordinate.longitude) <= 180 else {
            self = .none
            return
        }
        self.init(
            column: min(1023, UInt32((coordinate.longitude + 180) / 360 * 1024)),
            row: min(1023, UInt32((coordinate.latitude + 90) / 180 * 1024)))
    }

    /// Returns a cell of the grid: columns from 180° W eastwards, rows from the south pole, each below ``gridSide``.
    init(column: UInt32, row: UInt32) {
        // Geohash: ten bits each, interleaved, longitude first.
        var bits: UInt32 = 0
        for bit in stride(from: UInt32(9), through: 0, by: -1) {
            bits = bits << 2 | (column >> bit & 1) << 1 | (row >> bit & 1)
        }
        code = 0
        for position in 0..<UInt32(4) {
            let digit = Int(bits >> (15 - 5 * position) & 31)
            code |= UInt32(Self.alphabet.utf8Start[digit]) << (8 * position)
        }
    }

    /// Parses four characters; ``none`` for any other number.
    package init(_ text: some Sequence<UInt8>) {
        var code: UInt32 = 0
        var count: UInt32 = 0
        for byte in text {
            guard count < 4 else {
                self = .none
                return
            }
            code |= UInt32(byte) << (8 * count)
            count += 1
        }
        self.code = count == 4 ? code : 0
    }

    /// Calls `body` with the four characters, or with an empty buffer for ``none``.
    @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard code != 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return withUnsafeBytes(of: code.littleEndian, body)
    }
}

extension GeoArea: CustomStringConvertible {
    package var description: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

// MARK: - Cells around a coordinate

extension GeoArea {
    /// Degrees added to a circle's radius, because Redis rounds positions to 0.6 m.
    private static let margin = 1e-5

    /// Returns the cells that contain every driver within `radiusMeters` of `center`.
    ///
    /// Works across cell borders, the date line and near the poles. Rows are ordered from south to
    /// north. Empty if the circle is beyond ±85.05° of latitude, where no cell has drivers.
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

    /// Returns the columns that a circle touches, from west to east.
    private static func columns(around center: Coordinate, reach: Double) -> [Int] {
        // A circle around a pole touches every meridian.
        guard abs(center.latitude) + reach < 90 else { return Array(0..<gridSide) }
        let sine = sin(reach * .pi / 180) / cos(center.latitude * .pi / 180)
        let width = asin(min(1, sine)) * 180 / .pi + margin
        let west = Int(((center.longitude - width + 180) / 360 * Double(gridSide)).rounded(.down))
        let east = Int(((center.longitude + width + 180) / 360 * Double(gridSide)).rounded(.down))
        guard east - west < gridSide - 1 else { return Array(0..<gridSide) }
        return (west...east).map { ($0 % gridSide + gridSide) % gridSide }
    }
}

/// Score of a position in a Redis geo set, as `GEOADD` computes it.
///
/// One `ZADD` with precomputed scores for all drivers of an area costs Redis half as much as a `GEOADD` per driver.
enum GeoScore {
    /// Returns a 52-bit geohash over ±180° of longitude and ±85.05112878° of latitude; even bits are the latitude.
    ///
    /// `coordinate` must be within these bounds: its ``GeoArea`` is not `none`.
    static func score(of coordinate: Coordinate) -> Int64 {
        let limit = GeoArea.maximumLatitude
        let row = scaled((coordinate.latitude + limit) / (2 * limit))
        let column = scaled((coordinate.longitude + 180) / 360)
        return Int64(spread(row) | spread(column) << 1)
    }

    private static func scaled(_ fraction: Double) -> UInt64 {
        UInt64(max(0, min(67_108_863, fraction * 67_108_864)))
    }

    /// Puts a zero bit before each of the lower 32 bits (Sean Anderson, "Interleave bits by Binary Magic Numbers").
    private static func spread(_ value: UInt64) -> UInt64 {
        var bits = value
        bits = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF
        bits = (bits | bits << 8) & 0x00FF_00FF_00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333_3333_3333
        return (bits | bits << 1) & 0x5555_5555_5555_5555
    }
}
