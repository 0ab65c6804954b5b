import Support

/// Estimator of arrival times from a trip's plan, learned road speeds and the vehicle's own recent speed.
///
/// One instance is shared by all trips, so that the settings stay in the CPU cache.
package final class ArrivalEstimator: Sendable {
    package let settings: ArrivalSettings
    let matcher: RouteMatcher

    package init(settings: ArrivalSettings = ArrivalSettings()) {
        self.settings = settings
        matcher = RouteMatcher(settings: settings.matching)
    }

    func recentSpeedSettings(of plan: TripPlan) -> RecentTripSpeed.Settings {
        plan.kind == .ride ? settings.rideRecentSpeed : settings.transitRecentSpeed
    }

    func publishedETASettings(of plan: TripPlan) -> PublishedETASettings {
        plan.kind == .ride ? settings.ridePublishedETA : settings.transitPublishedETA
    }

    func interval(of plan: TripPlan) -> ArrivalInterval {
        plan.kind == .ride ? settings.rideInterval : settings.transitInterval
    }

    /// Returns whether the vehicle drives to the pickup on a route that does not include this drive.
    func isApproaching(_ progress: TripProgress, _ plan: TripPlan) -> Bool {
        plan.pickup != nil && progress.state.isBeforePickup && !plan.coversApproach
    }

    @inline(__always) func driveSeconds(_ leg: Int, _ progress: TripProgress, _ plan: TripPlan) -> Double {
        progress.expectedSeconds.isEmpty ? plan.legSeconds[leg] : Double(progress.expectedSeconds[leg])
    }

    /// Returns the expected driving seconds on a leg between `start` and `end`, in metres along the route.
    func driveSeconds(_ leg: Int, from start: Double, to end: Double, _ progress: TripProgress, _ plan: TripPlan)
        -> Double
    {
        let length = plan.legMeters[leg]
        guard length > 0, end > start else { return 0 }
        let pieces = plan.pieces.pieces(of: leg)
        guard !pieces.isEmpty, !progress.pieceSeconds.isEmpty else {
            return driveSeconds(leg, progress, plan) * min(1, (end - start) / length)
        }
        let each = length / Double(pieces.count)
        let origin = plan.offsets[leg] - length
        // Positions in pieces from the start of the leg.
        let (low, high) = (max(0, (start - origin) / each), min(Double(pieces.count), (end - origin) / each))
        var seconds = 0.0
        var piece = Int(min(low, Double(pieces.count - 1)))
        while piece < pieces.count, Double(piece) < high {
            let part = min(high, Double(piece + 1)) - max(low, Double(piece))
            if part > 0 { seconds += part * Double(progress.pieceSeconds[pieces.lowerBound + piece]) }
            piece += 1
        }
        return seconds
    }

    /// Returns the age of the position at `now`, in seconds; `nil` before the first fix.
    func ageSeconds(_ progress: TripProgress, at now: Timestamp) -> Double? {
        progress.position.map { max(0, now.seconds(since: $0.fixedAt)) }
    }

    /// Returns whether to report the vehicle as silent.
    func isSilent(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let age = ageSeconds(progress, at: now) else { return false }
        return age >= settings.silentSeconds
    }

    @inline(__always) func isStale(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let age = ageSeconds(progress, at: now) else { return false }
        return age > settings.staleSeconds
    }

    /// Returns whether the position is recent enough for ETAs of an active trip.
    func isAvailable(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let age = ageSeconds(progress, at: now), !progress.state.hasEnded else { return false }
        return age <= settings.unavailableSeconds
    }

    @inline(__always) func isHalted(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let since = progress.slowSince, !isStale(progress, at: now) else { return false }
        return now.seconds(since: since) >= settings.haltedSeconds
    }

    @inline(__always) func traffic(_ progress: TripProgress) -> TripEta.Traffic {
        let recent = progress.recentSpeed
        guard recent.plannedSeconds > 0, recent.actualSeconds >= settings.trafficEvidenceSeconds else {
            return .unknown
        }
        let ratio = recent.actualSeconds / recent.plannedSeconds
        if ratio <= settings.lightTrafficRatio { return .light }
        if ratio <= settings.moderateTrafficRatio { return .moderate }
        return ratio <= settings.heavyTrafficRatio ? .heavy : .severe
    }

    /// Returns the occupancy at `now`; `nil` if the vehicle has not reported it for
    /// ``ArrivalSettings/occupancySeconds``.
    func occupancy(_ progress: TripProgress, at now: Timestamp) -> Int? {
        now.seconds(since: progress.occupancyAt) < settings.occupancySeconds ? progress.occupancyPercent : nil
    }
}
