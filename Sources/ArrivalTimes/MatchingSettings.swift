/// How a position is matched to the trip's route.
package struct MatchingSettings: Sendable, Equatable {
    /// Farther from the route than this, in metres, a fix is off it (exactly this far is on it).
    ///
    /// The map-matching
    /// distance of a transit prediction system in daily use (TTC `AvlConfig`, 60 m).
    package var offRouteMeters = 60.0
    /// So many fixes in a row make the trip off route; fewer are a bad fix or a wide junction.
    package var offRouteFixes = 3
    /// Falling back by up to this many metres is noise or manoeuvring: progress waits there.
    package var backingMeters = 50.0
    /// Slower than this, in m/s, the vehicle stands, and where it is does not depend on the order of noisy matches.
    package var standingSpeedMetersPerSecond = 0.5
    /// Progress of a standing vehicle approaches its matches within about this many seconds.
    package var standingSeconds = 10.0
    /// So many fixes in a row farther back mean that the vehicle did turn round, or was matched too far on.
    package var backwardFixes = 3
    /// How far behind the last match the next one is searched first, in metres.
    package var windowBehindMeters = 150.0
    /// How far ahead at least, in metres.
    package var windowAheadMeters = 200.0
    /// Fastest plausible vehicle, in m/s: bounds the search after a gap, and every ETA from below (144 km/h).
    package var maximumSpeedMetersPerSecond = 40.0
    /// Heading counts only above this speed, in m/s: below it receivers make it up (TTC: invalid under 1.5 m/s).
    package var headingSpeedMetersPerSecond = 1.5
    /// A stretch of route that runs the opposite way counts as this many metres farther away.
    package var oppositeHeadingMeters = 80.0
    /// Metres of cost per metre away from where the vehicle is expected to be.
    package var continuityCost = 0.05
    /// Most that ``continuityCost`` can add, in metres.
    package var continuityLimitMeters = 40.0
    /// How many metres more a match far behind costs than one ahead when the whole route is searched.
    package var behindCostMeters = 30.0
    /// A match far from the expected place is believed when this many fixes in a row agree with it.
    package var relocationFixes = 2

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        var problems: [String] = []
        if offRouteMeters <= 0 { problems.append("The off-route distance must be above 0 m.") }
        if offRouteFixes < 1 || backwardFixes < 1 || relocationFixes < 1 {
            problems.append("Off-route, backward and relocation decisions need at least 1 fix.")
        }
        if offRouteFixes > 250 || backwardFixes > 250 || relocationFixes > 250 {
            problems.append("Off-route, backward and relocation decisions take at most 250 fixes.")
        }
        if backingMeters < 0 || backingMeters >= windowBehindMeters {
            problems.append("The backing tolerance must be at least 0 m and below the window searched behind.")
        }
        if standingSpeedMetersPerSecond < 0 || standingSeconds <= 0 {
            problems.append("A vehicle stands below at least 0 m/s, and its place settles in a time above 0 s.")
        }
        if windowAheadMeters <= 0 || maximumSpeedMetersPerSecond <= 0 {
            problems.append("The window ahead and the maximum speed must be above 0.")
        }
        if continuityCost < 0 || continuityLimitMeters < 0 || oppositeHeadingMeters < 0 || behindCostMeters < 0 {
            problems.append("Matching costs must not be negative.")
        }
        return problems
    }
}
