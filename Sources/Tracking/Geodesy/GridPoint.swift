/// A coordinate in ten-millionths of a degree (1.1 cm of latitude): what a driver's state keeps of points that need
/// no more, in half the bytes.
package struct GridPoint: Sendable, Hashable, BitwiseCopyable {
    package var latitude: Int32 = 0
    package var longitude: Int32 = 0

    package init() {}

    /// The grid point nearest to a coordinate.
    ///
    /// - Precondition: the coordinate is finite and in range.
    @inline(__always)
    package init(_ coordinate: Coordinate) {
        latitude = Int32((coordinate.latitude * 1e7).rounded())
        longitude = Int32((coordinate.longitude * 1e7).rounded())
    }

    @inline(__always)
    package var coordinate: Coordinate {
        Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)
    }
}
