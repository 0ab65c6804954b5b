extension ArrivalEstimator {
    /// Moves an inaccurate matched position towards the route, for riders, and learns the route's error.
    func updateShownPosition(
        _ position: TripEta.Position, on geometry: RouteGeometry, within allowed: ClosedRange<Double>, moves: Bool,
        _ progress: inout TripProgress
    ) {
        let match = progress.match
        let fusion = settings.fusion
        guard let along = match.alongMeters, let distance = match.distanceMeters, !match.isOffRoute,
            match.candidateMeters == nil
        else { return }
        // Most positions are accurate enough to be shown unchanged.
        guard fusion.isPoor(accuracyMeters: position.accuracyMeters) else {
            if moves {
                fusion.learn(&progress.routeVariance, distanceMeters: distance, accuracyMeters: position.accuracyMeters)
            }
            return
        }
        let heading =
            position.speedMetersPerSecond >= settings.fusion.headingSpeedMetersPerSecond
            ? position.headingDegrees : nil
        let probe = RouteProbe(coordinate: position.coordinate, headingDegrees: heading, on: geometry)
        let reach = settings.matching.offRouteMeters + settings.matching.backingMeters
        let low = min(max(along - reach, allowed.lowerBound), allowed.upperBound)
        let hit = geometry.nearest(probe, within: low...max(low, min(along + reach, allowed.upperBound)))
        guard hit.distanceMeters <= settings.matching.offRouteMeters, !probe.hasHeading || hit.agreement > 0.5 else {
            return
        }
        if moves {
            fusion.learn(
                &progress.routeVariance, distanceMeters: hit.distanceMeters, accuracyMeters: position.accuracyMeters)
        }
        let share = fusion.share(accuracyMeters: position.accuracyMeters, variance: progress.routeVariance)
        let routePoint = geometry.coordinate(at: hit.alongMeters)
        progress.shown = ShownPosition(
            coordinate: position.coordinate.moved(towards: routePoint, by: share),
            accuracyMeters: fusion.accuracyMeters(
                of: position.accuracyMeters, share: share, variance: progress.routeVariance))
    }
}

extension Coordinate {
    /// Interpolates from this position (`part` 0) to `other` (`part` 1), also across the date line.
    fileprivate func moved(towards other: Coordinate, by part: Double) -> Coordinate {
        let east = Geodesy.normalizedLongitude(other.longitude - longitude)
        return Coordinate(
            latitude: latitude + part * (other.latitude - latitude),
            longitude: Geodesy.normalizedLongitude(longitude + part * east))
    }
}

/// Position shown to riders, moved towards the route by ``RouteFusion``.
package struct ShownPosition: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Radius that contains 68 % of the errors.
    package var accuracyMeters: Double
}
