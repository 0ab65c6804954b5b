import Support

/// State of ``RouteMatcher`` between fixes: position on the route and an unconfirmed candidate.
package struct RouteMatch: Sendable, Equatable {
    /// Metres from the start of the route; `nil` before the first match.
    package var alongMeters: Double?
    /// Time of the last matched fix.
    package var matchedAt = Timestamp(milliseconds: 0)
    /// Distance of the last fix from the route, in metres; `nil` before the first fix.
    package var distanceMeters: Double?
    /// Whether the trip is off route; see ``MatchingSettings/offRouteFixes``.
    package var isOffRoute = false
    /// Consecutive fixes off the route.
    package var offRouteFixes: UInt8 = 0
    /// Consecutive backward fixes; see ``MatchingSettings/backwardFixes``.
    package var backwardFixes: UInt8 = 0
    /// An unconfirmed position elsewhere on the route.
    package var candidateMeters: Double?
    package var candidateAt = Timestamp(milliseconds: 0)
    package var candidateFixes: UInt8 = 0
}
