import Support

/// Mutable state of a trip; with ``TripPlan`` it determines all estimates.
package struct TripProgress: Sendable, Equatable {
    package struct Stop: Sendable, Equatable {
        /// Time at which the stop was passed; `nil` while the stop is ahead.
        package var passedAt: Timestamp?
        /// First published arrival, the reference of the delay for stops without a scheduled time.
        package var firstPublishedAt: Timestamp?
        /// Last published arrival; kept while it is within the band of ``PublishedETASettings``.
        package var publishedAt: Timestamp?
        package var delay = TripEta.Delay.unknown
        /// Time at which ``delay`` last changed from one known value to another.
        package var delayChangedAt: Timestamp?
    }

    /// Expected end of the previous trip in a chain.
    package struct Preceding: Sendable, Equatable {
        package var coordinate: Coordinate
        package var arrivesAt: Timestamp
        package var metersLeft: Double
    }

    package var state: TripState
    package var version: Int64?
    package var stateChangedAt: Timestamp
    package var position: TripEta.Position?
    package var positionConfidence = Confidence.low
    /// Position shown to riders if it differs from ``position``.
    package var shown: ShownPosition?
    /// Learned variance of the route's error across its direction, in m²; see ``RouteFusion``.
    package var routeVariance = RouteFusion().initialVariance
    package var occupancyPercent: Int?
    /// Time of the fix that last reported ``occupancyPercent``.
    var occupancyAt = Timestamp(milliseconds: 0)
    package var match = RouteMatch()
    /// Index of the first stop ahead; the number of stops if all are passed.
    package var nextStop = 0
    package var stops: [Stop]
    /// Index of the stop at which the vehicle is, while it has no match on the route.
    package var atStop: Int?
    /// Minimum distance to the next stop so far, without a route.
    package var closestMeters: Double?
    package var recentSpeed = RecentTripSpeed()
    /// Time since which the vehicle has been slow outside stops; `nil` if it moves or is at a stop.
    package var slowSince: Timestamp?
    var standingBudget = StandingBudget()
    package var arrival = ArrivalDetector()
    /// Time from which distance counts, if it is not ``stateChangedAt``; kept during settlement.
    package internal(set) var startedAt: Timestamp?
    /// End of the trip during settlement, while fixes from before it may still arrive.
    package internal(set) var endedAt: Timestamp?
    /// Metres from position to position while in progress, by the time of the fixes.
    package var drivenMeters = 0.0
    /// Metres along the route where the vehicle was on it, and from position to position elsewhere.
    package var snappedMeters = 0.0
    package var preceding: Preceding?
    /// Expected driving seconds per leg by learned road speeds; if empty, the planned seconds apply.
    package var expectedSeconds: [Float] = []
    package var expectedAt: Timestamp?
    /// Expected seconds of each of ``TripPlan/pieces``; if empty, proportional to length.
    var pieceSeconds: [Float] = []
    /// Learned percentiles per row of the interval table; if empty, the table applies.
    var spreads: [LearnedSpread] = []
    /// Recorded estimates to compare with future arrivals.
    var probes: [ArrivalProbe] = []
    /// Current deviation from the route; `nil` while on the route.
    package var deviation: RouteDeviation?
    /// Time of the last record, which also contained the `recorded…` flags below.
    package var recordedAt: Timestamp
    package var recordedHalted = false
    package var recordedSilent = false
    package var recordedStale = false
    package var recordedAvailable = false
    /// See ``TripEta/isProvisional``.
    package var isProvisional = false

    package var publishedPosition: TripEta.Position? {
        guard var published = position, let shown else { return position }
        published.coordinate = shown.coordinate
        published.accuracyMeters = shown.accuracyMeters
        return published
    }

    package init(state: TripState, version: Int64?, stopCount: Int, at time: Timestamp) {
        self.state = state
        self.version = version
        stateChangedAt = time
        recordedAt = time
        stops = Array(repeating: Stop(), count: stopCount)
    }
}
