extension ArrivalEstimator {
    /// Seconds that a run still stands where it stands; fewer while it rolls at up to half of the speed expected, and
    /// none on a ride or before the first stop.
    func standingSeconds(_ progress: TripProgress, _ plan: TripPlan) -> Double {
        let next = progress.nextStop
        guard plan.kind == .transit, (1..<plan.stops.count).contains(next), let position = progress.position,
            let along = progress.match.alongMeters, !progress.match.isOffRoute
        else { return 0 }
        let meters = min(plan.offsets[next] - along, Self.roadMeters)
        let seconds = driveSeconds(next, from: along, to: along + meters, progress, plan)
        let pace = meters > 1 && seconds > 0 ? seconds / meters : plan.paceSecondsPerMeter
        return settings.standingSeconds * max(0, 1 - 2 * max(0, position.speedMetersPerSecond) * pace)
    }

    /// The road ahead whose expected speed the vehicle's is compared with, in metres.
    private static let roadMeters = 500.0
}
