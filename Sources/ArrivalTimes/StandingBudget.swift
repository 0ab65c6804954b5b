/// How long a vehicle has been slower than walking, as far as it has not made up for that by driving since.
///
/// Lights and stops belong to a road's pace, a break does not. So a vehicle counts for as many seconds as walking takes
/// (1.5 s per metre), and for as many more as there is room, which driving gives back. What counts of a break is the
/// same, however many positions tell of it.
struct StandingBudget: Sendable, Equatable {
    /// What is counted beyond walking pace at most, in seconds.
    static let mostSeconds: Float = 60
    private static let walkingSecondsPerMeter = 1.5

    /// From 0 to ``mostSeconds``.
    var seconds: Float = 0

    /// Adds that `meters` were made in `seconds`; answers how many of those count.
    mutating func add(meters: Double, seconds: Double) -> Double {
        let walking = meters * Self.walkingSecondsPerMeter
        let excess = seconds - walking
        let room = Double(max(0, Self.mostSeconds - self.seconds))
        self.seconds = Float(max(0, min(Double(Self.mostSeconds), Double(self.seconds) + excess)))
        return excess > room ? walking + room : seconds
    }
}
