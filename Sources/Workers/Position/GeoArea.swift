import Model

/// A geohash cell of four characters, about 39 km × 20 km at the equator: the unit of the nearest-driver sets.
///
/// A query for drivers within some kilometres reads the cell of its centre and the neighbours that its circle touches.
package struct GeoArea: Hashable, Sendable {
    /// The four characters, first in the lowest byte; 0 for none.
    package private(set) var code: UInt32

    /// No area: unknown, or so near a pole that Redis' geo sets cannot hold it.
    package static let none = GeoArea(code: 0)

    /// Beyond this latitude Redis' geo sets take no position (the bound of Web Mercator, EPSG:3857).
    package static let maximumLatitude = 85.051_128_78

    /// Cells around the Earth, and from pole to pole.
    static let gridSide = 1024

    private static let alphabet: StaticString = "0123456789bcdefghjkmnpqrstuvwxyz"

    private init(code: UInt32) { self.code = code }

    /// The cell that `coordinate` lies in; ``none`` beyond ±85.05° of latitude.
    package init(_ coordinate: Coordinate) {
        guard abs(coordinate.latitude) <= Self.maximumLatitude, abs(coordinate.longitude) <= 180 else {
            self = .none
            return
        }
        self.init(
            column: min(1023, UInt32((coordinate.longitude + 180) / 360 * 1024)),
            row: min(1023, UInt32((coordinate.latitude + 90) / 180 * 1024)))
    }

    /// The cell at a place in the grid: columns from 180° W eastwards, rows from the south pole northwards, each below
    /// ``gridSide``.
    init(column: UInt32, row: UInt32) {
        // Ten bits each, interleaved with longitude first, as geohash is defined.
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

    /// Reads the four characters; ``none`` for anything else.
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

    /// Calls `body` with the four characters; with no bytes for ``none``.
    @inline(__always)
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard code != 0 else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return withUnsafeBytes(of: code.littleEndian, body)
    }
}

extension GeoArea: CustomStringConvertible {
    package var description: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}
