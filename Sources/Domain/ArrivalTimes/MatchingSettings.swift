/// Settings of ``RouteMatcher``.
package struct MatchingSettings: Sendable, Equatable {
    /// Distance from the route, in metres, above which a fix is off route; as in TheTransitClock's `AvlConfig`.
    package var offRouteMeters = 60.0
    /// Consecutive fixes off the route that make the trip off route; fewer fixes are outliers or a wide junction.
    package var offRouteFixes = 3
    /// Distance, in metres, up to which backward movement is noise or manoeuvring and does not reduce progress.
    package var backingMeters = 50.0
    /// Speed below which the vehicle stands, in m/s; its progress is then a mean of noisy matches.
    package var standingSpeedMetersPerSecond = 0.5
    /// Time constant of the mean for a standing vehicle, in seconds.
    package var standingSeconds = 10.0
    /// Consecutive backward fixes after which the match is moved back.
    package var backwardFixes = 3
    /// Search window behind the last match, in metres.
    package var windowBehindMeters = 150.0
    /// Minimum search window ahead, in metres.
    package var windowAheadMeters = 200.0
    /// Maximum vehicle speed, in m/s (144 km/h); limits the search after a gap, and how early an ETA can be.
    package var maximumSpeedMetersPerSecond = 40.0
    /// Minimum speed for using the heading, in m/s; slower headings are unreliable (same limit in TheTransitClock).
    package var headingSpeedMetersPerSecond = 1.5
    /// Cost of a segment in the opposite direction, in metres.
    package var oppositeHeadingMeters = 80.0
    /// Cost, in metres, per metre of distance from the expected position.
    package var continuityCost = 0.05
    /// Maximum cost of the distance from the expected position, in metres.
    package var continuityLimitMeters = 40.0
    /// Additional cost, in metres, of a match behind the last match, or on a pass in the opposite direction.
    package var behindCostMeters = 30.0
    /// Consecutive fixes needed to confirm a match far from the expected position.
    package var relocationFixes = 2

    package func problems() -> [String] {
        settingProblems(
            of: self,
            .above(0, \.offRouteMeters, \.standingSeconds, \.windowAheadMeters, \.maximumSpeedMetersPerSecond),
            .atLeast(
                0, \.backingMeters, \.standingSpeedMetersPerSecond, \.continuityCost, \.continuityLimitMeters,
                \.oppositeHeadingMeters, \.behindCostMeters),
            .within(1...250, \.offRouteFixes, \.backwardFixes, \.relocationFixes),
            .that(backingMeters < windowBehindMeters, "backingMeters must be below windowBehindMeters."))
    }
}
