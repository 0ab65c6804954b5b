/// Turns a trip's plan and progress into times of arrival.
///
/// The expected driving time ahead is the plan's (or the timetable's), corrected by what was learned for the road
/// (``TripProgress/expectedSeconds``), stretched by the vehicle's own recent pace as far as that reaches, plus the time
/// at stops between. See ``ArrivalSettings`` for every constant.
///
/// One for all trips: a copy of the settings beside each trip would be read from cold memory at every fix.
package final class ArrivalEstimator: Sendable {
    package let settings: ArrivalSettings
    let matcher: RouteMatcher

    package init(settings: ArrivalSettings = ArrivalSettings()) {
        self.settings = settings
        matcher = RouteMatcher(settings: settings.matching)
    }

    func paceSettings(of plan: TripPlan) -> RecentPace.Settings {
        plan.kind == .ride ? settings.ridePace : settings.transitPace
    }

    func headline(of plan: TripPlan) -> HeadlineSettings {
        plan.kind == .ride ? settings.rideHeadline : settings.transitHeadline
    }

    func interval(of plan: TripPlan) -> ArrivalInterval {
        plan.kind == .ride ? settings.rideInterval : settings.transitInterval
    }

    /// Whether the vehicle is on its way to a pickup that the route does not lead to.
    func isApproaching(_ progress: TripProgress, _ plan: TripPlan) -> Bool {
        plan.pickup != nil && progress.state.isBeforePickup && !plan.coversApproach
    }

    /// Expected driving seconds of a leg.
    @inline(__always)
    func driveSeconds(_ leg: Int, _ progress: TripProgress, _ plan: TripPlan) -> Double {
        progress.expectedSeconds.isEmpty ? plan.legSeconds[leg] : Double(progress.expectedSeconds[leg])
    }

    /// Age of the data in seconds at `now`; `nil` before the first fix.
    func ageSeconds(_ progress: TripProgress, at now: Timestamp) -> Double? {
        progress.position.map { max(0, now.seconds(since: $0.fixedAt)) }
    }

    /// Whether riders are to hear that nothing has been heard of the vehicle.
    func isSilent(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let age = ageSeconds(progress, at: now) else { return false }
        return age >= settings.silentSeconds
    }

    func isStale(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let age = ageSeconds(progress, at: now) else { return false }
        return age > settings.staleSeconds
    }

    /// Whether times of arrival can be given at all.
    func isAvailable(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let age = ageSeconds(progress, at: now), !progress.state.hasEnded else { return false }
        return age <= settings.unavailableSeconds
    }

    func isHalted(_ progress: TripProgress, at now: Timestamp) -> Bool {
        guard let since = progress.slowSince, !isStale(progress, at: now) else { return false }
        return now.seconds(since: since) >= settings.haltedSeconds
    }

    func traffic(_ progress: TripProgress) -> TripEta.Traffic {
        let pace = progress.pace
        guard pace.plannedSeconds > 0, pace.actualSeconds >= settings.trafficEvidenceSeconds else { return .unknown }
        let ratio = pace.actualSeconds / pace.plannedSeconds
        if ratio <= settings.lightTrafficRatio { return .light }
        if ratio <= settings.moderateTrafficRatio { return .moderate }
        return ratio <= settings.heavyTrafficRatio ? .heavy : .severe
    }
}
