/// A position on the WGS84 ellipsoid, in degrees: latitude in [-90, 90], longitude in [-180, 180].
package struct Coordinate: Hashable, Sendable, BitwiseCopyable {
    package var latitude: Double
    package var longitude: Double

    @inline(__always) package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
