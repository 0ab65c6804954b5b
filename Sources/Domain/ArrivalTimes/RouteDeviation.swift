import Support

/// A deviation from the planned route; after a warning, it ends ``ArrivalSettings/returnSeconds`` after the return.
package struct RouteDeviation: Sendable, Equatable {
    /// Time at which the trip became off route.
    package var beganAt: Timestamp
    /// Maximum distance from the route so far, in metres.
    package var greatestMeters: Double
    /// Whether the deviation has lasted long enough for a warning.
    package var isWarned = false
    /// Time of the return to the route; `nil` while off route.
    package var backSince: Timestamp?
}

extension ArrivalEstimator {
    /// Updates the trip's deviation with the match of the position at `time`; an unconfirmed match changes nothing.
    func updateDeviation(_ progress: inout TripProgress, at time: Timestamp) {
        if progress.match.isOffRoute {
            var deviation = progress.deviation ?? RouteDeviation(beganAt: time, greatestMeters: 0)
            if let distance = progress.match.distanceMeters, distance.isFinite {
                deviation.greatestMeters = max(deviation.greatestMeters, distance)
            }
            deviation.backSince = nil
            if time.seconds(since: deviation.beganAt) >= settings.deviationSeconds { deviation.isWarned = true }
            progress.deviation = deviation
        } else if var deviation = progress.deviation, progress.match.alongMeters != nil,
            progress.match.matchedAt == time
        {
            let since = deviation.backSince ?? time
            deviation.backSince = since
            let isOver = !deviation.isWarned || time.seconds(since: since) >= settings.returnSeconds
            progress.deviation = isOver ? nil : deviation
        }
    }
}
