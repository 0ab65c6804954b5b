import Support

/// Limit on the standing time that counts towards a road's speed: traffic lights count, driver breaks do not.
///
/// Seconds at walking speed (1.5 s per metre) always count; further seconds use a budget of ``limitSeconds``.
struct StandingBudget: Sendable, Equatable {
    /// Maximum counted seconds beyond the seconds at walking speed.
    static let limitSeconds: Float = 60
    private static let walkingSecondsPerMeter = 1.5

    /// Used seconds, from 0 to ``limitSeconds``; driving faster than walking reduces them.
    var seconds: Float = 0

    /// Adds a movement and returns the part of `seconds` that counts.
    mutating func add(meters: Double, seconds: Double) -> Double {
        let walking = meters * Self.walkingSecondsPerMeter
        let excess = seconds - walking
        let available = Double(max(0, Self.limitSeconds - self.seconds))
        self.seconds = Float(max(0, min(Double(Self.limitSeconds), Double(self.seconds) + excess)))
        return excess > available ? walking + available : seconds
    }
}

package struct DrivenStretch: Sendable, Equatable {
    package var fromMeters: Double
    package var toMeters: Double
    package var seconds: Double
    /// The part of ``seconds`` that counts towards the road's speed; see ``StandingBudget``.
    package var countedSeconds: Double
    /// Planned seconds, including the dwell at stops on the stretch.
    package var plannedSeconds = 0.0
    package var at: Timestamp
}
