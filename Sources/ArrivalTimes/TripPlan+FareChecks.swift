import Model
import Support

extension TripPlan {
    /// What a completed ride's distances speak of; nothing where there is nothing to compare with.
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
    /// Adds a step of a ride to its two distances: as the positions have it, and as the route has it.
    ///
    /// Where one of the two ends of the step is not on the route, or they are farther apart on it than a vehicle can drive,
    /// there is nothing to snap to, and both distances grow alike: leaving the route is not inflation.
    ///
    /// - Parameters:
    ///   - meters: from position to position.
    ///   - progress: with the match after the step.
    ///   - before: the match before the step.
    ///   - start: when the step began.
    ///   - end: when it ended.
    ///   - counted: the part of the step that lies within the ride's time.
    func addDistance(
        _ meters: Double, to progress: inout TripProgress, from before: RouteMatch, between start: Timestamp,
        and end: Timestamp, counted: Double
    ) {
        progress.drivenMeters += counted * meters
        guard let from = before.alongMeters, let to = progress.match.alongMeters, before.matchedAt == start,
            progress.match.matchedAt == end,
            // Driving back is believed after several fixes, and then at once.
            (to < from && before.backwardFixes > 0)
                || abs(to - from) <= settings.matching.maximumSpeedMetersPerSecond * end.seconds(since: start)
        else {
            progress.snappedMeters += counted * meters
            return
        }
        progress.snappedMeters += counted * abs(to - from)
    }
}
