import Model

/// A driver near a place, as Redis has them.
package struct NearbyDriver: Equatable, Sendable {
    package var driverID: String
    /// From the place, rounded to 0.1 m.
    package var meters: Double
    package var coordinate: Coordinate
    /// Degrees clockwise from north; `nil` where it is not known.
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double?
    package var accuracyMeters: Double?
    /// When the position was taken, in milliseconds since 1970.
    package var fixedAtMilliseconds: Int64
    package var tripID: String?
    package var isHalted: Bool
    /// 0 to 1; `nil` where an earlier version wrote the driver.
    package var risk: Double?
    package var isFlagged: Bool
    package var isSuspect: Bool
}
