/// Matches positions to a route: progress that only grows while the vehicle moves, and yet heals itself.
///
/// A fix is first looked for around the place where the vehicle should be, so that a route that crosses or retraces
/// itself is followed by continuity and heading at a cost that does not depend on its length. Only a vehicle that is
/// lost there is looked for on the whole route; a place found so has to be confirmed by the fixes after it. So a
/// vehicle that skipped a stop, took a short cut or was silent for a while is picked up where it is, never held where
/// it was.
package struct RouteMatcher: Sendable {
    package var settings = MatchingSettings()

    /// Takes in one fix.
    ///
    /// - Parameters:
    ///   - match: the state carried from fix to fix.
    ///   - fix: the position.
    ///   - geometry: the route.
    ///   - allowed: bounds the part of the route that the trip's state permits.
    ///   - hintMeters: where a vehicle seen for the first time may be expected (the timetable says so); decides
    ///     between the passes of a route over the same place, and nothing else.
    /// - Returns: whether the fix was matched, so that ``RouteMatch/alongMeters`` holds for its time.
    package func update(
        _ match: inout RouteMatch, with fix: MatchFix, on geometry: RouteGeometry, allowed: ClosedRange<Double>,
        hintMeters: Double? = nil
    ) -> Bool {
        var probe = RouteProbe(coordinate: fix.coordinate, headingDegrees: usableHeading(of: fix), on: geometry)
        probe.headingCostMeters = settings.oppositeHeadingMeters
        guard let along = match.alongMeters else {
            return acquire(&match, fix, probe, geometry, allowed, hintMeters)
        }
        let elapsed = max(0, fix.at.seconds(since: match.matchedAt))
        let window = window(around: along, seconds: elapsed, allowed: allowed)
        probe.expectedMeters = along + fix.speedMetersPerSecond * elapsed
        probe.continuityCost = settings.continuityCost
        probe.continuityLimitMeters = settings.continuityLimitMeters
        let hit = geometry.nearest(probe, within: window)
        if hit.distanceMeters <= settings.offRouteMeters, !(match.isOffRoute && runsAgainst(hit, probe)) {
            if let elsewhere = turnedRound(hit, probe, geometry, allowed) {
                return weigh(&match, fix, elsewhere, neededFixes: settings.backwardFixes)
            }
            return settle(&match, fix, at: hit)
        }
        return searchEverywhere(&match, fix, probe, geometry, allowed)
    }

    private func usableHeading(of fix: MatchFix) -> Double? {
        fix.speedMetersPerSecond >= settings.headingSpeedMetersPerSecond ? fix.headingDegrees : nil
    }

    /// More than 60° away from the direction of the route: crossing it, not driving it.
    private func runsAgainst(_ hit: RouteHit, _ probe: RouteProbe) -> Bool { probe.hasHeading && hit.agreement < 0.5 }

    /// A vehicle that drives against its stretch of the route may have left out the far end of an out-and-back street:
    /// the place elsewhere that its heading speaks for, if there is one.
    private func turnedRound(
        _ hit: RouteHit, _ probe: RouteProbe, _ geometry: RouteGeometry, _ allowed: ClosedRange<Double>
    ) -> RouteHit? {
        guard probe.hasHeading, hit.agreement < -0.5 else { return nil }
        var probe = probe
        probe.continuityCost = 0
        let other = geometry.nearest(probe, within: allowed)
        guard other.distanceMeters <= settings.offRouteMeters, other.agreement > 0.5 else { return nil }
        let own = hit.distanceMeters + probe.headingCostMeters * (1 - hit.agreement) / 2
        return other.cost + settings.behindCostMeters < own ? other : nil
    }

    private func window(
        around along: Double, seconds: Double, allowed: ClosedRange<Double>
    ) -> ClosedRange<Double> {
        let reach = max(settings.windowAheadMeters, settings.maximumSpeedMetersPerSecond * seconds)
        let low = min(max(along - settings.windowBehindMeters, allowed.lowerBound), allowed.upperBound)
        return low...max(low, min(along + reach, allowed.upperBound))
    }

    /// A vehicle without a place yet: the best of the whole route, at once.
    private func acquire(
        _ match: inout RouteMatch, _ fix: MatchFix, _ probe: RouteProbe, _ geometry: RouteGeometry,
        _ allowed: ClosedRange<Double>, _ hintMeters: Double?
    ) -> Bool {
        var probe = probe
        // Without a hint the earlier pass wins among equals: a trip is usually seen from its start.
        probe.expectedMeters = hintMeters ?? allowed.lowerBound
        probe.continuityCost = settings.continuityLimitMeters / max(1, allowed.upperBound - allowed.lowerBound)
        probe.continuityLimitMeters = settings.continuityLimitMeters
        let hit = geometry.nearest(probe, within: allowed)
        match.distanceMeters = hit.distanceMeters
        guard hit.distanceMeters <= settings.offRouteMeters else {
            countOffRoute(&match)
            return false
        }
        relocate(&match, fix, to: hit)
        return true
    }

    /// A match where it was expected: forward at once, backward only when it persists.
    ///
    /// While the vehicle stands, progress approaches the mean of the matches instead: the farthest of many noisy ones
    /// lies ahead of where it is, and would pass stops that it stands at.
    private func settle(_ match: inout RouteMatch, _ fix: MatchFix, at hit: RouteHit) -> Bool {
        let along = match.alongMeters ?? hit.alongMeters
        if along - hit.alongMeters > settings.backingMeters {
            match.backwardFixes = min(match.backwardFixes + 1, 250)
            if Int(match.backwardFixes) >= settings.backwardFixes { relocate(&match, fix, to: hit) }
        } else {
            match.backwardFixes = 0
            let isStanding = fix.speedMetersPerSecond < settings.standingSpeedMetersPerSecond
            let elapsed = max(0, fix.at.seconds(since: match.matchedAt))
            let part = min(1, elapsed / settings.standingSeconds)
            match.alongMeters =
                isStanding ? along + part * (hit.alongMeters - along) : max(along, hit.alongMeters)
        }
        match.matchedAt = fix.at
        match.distanceMeters = hit.distanceMeters
        match.isOffRoute = false
        match.offRouteFixes = 0
        match.candidateMeters = nil
        match.candidateFixes = 0
        return true
    }

    /// A vehicle that is not where it was expected: elsewhere on the route, or off it.
    private func searchEverywhere(
        _ match: inout RouteMatch, _ fix: MatchFix, _ probe: RouteProbe, _ geometry: RouteGeometry,
        _ allowed: ClosedRange<Double>
    ) -> Bool {
        let along = match.alongMeters ?? allowed.lowerBound
        var probe = probe
        probe.continuityCost = 0
        var hit = RouteHit.none
        if along < allowed.upperBound {
            hit = geometry.nearest(probe, within: max(along, allowed.lowerBound)...allowed.upperBound)
        }
        if along > allowed.lowerBound {
            let behind = geometry.nearest(probe, within: allowed.lowerBound...min(along, allowed.upperBound))
            if behind.cost + settings.behindCostMeters < hit.cost { hit = behind }
        }
        match.distanceMeters = hit.distanceMeters
        guard hit.distanceMeters <= settings.offRouteMeters else {
            match.candidateMeters = nil
            match.candidateFixes = 0
            countOffRoute(&match)
            return false
        }
        if match.isOffRoute {
            // Back on the route: believed at once when it is driven along, not merely crossed.
            guard !runsAgainst(hit, probe) else { return false }
            relocate(&match, fix, to: hit)
            return true
        }
        match.offRouteFixes = 0
        return weigh(&match, fix, hit, neededFixes: settings.relocationFixes)
    }

    /// Believes a place elsewhere on the route once enough fixes in a row agree with it.
    private func weigh(_ match: inout RouteMatch, _ fix: MatchFix, _ hit: RouteHit, neededFixes: Int) -> Bool {
        if let candidate = match.candidateMeters, fix.at >= match.candidateAt {
            let reach = settings.maximumSpeedMetersPerSecond * fix.at.seconds(since: match.candidateAt)
            let low = candidate - settings.backingMeters
            let high = candidate + max(settings.windowAheadMeters, reach)
            match.candidateFixes = (low...high).contains(hit.alongMeters) ? min(match.candidateFixes + 1, 250) : 1
        } else {
            match.candidateFixes = 1
        }
        match.candidateMeters = hit.alongMeters
        match.candidateAt = fix.at
        guard Int(match.candidateFixes) >= neededFixes else { return false }
        relocate(&match, fix, to: hit)
        return true
    }

    private func countOffRoute(_ match: inout RouteMatch) {
        match.offRouteFixes = min(match.offRouteFixes + 1, 250)
        if Int(match.offRouteFixes) >= settings.offRouteFixes { match.isOffRoute = true }
    }

    private func relocate(_ match: inout RouteMatch, _ fix: MatchFix, to hit: RouteHit) {
        match = RouteMatch()
        match.alongMeters = hit.alongMeters
        match.matchedAt = fix.at
        match.distanceMeters = hit.distanceMeters
    }
}
