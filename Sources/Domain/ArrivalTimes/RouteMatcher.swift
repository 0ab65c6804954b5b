/// Matcher of positions to a route; a moving vehicle's progress decreases only if several fixes agree.
///
/// A fix is first matched near the expected position, so that routes may cross or retrace themselves. If the fix is
/// not near it, the whole route is searched, and further fixes must confirm the match.
package struct RouteMatcher: Sendable {
    package var settings = MatchingSettings()

    /// Matches one fix and updates `match`; returns whether the fix was matched.
    ///
    /// `allowed` is the part of the route that the trip's state allows. `hintMeters`, the scheduled position, is used
    /// only for the first match, where the route passes the fix several times.
    package func update(
        _ match: inout RouteMatch, with fix: TripEta.Position, on geometry: RouteGeometry, allowed: ClosedRange<Double>,
        hintMeters: Double? = nil
    ) -> Bool {
        var probe = RouteProbe(coordinate: fix.coordinate, headingDegrees: usableHeading(of: fix), on: geometry)
        probe.headingCostMeters = settings.oppositeHeadingMeters
        guard let along = match.alongMeters else { return acquire(&match, fix, probe, geometry, allowed, hintMeters) }
        let elapsed = max(0, fix.fixedAt.seconds(since: match.matchedAt))
        let window = window(around: along, seconds: elapsed, allowed: allowed)
        probe.expectedMeters = along + fix.speedMetersPerSecond * elapsed
        probe.continuityCost = settings.continuityCost
        probe.continuityLimitMeters = settings.continuityLimitMeters
        let hit = geometry.nearest(probe, within: window)
        if hit.distanceMeters <= settings.offRouteMeters, !(match.isOffRoute && headingDiffers(hit, probe)) {
            if let elsewhere = oppositePass(hit, probe, geometry, allowed) {
                return confirmCandidate(&match, fix, elsewhere, neededFixes: settings.backwardFixes)
            }
            return acceptMatch(&match, fix, at: hit)
        }
        return searchWholeRoute(&match, fix, probe, geometry, allowed)
    }

    private func usableHeading(of fix: TripEta.Position) -> Double? {
        fix.speedMetersPerSecond >= settings.headingSpeedMetersPerSecond ? fix.headingDegrees : nil
    }

    /// Returns whether the heading differs from the route by more than 60°.
    private func headingDiffers(_ hit: RouteHit, _ probe: RouteProbe) -> Bool {
        probe.hasHeading && hit.agreement < 0.5
    }

    /// Returns a pass that fits the heading of a vehicle driving against its matched segment, as after a short cut.
    private func oppositePass(
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

    private func window(around along: Double, seconds: Double, allowed: ClosedRange<Double>) -> ClosedRange<Double> {
        let reach = max(settings.windowAheadMeters, settings.maximumSpeedMetersPerSecond * seconds)
        let low = min(max(along - settings.windowBehindMeters, allowed.lowerBound), allowed.upperBound)
        return low...max(low, min(along + reach, allowed.upperBound))
    }

    /// Matches the first fix to the best position on the whole allowed route, without confirmation.
    private func acquire(
        _ match: inout RouteMatch, _ fix: TripEta.Position, _ probe: RouteProbe, _ geometry: RouteGeometry,
        _ allowed: ClosedRange<Double>, _ hintMeters: Double?
    ) -> Bool {
        var probe = probe
        // Without a hint the earlier pass is preferred, because trips are usually seen from their start.
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

    /// Applies a match near the expected position: forward at once, backward after several fixes.
    ///
    /// While the vehicle stands, progress approaches the mean of its matches, as the farthest may be past the stop.
    private func acceptMatch(_ match: inout RouteMatch, _ fix: TripEta.Position, at hit: RouteHit) -> Bool {
        let along = match.alongMeters ?? hit.alongMeters
        if along - hit.alongMeters > settings.backingMeters {
            match.backwardFixes = min(match.backwardFixes + 1, 250)
            if Int(match.backwardFixes) >= settings.backwardFixes { relocate(&match, fix, to: hit) }
        } else {
            match.backwardFixes = 0
            let isStanding = fix.speedMetersPerSecond < settings.standingSpeedMetersPerSecond
            let elapsed = max(0, fix.fixedAt.seconds(since: match.matchedAt))
            let part = min(1, elapsed / settings.standingSeconds)
            match.alongMeters = isStanding ? along + part * (hit.alongMeters - along) : max(along, hit.alongMeters)
        }
        match.matchedAt = fix.fixedAt
        match.distanceMeters = hit.distanceMeters
        match.isOffRoute = false
        match.offRouteFixes = 0
        match.candidateMeters = nil
        match.candidateFixes = 0
        return true
    }

    /// Searches the whole allowed route for a vehicle that is not near its expected position.
    private func searchWholeRoute(
        _ match: inout RouteMatch, _ fix: TripEta.Position, _ probe: RouteProbe, _ geometry: RouteGeometry,
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
            // A vehicle whose heading agrees with the route is back on it without confirmation.
            guard !headingDiffers(hit, probe) else { return false }
            relocate(&match, fix, to: hit)
            return true
        }
        match.offRouteFixes = 0
        return confirmCandidate(&match, fix, hit, neededFixes: settings.relocationFixes)
    }

    /// Moves the match to a position elsewhere once enough consecutive fixes confirm it.
    private func confirmCandidate(
        _ match: inout RouteMatch, _ fix: TripEta.Position, _ hit: RouteHit, neededFixes: Int
    ) -> Bool {
        if let candidate = match.candidateMeters, fix.fixedAt >= match.candidateAt {
            let reach = settings.maximumSpeedMetersPerSecond * fix.fixedAt.seconds(since: match.candidateAt)
            let low = candidate - settings.backingMeters
            let high = candidate + max(settings.windowAheadMeters, reach)
            match.candidateFixes = (low...high).contains(hit.alongMeters) ? min(match.candidateFixes + 1, 250) : 1
        } else {
            match.candidateFixes = 1
        }
        match.candidateMeters = hit.alongMeters
        match.candidateAt = fix.fixedAt
        guard Int(match.candidateFixes) >= neededFixes else { return false }
        relocate(&match, fix, to: hit)
        return true
    }

    private func countOffRoute(_ match: inout RouteMatch) {
        match.offRouteFixes = min(match.offRouteFixes + 1, 250)
        if Int(match.offRouteFixes) >= settings.offRouteFixes { match.isOffRoute = true }
    }

    private func relocate(_ match: inout RouteMatch, _ fix: TripEta.Position, to hit: RouteHit) {
        match = RouteMatch()
        match.alongMeters = hit.alongMeters
        match.matchedAt = fix.fixedAt
        match.distanceMeters = hit.distanceMeters
    }
}
