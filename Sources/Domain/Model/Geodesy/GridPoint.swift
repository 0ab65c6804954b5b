/// A coordinate in ten-millionths of a degree (1.1 cm of latitude).
///
/// A grid point uses 8 bytes, a ``Coordinate`` 16.
package struct GridPoint: Sendable, Hashable, BitwiseCopyable {
    package var latitude: Int32 = 0
    package var longitude: Int32 = 0

    package init() {}

    /// Creates the nearest grid point; (0, 0) for coordinates that are not a number or far out of range.
    @inline(__always) package init(_ coordinate: Coordinate) {
        let north = (coordinate.latitude * 1e7).halfAwayFromZero
        let east = (coordinate.longitude * 1e7).halfAwayFromZero
        guard abs(north) <= 2.1e9, abs(east) <= 2.1e9 else { return }
        latitude = Int32(north)
        longitude = Int32(east)
    }

    @inline(__always) package var coordinate: Coordinate {
        Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    }
}

extension Double {
    /// This number plus 0.5 away from zero; conversion to an integer then rounds to nearest.
    ///
    /// `rounded()` calls the C library on older processors.
    @inline(__always) package var halfAwayFromZero: Double { self + Double(signOf: self, magnitudeOf: 0.5) }
}
