import Model

/// Where riders are shown the vehicle, when the trip's route moves it from where it was measured.
package struct ShownPosition: Sendable, Equatable {
    package var coordinate: Coordinate
    /// The radius that holds 68 % of true positions.
    package var accuracyMeters: Double
}
