import Support

/// What is known of a trip after one event: one record of the trip.etas topic, without its id.
package struct TripEta: Sendable, Equatable {
    package enum StopStatus: UInt8, Sendable, CaseIterable {
        case valid, passed, unavailable
    }

    package enum Delay: UInt8, Sendable, CaseIterable {
        case unknown, early, onTime, delayed
    }

    package enum Traffic: UInt8, Sendable, CaseIterable {
        case unknown, light, moderate, heavy, severe
    }

    package struct Position: Sendable, Equatable {
        package var coordinate: Coordinate
        package var headingDegrees: Double?
        package var speedMetersPerSecond: Double
        package var accuracyMeters: Double
        package var fixedAt: Timestamp

        package init(
            coordinate: Coordinate, headingDegrees: Double?, speedMetersPerSecond: Double, accuracyMeters: Double,
            fixedAt: Timestamp
        ) {
            self.coordinate = coordinate
            self.headingDegrees = headingDegrees
            self.speedMetersPerSecond = speedMetersPerSecond
            self.accuracyMeters = accuracyMeters
            self.fixedAt = fixedAt
        }
    }

    package struct Stop: Sendable, Equatable {
        package var id: String
        package var kind: TripMessage.Stop.Kind
        package var status: StopStatus
        /// From ``TripEta/computedAt`` to arrival; -1 when passed, `nil` when unavailable.
        package var seconds: Int?
        /// Bounds of the 80 % interval.
        package var minSeconds: Int?
        package var maxSeconds: Int?
        package var confidence: Confidence?
        /// Along the route; straight-line × 1.4 when off it.
        package var distanceMeters: Double?
        /// Expected arrival, or the time of passing when passed.
        package var arrivesAt: Timestamp?
        package var scheduledAt: Timestamp?
        /// Positive when late.
        package var delaySeconds: Int?
        package var delay: Delay

        package init(id: String, kind: TripMessage.Stop.Kind, status: StopStatus, delay: Delay = .unknown) {
            self.id = id
            self.kind = kind
            self.status = status
            self.delay = delay
        }
    }

    /// A step of the trip's life, present on records made from a trip message.
    package struct Change: Sendable, Equatable {
        /// `nil` for the first message of a trip.
        package var previousState: TripState?
        package var triggeredBy: String?
        package var changedAt: Timestamp
        /// The encoded route, when this message brought a new one.
        package var routePolyline: String?
        package var contextJSON: String?
        /// The trip's facts as they are after the message, whichever message brought them.
        package var factsJSON: String?

        package init(
            previousState: TripState?, triggeredBy: String? = nil, changedAt: Timestamp, routePolyline: String? = nil,
            contextJSON: String? = nil, factsJSON: String? = nil
        ) {
            self.previousState = previousState
            self.triggeredBy = triggeredBy
            self.changedAt = changedAt
            self.routePolyline = routePolyline
            self.contextJSON = contextJSON
            self.factsJSON = factsJSON
        }
    }

    package var tripID: String
    package var driverID: String
    package var riderID: String?
    package var kind: TripMessage.Kind
    package var routeID: String?
    /// What riders know the vehicle by: a number or a plate; `nil` when the trip does not say.
    package var vehicleNumber: String?
    package var state: TripState
    package var stage: TripStage?
    package var version: Int64?
    package var change: Change?
    /// Stream time of the event.
    package var computedAt: Timestamp
    /// The last judged position; `nil` before the first.
    package var position: Position?
    package var progressMeters: Double?
    package var isOffRoute: Bool
    package var offRouteMeters: Double?
    package var isHalted: Bool
    /// No accepted fix for so long that riders are told of the silence.
    package var isSilent: Bool
    /// No accepted fix for so long that the position must not be shown as live.
    package var isStale: Bool
    /// A newer position is likely to follow at once, so riders are not told of this one: the next punctuation repeats
    /// the record if none came.
    package var isProvisional: Bool
    /// Another trip has taken the place of this one, whose end was not seen: its vehicle drives another run.
    package var isDisplaced: Bool
    package var traffic: Traffic
    package var occupancyPercent: Int?
    /// `pickup` or `dropoff` when the vehicle stands there as if it had arrived; a suggestion, never a state.
    package var detectedArrivalStopID: String?
    package var nextStopID: String?
    package var passedStopID: String?
    package var passedAt: Timestamp?
    package var lastStopID: String?
    package var stops: [Stop]

    /// The age of the position at ``computedAt``, in seconds; `nil` without one.
    package var ageSeconds: Double? { position.map { max(0, computedAt.seconds(since: $0.fixedAt)) } }

    /// The same in whole seconds, rounded down.
    package var staleSeconds: Int? { ageSeconds.map { Int(min($0, 1e9)) } }

    /// At trip end: metres from position to position while in progress, along the route where the vehicle was on it
    /// (`nil` without a route), and as planned; and what they speak of.
    package var drivenMeters: Double?
    package var snappedMeters: Double?
    package var plannedMeters: Double?
    package var fareChecks: FareChecks

    package init(
        tripID: String, driverID: String, kind: TripMessage.Kind = .ride, state: TripState, computedAt: Timestamp
    ) {
        self.tripID = tripID
        self.driverID = driverID
        self.kind = kind
        self.state = state
        self.computedAt = computedAt
        isOffRoute = false
        isHalted = false
        isSilent = false
        isStale = false
        isProvisional = false
        isDisplaced = false
        traffic = .unknown
        stops = []
        fareChecks = []
    }
}
