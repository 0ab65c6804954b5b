import Model
import Support

/// How far a trip has come and everything else about it that changes: with the ``TripPlan``, all that estimates depend
/// on.
package struct TripProgress: Sendable, Equatable {
    /// What has become of one stop.
    package struct Stop: Sendable, Equatable {
        /// When it was passed; `nil` while it is ahead.
        package var passedAt: Timestamp?
        /// The first arrival promised, for stops without a scheduled time.
        package var promisedAt: Timestamp?
        /// The arrival told last; stands while it lies in the headline's band.
        package var toldAt: Timestamp?
        package var delay = TripEta.Delay.unknown
        /// When ``delay`` last changed from one known value to another.
        package var delayChangedAt: Timestamp?
    }

    /// Where and when the trip before this one of a chain ends.
    package struct Preceding: Sendable, Equatable {
        package var coordinate: Coordinate
        package var arrivesAt: Timestamp
        /// Metres that are left to its end.
        package var metersLeft: Double
    }

    package var state: TripState
    package var version: Int64?
    package var stateChangedAt: Timestamp
    package var position: TripEta.Position?
    package var positionConfidence = Confidence.low
    /// Where riders are shown ``position``; `nil`: where it is.
    package var shown: ShownPosition?
    /// The error of the route across the way as this trip has shown it, as a variance in m²; see ``RouteFusion``.
    package var routeVariance = RouteFusion().initialVariance
    package var occupancyPercent: Int?
    /// When the vehicle last reported ``occupancyPercent``, by the time of the fix.
    var occupancyAt = Timestamp(milliseconds: 0)
    package var match = RouteMatch()
    /// Index of the first stop that is still ahead; the number of stops when none is.
    package var nextStop = 0
    package var stops: [Stop]
    /// A stop that the vehicle is at without a route to say when it is behind.
    package var atStop: Int?
    /// The least distance to the next stop so far, without a route.
    package var closestMeters: Double?
    package var pace = RecentTripSpeed()
    /// Since when the vehicle has been standing outside a stop; `nil` while it moves.
    package var slowSince: Timestamp?
    /// How much of that, and of other standing, has counted as time that the road takes.
    var stood = StandingBudget()
    package var arrival = ArrivalDetector()
    /// When distance begins to count where that is not ``stateChangedAt``; of an ended trip while it is settled.
    package internal(set) var startedAt: Timestamp?
    /// When the trip ended, while fixes measured before that may still arrive.
    package internal(set) var endedAt: Timestamp?
    /// Metres from position to position while in progress, by the times of the fixes.
    package var drivenMeters = 0.0
    /// The same along the route where the vehicle was on it.
    package var snappedMeters = 0.0
    package var preceding: Preceding?
    /// Driving seconds per leg as learned when last asked for; empty: as planned.
    package var expectedSeconds: [Float] = []
    package var expectedAt: Timestamp?
    /// The same for each of the plan's ``TripPlan/pieces``; empty: every metre of a leg takes equally long.
    var pieceSeconds: [Float] = []
    /// How much each row of the interval table is off, as learned with ``expectedSeconds``; empty: not at all.
    var spreads: [LearnedSpread] = []
    /// Estimates to be compared with arrivals to come.
    var probes: [ArrivalProbe] = []
    /// The departure from the route that goes on; `nil` while the vehicle is on it.
    package var deviation: RouteDeviation?
    /// The last record made, and what it said.
    package var recordedAt: Timestamp
    package var recordedHalted = false
    package var recordedSilent = false
    package var recordedStale = false
    package var recordedAvailable = false
    /// The position came as one that a newer one is likely to follow, and no punctuation has repeated it since.
    package var isProvisional = false

    /// What riders are told of ``position``.
    package var toldPosition: TripEta.Position? {
        guard var told = position, let shown else { return position }
        told.coordinate = shown.coordinate
        told.accuracyMeters = shown.accuracyMeters
        return told
    }

    package init(state: TripState, version: Int64?, stopCount: Int, at time: Timestamp) {
        self.state = state
        self.version = version
        stateChangedAt = time
        recordedAt = time
        stops = Array(repeating: Stop(), count: stopCount)
    }
}
