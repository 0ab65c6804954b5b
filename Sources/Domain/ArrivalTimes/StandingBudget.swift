import Support

/// Caps the standing time that counts towards a road's speed: traffic lights count, driver breaks do not.
///
/// Time at walking speed (1.5 s per metre) always counts; a budget of ``limitSeconds`` for more is refilled by driving.
struct StandingBudget: Sendable, Equatable {
    /// Maximum counted seconds beyond walking speed.
    static let limitSeconds: Float = 60
    private static let walkingSecondsPerMeter = 1.5

    /// Used seconds, from 0 to ``limitSeconds``.
    var seconds: Float = 0

    /// Adds a movement and returns the part of `seconds` that counts.
    mutating func add(meters: Double, seconds: Double) -> Double {
        let walking = meters * Self.walkingSecondsPerMeter
        let excess = seconds - walking
        let room = Double(max(0, Self.limitSeconds - self.seconds))
        self.seconds = Float(max(0, min(Double(Self.limitSeconds), Double(self.seconds) + excess)))
        return excess > room ? walking + room : seconds
    }
}

/// A driven part of a route and its duration.
package struct DrivenStretch: Sendable, Equatable {
    package var fromMeters: Double
    package var toMeters: Double
    package var seconds: Double
    /// The part of ``seconds`` that counts towards the road's speed; see ``StandingBudget``.
    package var countedSeconds: Double
    /// Planned seconds, including the stops on it.
    package var plannedSeconds = 0.0
    package var at: Timestamp
}
