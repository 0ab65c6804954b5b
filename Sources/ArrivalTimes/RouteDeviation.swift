import Support

/// A departure from the planned route, from when the trip became off route until the vehicle has been back for a while.
package struct RouteDeviation: Sendable, Equatable {
    /// When the trip became off route.
    package var beganAt: Timestamp
    /// The greatest distance from the route so far, in metres.
    package var greatestMeters: Double
    /// Whether it has lasted long enough to be warned of, and the warning was made.
    package var isTold = false
    /// Since when the vehicle has been on the route again; `nil` while it is off it.
    package var backSince: Timestamp?

    package init(beganAt: Timestamp, greatestMeters: Double, isTold: Bool = false, backSince: Timestamp? = nil) {
        self.beganAt = beganAt
        self.greatestMeters = greatestMeters
        self.isTold = isTold
        self.backSince = backSince
    }
}

extension ArrivalEstimator {
    /// Takes the match of the position taken at `time` into the trip's deviation.
    ///
    /// A position that is neither matched nor off the route, such as one elsewhere on it that is not believed yet,
    /// decides nothing. An excursion that ends before ``ArrivalSettings/deviationSeconds`` is forgotten.
    func followDeviation(_ progress: inout TripProgress, at time: Timestamp) {
        if progress.match.isOffRoute {
            var deviation = progress.deviation ?? RouteDeviation(beganAt: time, greatestMeters: 0)
            if let distance = progress.match.distanceMeters, distance.isFinite {
                deviation.greatestMeters = max(deviation.greatestMeters, distance)
            }
            deviation.backSince = nil
            if time.seconds(since: deviation.beganAt) >= settings.deviationSeconds { deviation.isTold = true }
            progress.deviation = deviation
        } else if var deviation = progress.deviation, progress.match.alongMeters != nil,
            progress.match.matchedAt == time
        {
            let since = deviation.backSince ?? time
            deviation.backSince = since
            let isOver = !deviation.isTold || time.seconds(since: since) >= settings.returnSeconds
            progress.deviation = isOver ? nil : deviation
        }
    }
}
