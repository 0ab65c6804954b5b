/// Position and motion of a vehicle as the Kalman filter estimates them after a fix.
package struct Estimate: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Degrees clockwise from north, [0, 360); below 1 m/s the last heading, `nil` if the speed was never higher.
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double
    /// Radius of the circle that contains the true position with a probability of 68 %.
    package var accuracyMeters: Double
    package var confidence: Confidence
    /// Whether the filter treats the vehicle as standing.
    package var isHalted: Bool

    /// Placeholder for decoders, which overwrite it.
    package static let blank = Estimate(
        coordinate: Coordinate(latitude: 0, longitude: 0), speedMetersPerSecond: 0, accuracyMeters: 0, confidence: .low,
        isHalted: false)
}

/// Reliability of an estimate, as shown to riders and dispatchers.
package enum Confidence: UInt8, Sendable, CaseIterable {
    case low, medium, high
    package static let codes: [StaticString] = ["LOW", "MEDIUM", "HIGH"]
    package var code: StaticString { Self.codes[Int(rawValue)] }
}
