/// Position and motion of a vehicle as the Kalman filter estimates them after a fix.
package struct Estimate: Sendable {
    package var coordinate: Coordinate
    /// Clockwise from north, [0, 360); while halted, that of the last motion; `nil` before the vehicle first moves.
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double
    /// One standard deviation: the radius that holds 68 % of true positions.
    package var accuracyMeters: Double
    package var confidence: Confidence
    /// Whether the filter treats the vehicle as standing.
    package var isHalted: Bool

    package init(
        coordinate: Coordinate, headingDegrees: Double?, speedMetersPerSecond: Double, accuracyMeters: Double,
        confidence: Confidence, isHalted: Bool
    ) {
        (self.coordinate, self.headingDegrees) = (coordinate, headingDegrees)
        (self.speedMetersPerSecond, self.accuracyMeters) = (speedMetersPerSecond, accuracyMeters)
        (self.confidence, self.isHalted) = (confidence, isHalted)
    }
}

/// Reliability of an estimate, as shown to riders and dispatchers.
package enum Confidence: UInt8, Sendable, CaseIterable {
    case low, medium, high

    package var code: StaticString {
        switch self {
        case .low: "LOW"
        case .medium: "MEDIUM"
        case .high: "HIGH"
        }
    }
}
