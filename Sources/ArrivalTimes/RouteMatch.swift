import Model
import Support

/// Where a vehicle is on its route, and what is open about it: the state that ``RouteMatcher`` carries from fix to fix.
package struct RouteMatch: Sendable, Equatable {
    /// Metres from the start of the route; `nil` before the first match.
    package var alongMeters: Double?
    /// When the vehicle was there: the time of the fix that was matched last.
    package var matchedAt = Timestamp(milliseconds: 0)
    /// Distance of the last fix from the route; `nil` before the first fix.
    package var distanceMeters: Double?
    /// Off the route for several fixes; see ``MatchingSettings/offRouteFixes``.
    package var isOffRoute = false
    /// Fixes in a row that were too far from the route.
    package var offRouteFixes: UInt8 = 0
    /// Fixes in a row that were farther back than manoeuvring explains.
    package var backwardFixes: UInt8 = 0
    /// A place elsewhere on the route that the last fixes point at, not yet believed.
    package var candidateMeters: Double?
    package var candidateAt = Timestamp(milliseconds: 0)
    package var candidateFixes: UInt8 = 0
}

/// One smoothed position, as the matching needs it.
package struct MatchFix: Sendable {
    package var coordinate: Coordinate
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double
    package var at: Timestamp
}
