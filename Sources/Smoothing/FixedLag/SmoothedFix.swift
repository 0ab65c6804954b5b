import Model

/// Where a vehicle was at one fix, by the fixes up to it and by those of the seconds after it.
package struct SmoothedFix: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Degrees clockwise from north, [0, 360); `nil` before the vehicle ever moved.
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double
    /// 68 % of the errors are below this, in metres.
    package var accuracyMeters: Double
}
