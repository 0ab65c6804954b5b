/// How ETAs are made: thresholds and constants of ``ArrivalEstimator``, with their sources.
package struct ArrivalSettings: Sendable, Equatable {
    package var matching = MatchingSettings()
    /// How much the route says of where the vehicle is shown.
    package var fusion = RouteFusion()
    package var detection = ArrivalDetector.Settings()
    /// How the vehicle's own pace counts on a ride.
    ///
    /// Fitted on the fitting halves of the recorded tracks: what a jam of now says of the road is mostly gone five
    /// minutes on, but how fast this vehicle has been all in all says more of its way than any plan, the longer it
    /// drives. Hence the slow fading: on a motorway at constant speed the estimate becomes distance over the trip's own
    /// mean speed. The better the roads are known, the less a vehicle's own pace says beyond them, hence the reach.
    package var ridePace = RecentTripSpeed.Settings(priorSeconds: 300, reachSeconds: 300, fadeSeconds: 3000)
    /// How it counts on a scheduled run.
    ///
    /// Buses that lost time keep the loss, but hardly go on losing: on the WMATA
    /// recording the next ten minutes hold 6 % of what the last five brought, hence the weak coupling.
    package var transitPace = RecentTripSpeed.Settings(
        priorSeconds: 900, reachSeconds: 120)
    /// How much longer than expected a run takes that stands at the moment, in seconds.
    ///
    /// On the fitting half of the WMATA recording the median is 10 s for vehicles that stand at stops and between them,
    /// because a road's pace contains the mean wait everywhere.
    package var standingSeconds = 10.0
    /// What is learned of roads, and how much of it is kept.
    package var paces = RoadSpeedTable.Settings()
    /// Which arrival is told of those that are possible.
    package var rideHeadline = PublishedETASettings.ride
    package var transitHeadline = PublishedETASettings.transit
    package var rideInterval = ArrivalInterval.ride
    package var transitInterval = ArrivalInterval.transit

    /// Road metres per metre of straight line where no route is known or kept.
    package var detourFactor = 1.4
    /// Expected speed where nothing else is known, in m/s: city traffic with its lights (25 km/h).
    package var defaultSpeedMetersPerSecond = 7.0
    /// Time at the pickup between arriving and driving off, in seconds.
    package var pickupDwellSeconds = 60.0
    /// Time at a stop between, where no timetable contains it: of a ride, and of a scheduled run, in seconds.
    package var rideStopDwellSeconds = 60.0
    package var transitStopDwellSeconds = 15.0
    /// Time between the end of one ride and driving off to the next of a chain, in seconds.
    package var chainedDwellSeconds = 30.0

    /// A scheduled run begins at most this many seconds before its first departure.
    package var earlyDepartureSeconds = 60.0
    /// Unless the vehicle is already more than this many metres past its first stop.
    package var layoverMeters = 1000.0
    /// A vehicle that waited on the route's first stretch has not left its first stop for this many seconds after the
    /// departure, unless it has driven away from it.
    package var lateDepartureSeconds = 120.0

    /// A stop is behind when the vehicle is more than this many metres past it.
    package var passedMeters = 20.0
    /// The end of the line is reached within this many metres of it: nothing lies behind it to drive to.
    package var terminusMeters = 30.0
    /// Standing within this many metres of a stop is being at it (TTC stop window, 50 m).
    package var stopRadiusMeters = 50.0
    /// A route whose pickup lies farther along than this many metres includes the way to the pickup.
    package var approachMeters = 150.0

    /// ETAs farther ahead than this, in seconds, are not given (exactly this far is).
    package var horizonSeconds = 7200.0
    /// A position that is older than this when it comes, in seconds, is not told as it comes (exactly this old is):
    /// newer ones often follow it within the second, when a phone empties its queue.
    package var liveSeconds = 10.0
    /// From this age of the data on, in seconds, the vehicle is silent, and riders are told when it was last heard.
    package var silentSeconds = 30.0
    /// Data older than this, in seconds, is stale (exactly this old is not).
    package var staleSeconds = 120.0
    /// ETAs count down, flagged as stale, until the data is older than this, in seconds, and are then unavailable
    /// (exactly this old are not).
    package var unavailableSeconds = 600.0
    /// An occupancy that was last reported this many seconds ago is unknown (inclusive).
    package var occupancySeconds = 300.0
    /// Standing means slower than this, in m/s.
    package var haltedSpeedMetersPerSecond = 0.5
    /// Standing for this many seconds outside a stop is a halt.
    package var haltedSeconds = 60.0
    package var delay = DelayClassifier.Settings()

    /// Slower than the plan by up to this factor is light traffic.
    package var lightTrafficRatio = 1.15
    /// Slower by up to this factor is moderate traffic.
    package var moderateTrafficRatio = 1.5
    /// Slower by up to this factor is heavy traffic, and beyond is severe: less than half of the planned speed.
    package var heavyTrafficRatio = 2.0
    /// Driving seconds that the judgement of the traffic needs.
    package var trafficEvidenceSeconds = 60.0

    /// An interval narrower than the larger of this many seconds and ``highConfidenceShare`` of the ETA is `HIGH`.
    package var highConfidenceSeconds = 100.0
    package var highConfidenceShare = 0.25
    /// An interval narrower than the larger of these is `MEDIUM`, and any other `LOW`.
    ///
    /// Set so that with honest 80 % intervals an arrival in
    /// two minutes is `HIGH` and one in ten `MEDIUM`; the 20 % and 40 % of published feeds would make nearly all `LOW`.
    package var mediumConfidenceSeconds = 240.0
    package var mediumConfidenceShare = 0.6
    /// Data older than this, in seconds, or a position of `LOW` confidence takes an ETA down one level.
    package var agedSeconds = 60.0
    /// How much wider intervals are where the way is a straight line and not a route.
    package var straightSpreadFactor = 1.5
    /// How much wider a ride's intervals are at its beginning, when nothing is known of how it goes: by this share,
    /// which halves by the time it has been driving for ``youngSeconds``.
    ///
    /// Fitted on the fitting halves of ten recordings without timetables.
    package var youngSpreadShare = 0.5
    package var youngSeconds = 300.0

    /// A trip driven over this many times the plan, and ``longRouteMeters`` over it, is a long route.
    package var longRouteRatio = 1.3
    package var longRouteMeters = 500.0
    /// Positions that add up to over this many times the way along the route, and ``inflationMeters`` over it, inflate
    /// the distance.
    ///
    /// As for the long route. Honest tracks stay below: up to 1.07 on the 132 tracks of fcd_oberfranken of over 1 km
    /// against the roads driven, 1.00 on the phones of gsdc against their reference, 1.13 between high buildings
    /// (urban_canyon_hongkong).
    package var inflationRatio = 1.3
    package var inflationMeters = 500.0

    /// A trip that has been off its route for this many seconds is warned of (inclusive).
    ///
    /// Counted from the fix that made it off route; a turn into a petrol station is over by then.
    package var deviationSeconds = 15.0
    /// A deviation that was warned of is over when the vehicle has been on the route for this many seconds (inclusive).
    package var returnSeconds = 15.0

    /// Seconds after which a punctuation repeats the ETAs although nothing happened.
    package var heartbeatSeconds = 60.0
    /// Heartbeats go on for at most this many seconds without a fix.
    package var silenceSeconds = 7200.0
    /// How often the learned paces are taken over anew, in seconds.
    package var expectationSeconds = 300.0

    package init() {}

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        var problems = matching.problems() + fusion.problems() + detection.problems() + delay.problems()
        problems += ridePace.problems() + transitPace.problems() + paces.problems()
        problems += rideHeadline.problems() + transitHeadline.problems()
        problems += rideInterval.problems() + transitInterval.problems()
        if detourFactor < 1 {
            problems.append("No road is shorter than the straight line: the detour factor is at least 1.")
        }
        if defaultSpeedMetersPerSecond <= 0 || defaultSpeedMetersPerSecond > matching.maximumSpeedMetersPerSecond {
            problems.append("The default speed must be above 0 and at most the maximum speed.")
        }
        if [pickupDwellSeconds, rideStopDwellSeconds, transitStopDwellSeconds, chainedDwellSeconds].contains(where: {
            $0 < 0
        }) {
            problems.append("Dwell times must not be negative.")
        }
        if [standingSeconds, lateDepartureSeconds].contains(where: { $0 < 0 }) {
            problems.append("Runs that stand do so, and depart late, for at least 0 s.")
        }
        if liveSeconds < 0 || silentSeconds <= 0 {
            problems.append("Positions are live for at least 0 s, and vehicles silent after a time above 0 s.")
        }
        if occupancySeconds <= 0 { problems.append("occupancySeconds must be above 0.") }
        if unavailableSeconds < staleSeconds {
            problems.append("ETAs must not become unavailable before the data is stale.")
        }
        if lightTrafficRatio > moderateTrafficRatio || moderateTrafficRatio > heavyTrafficRatio {
            problems.append("Light traffic must end before moderate traffic does, and that before heavy traffic does.")
        }
        if deviationSeconds < 0 || returnSeconds < 0 {
            problems.append("A deviation is told and ended after at least 0 s.")
        }
        if highConfidenceSeconds > mediumConfidenceSeconds || highConfidenceShare > mediumConfidenceShare {
            problems.append("High confidence must ask for a narrower interval than medium.")
        }
        if straightSpreadFactor < 1 {
            problems.append("Without a route intervals are wider: the factor is at least 1.")
        }
        if youngSpreadShare < 0 || youngSeconds <= 0 {
            problems.append("At the beginning of a ride intervals are no narrower, for a time above 0 s.")
        }
        if horizonSeconds <= 0 || heartbeatSeconds <= 0 || silenceSeconds < heartbeatSeconds {
            problems.append("Horizon and heartbeat must be above 0 s, and the silence at least one heartbeat.")
        }
        if longRouteRatio < 1 || inflationRatio < 1 || longRouteMeters < 0 || inflationMeters < 0 {
            problems.append("Fare checks ask for more metres, not fewer: ratios are at least 1.")
        }
        return problems
    }
}
