/// Thresholds and constants of ``ArrivalEstimator``, with their sources.
package struct ArrivalSettings: Sendable, Equatable {
    package var matching = MatchingSettings()
    package var fusion = RouteFusion()
    package var detection = ArrivalDetector.Settings()
    /// Weight of the vehicle's recent speed on a ride; fitted on the recordings' fitting halves (docs/accuracy.md).
    ///
    /// A jam predicts about the next five minutes, which is the reach. The mean speed of a long drive predicts better
    /// than any plan, so old driving fades slowly.
    package var rideRecentSpeed = RecentTripSpeed.Settings(priorSeconds: 300, reachSeconds: 300, fadeSeconds: 3000)
    /// Weight of the vehicle's recent speed on a scheduled run.
    ///
    /// In the WMATA recording, only 6 % of the delay gained in five minutes is gained again in the next ten.
    package var transitRecentSpeed = RecentTripSpeed.Settings(priorSeconds: 900, reachSeconds: 120)
    /// Additional seconds for a standing run: the median of the fitting half of the WMATA recording.
    ///
    /// The value is small, because road speeds already include the mean wait.
    package var standingSeconds = 10.0
    package var roadSpeeds = RoadSpeedTable.Settings()
    package var ridePublishedETA = PublishedETASettings.ride
    package var transitPublishedETA = PublishedETASettings.transit
    package var rideInterval = ArrivalInterval.ride
    package var transitInterval = ArrivalInterval.transit

    /// Road distance per straight-line distance, without a route or off it.
    package var detourFactor = 1.4
    /// Expected speed without timetable or route duration, in m/s: city traffic (25 km/h).
    package var defaultSpeedMetersPerSecond = 7.0
    /// Dwell at the pickup, in seconds.
    package var pickupDwellSeconds = 60.0
    /// Dwell at intermediate stops without a timetable, in seconds.
    package var rideStopDwellSeconds = 60.0
    package var transitStopDwellSeconds = 15.0
    /// Time between the end of a ride and the start of the next ride in a chain, in seconds.
    package var chainedDwellSeconds = 30.0

    /// Maximum seconds before its scheduled departure at which a run can depart.
    package var earlyDepartureSeconds = 60.0
    /// Distance past the first stop, in metres, beyond which a run always counts as departed.
    package var layoverMeters = 1000.0
    /// Seconds after the scheduled departure during which a run near its first stop waits until it drives away.
    package var lateDepartureSeconds = 120.0

    /// Distance past a stop, in metres, beyond which the stop is passed.
    package var passedMeters = 20.0
    /// Distance before the last stop, in metres, within which the stop is reached.
    package var terminusMeters = 30.0
    /// Radius of a stop, in metres, as in TheTransitClock.
    package var stopRadiusMeters = 50.0
    /// A route whose pickup is farther along than this, in metres, includes the drive to the pickup.
    package var approachMeters = 150.0

    /// Maximum ETA in seconds (inclusive).
    package var horizonSeconds = 7200.0
    /// Age at receipt, in seconds (exclusive), above which a position is provisional: more of a queue may follow.
    package var liveSeconds = 10.0
    /// Age of the position, in seconds, from which the vehicle is silent.
    package var silentSeconds = 30.0
    /// Age of the position, in seconds, above which the vehicle is stale (exclusive).
    package var staleSeconds = 120.0
    /// Age of the position, in seconds, above which ETAs are unavailable (exclusive); until then, they count down.
    package var unavailableSeconds = 600.0
    /// Age of the occupancy, in seconds, from which the occupancy is unknown.
    package var occupancySeconds = 300.0
    /// Speed below which the vehicle stands, in m/s.
    package var haltedSpeedMetersPerSecond = 0.5
    /// Seconds of standing outside stops after which the vehicle is halted.
    package var haltedSeconds = 60.0
    package var delay = DelayClassifier.Settings()

    /// Maximum ratio of actual to planned time for light traffic.
    package var lightTrafficRatio = 1.15
    package var moderateTrafficRatio = 1.5
    /// Maximum ratio for heavy traffic, at half the planned speed; above, traffic is severe.
    package var heavyTrafficRatio = 2.0
    /// Minimum driving seconds for a traffic level.
    package var trafficEvidenceSeconds = 60.0

    /// Interval width in seconds (or ``highConfidenceShare`` of the ETA if larger) below which confidence is `HIGH`.
    package var highConfidenceSeconds = 100.0
    package var highConfidenceShare = 0.25
    /// Interval width in seconds (or ``mediumConfidenceShare`` of the ETA if larger) below which confidence is
    /// `MEDIUM`.
    ///
    /// With ``ArrivalInterval/transit``, an arrival in one minute is `HIGH` and an arrival in ten minutes `MEDIUM`.
    package var mediumConfidenceSeconds = 240.0
    package var mediumConfidenceShare = 0.6
    /// Age in seconds above which a position, like one of `LOW` confidence, lowers an ETA's confidence by one level.
    package var agedSeconds = 60.0
    /// Factor by which intervals are wider off the route or without a route.
    package var straightSpreadFactor = 1.5
    /// Share by which intervals are wider at the start of a ride; half this share after ``youngSeconds`` of driving.
    ///
    /// Chosen on the fitting halves of ten recordings without timetables.
    package var youngSpreadShare = 0.5
    package var youngSeconds = 300.0

    /// Ratio of driven to planned distance for `LONG_ROUTE` (exclusive); ``longRouteMeters`` must also be exceeded.
    package var longRouteRatio = 1.3
    package var longRouteMeters = 500.0
    /// Ratio of driven to route distance for `DISTANCE_INFLATION` (exclusive), besides ``inflationMeters``.
    ///
    /// Honest tracks reach 1.07 (fcd_oberfranken), and 1.13 between high buildings (urban_canyon_hongkong).
    package var inflationRatio = 1.3
    package var inflationMeters = 500.0

    /// Seconds off route after which a warning is raised (inclusive), long enough for a visit to a petrol station.
    package var deviationSeconds = 15.0
    /// Seconds back on the route after which the warning ends (inclusive).
    package var returnSeconds = 15.0

    /// Maximum seconds between records of a trip.
    package var heartbeatSeconds = 60.0
    /// Seconds without a fix after which heartbeat records end.
    package var silenceSeconds = 7200.0
    /// Interval at which a trip's expected times are updated from learned road speeds, in seconds.
    package var expectationSeconds = 300.0

    package init() {}

    package func problems() -> [String] {
        var problems = matching.problems() + fusion.problems() + detection.problems() + delay.problems()
        problems += rideRecentSpeed.problems() + transitRecentSpeed.problems() + roadSpeeds.problems()
        problems += ridePublishedETA.problems() + transitPublishedETA.problems()
        problems += rideInterval.problems() + transitInterval.problems()
        return problems + ownProblems()
    }

    private func ownProblems() -> [String] {
        settingProblems(
            of: self,
            .above(
                0, \.defaultSpeedMetersPerSecond, \.silentSeconds, \.occupancySeconds, \.youngSeconds, \.horizonSeconds,
                \.heartbeatSeconds),
            .atLeast(
                0, \.pickupDwellSeconds, \.rideStopDwellSeconds, \.transitStopDwellSeconds, \.chainedDwellSeconds,
                \.standingSeconds, \.lateDepartureSeconds, \.liveSeconds, \.deviationSeconds, \.returnSeconds,
                \.youngSpreadShare, \.longRouteMeters, \.inflationMeters),
            .atLeast(1, \.detourFactor, \.straightSpreadFactor, \.longRouteRatio, \.inflationRatio),
            .that(
                defaultSpeedMetersPerSecond <= matching.maximumSpeedMetersPerSecond,
                "defaultSpeedMetersPerSecond must be at most maximumSpeedMetersPerSecond."),
            .that(unavailableSeconds >= staleSeconds, "unavailableSeconds must be at least staleSeconds."),
            .that(
                lightTrafficRatio <= moderateTrafficRatio && moderateTrafficRatio <= heavyTrafficRatio,
                "lightTrafficRatio, moderateTrafficRatio and heavyTrafficRatio must be ascending."),
            .that(
                highConfidenceSeconds <= mediumConfidenceSeconds && highConfidenceShare <= mediumConfidenceShare,
                "highConfidenceSeconds and highConfidenceShare must be at most those of medium confidence."),
            .that(silenceSeconds >= heartbeatSeconds, "silenceSeconds must be at least heartbeatSeconds."))
    }
}
