import Support

extension TripPlan {
    /// Checks the distances of a completed ride; empty for other trips, and without planned distance and route.
    func fareChecks(of progress: TripProgress, settings: ArrivalSettings) -> FareChecks {
        var checks: FareChecks = []
        guard kind == .ride, progress.state == .completed else { return checks }
        let driven = progress.drivenMeters
        if let planned = plannedMeters, driven > settings.longRouteRatio * planned,
            driven - planned > settings.longRouteMeters
        {
            checks.insert(.longRoute)
        }
        if geometry != nil, driven > settings.inflationRatio * progress.snappedMeters,
            driven - progress.snappedMeters > settings.inflationMeters
        {
            checks.insert(.distanceInflation)
        }
        return checks
    }
}

extension ArrivalEstimator {
    /// Adds the share `counted` of a step of `meters` to driven and route distance.
    ///
    /// An unmatched step adds equally to both distances, so that leaving the route does not count as inflation.
    func addDistance(
        _ meters: Double, to progress: inout TripProgress, from before: RouteMatch, between start: Timestamp,
        and end: Timestamp, counted: Double
    ) {
        progress.drivenMeters += counted * meters
        guard let from = before.alongMeters, let to = progress.match.alongMeters, before.matchedAt == start,
            progress.match.matchedAt == end,
            // A backward movement of several fixes is applied at once, when it is confirmed.
            (to < from && before.backwardFixes > 0)
                || abs(to - from) <= settings.matching.maximumSpeedMetersPerSecond * end.seconds(since: start)
        else {
            progress.snappedMeters += counted * meters
            return
        }
        progress.snappedMeters += counted * abs(to - from)
    }
}
