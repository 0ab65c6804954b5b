/// What the vehicle's speed of the moment says of the way ahead, beyond its pace so far.
extension ArrivalEstimator {
    /// Seconds more (or less, if negative) than the pace so far makes of `driveSeconds` ahead.
    ///
    /// The faster the vehicle moves against what is expected here, the sooner it comes: from
    /// ``ArrivalSettings/rideMomentShare`` more for one that stands to as much less for one that flies.
    @inline(__always)
    func momentSeconds(_ relativeSpeed: Double, ahead driveSeconds: Double) -> Double {
        let reach = settings.rideMomentSeconds
        let share = settings.rideMomentShare * (1 - relativeSpeed) / (1 + relativeSpeed)
        return share * driveSeconds * reach / (driveSeconds + reach)
    }

    /// Seconds that a run still stands where it stands; fewer while it rolls at up to half of the speed expected.
    func standingSeconds(_ relativeSpeed: Double) -> Double {
        settings.transitStandingSeconds * max(0, 1 - 2 * relativeSpeed)
    }

    /// The speed of the last fix over that expected from there on; 1 where nothing is expected.
    func relativeSpeed(_ progress: TripProgress, _ plan: TripPlan) -> Double {
        guard let position = progress.position, let along = progress.match.alongMeters, !progress.match.isOffRoute,
            progress.nextStop < plan.stops.count, !isApproaching(progress, plan)
        else { return 1 }
        let next = progress.nextStop
        let meters = min(plan.offsets[next] - along, Self.momentMeters)
        let seconds = driveSeconds(next, from: along, to: along + meters, progress, plan)
        let pace = meters > 1 && seconds > 0 ? seconds / meters : plan.paceSecondsPerMeter
        return max(0, position.speedMetersPerSecond) * pace
    }

    /// The road ahead that the speed of the moment is compared with, in metres.
    private static let momentMeters = 500.0
}
