import Support

/// State of a trip after one event: a record of `trip.etas` without its id.
package struct TripEta: Sendable, Equatable {
    package enum StopStatus: UInt8, Sendable, CaseIterable {
        case valid, passed, unavailable
        package static let codes: [StaticString] = ["VALID", "PASSED", "UNAVAILABLE"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package enum Delay: UInt8, Sendable, CaseIterable {
        case unknown, early, onTime, delayed
        package static let codes: [StaticString] = ["UNKNOWN", "EARLY", "ON_TIME", "DELAYED"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package enum Traffic: UInt8, Sendable, CaseIterable {
        case unknown, light, moderate, heavy, severe
        package static let codes: [StaticString] = ["UNKNOWN", "LIGHT", "MODERATE", "HEAVY", "SEVERE"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
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
            (self.coordinate, self.headingDegrees) = (coordinate, headingDegrees)
            (self.speedMetersPerSecond, self.accuracyMeters) = (speedMetersPerSecond, accuracyMeters)
            self.fixedAt = fixedAt
        }

        /// Placeholder for decoders, which overwrite it.
        package static let blank = Position(
            coordinate: Coordinate(latitude: 0, longitude: 0), headingDegrees: nil, speedMetersPerSecond: 0,
            accuracyMeters: 0,
            fixedAt: Timestamp(milliseconds: 0))
    }

    package struct Stop: Sendable, Equatable {
        package var id: String
        package var kind: TripMessage.Stop.Kind
        package var status: StopStatus
        /// Seconds from ``TripEta/computedAt`` to arrival; -1 if passed, `nil` if unavailable.
        package var seconds: Int?
        /// Bounds of the 80 % interval.
        package var minSeconds: Int?
        package var maxSeconds: Int?
        package var confidence: Confidence?
        /// Distance along the route; if off the route, straight-line distance × ``ArrivalSettings/detourFactor``.
        package var distanceMeters: Double?
        /// Expected arrival; for a passed stop, the time of passing.
        package var arrivesAt: Timestamp?
        package var scheduledAt: Timestamp?
        /// Delay in seconds, positive if late.
        package var delaySeconds: Int?
        package var delay = Delay.unknown

        /// Placeholder for decoders, which overwrite it.
        package static let blank = Stop(id: "", kind: .stop, status: .unavailable)
    }

    package struct Change: Sendable, Equatable {
        /// State before the change; `nil` for the first message of a trip.
        package var previousState: TripState?
        package var triggeredBy: String?
        package var changedAt: Timestamp
        /// The encoded route, if the message changed it.
        package var routePolyline: String?
        package var contextJSON: String?
        /// The trip's current facts, from this message or an earlier message.
        package var factsJSON: String?

        /// Placeholder for decoders, which overwrite it.
        package static let blank = Change(changedAt: Timestamp(milliseconds: 0))
    }

    package var tripID: String
    package var driverID: String
    package var riderID: String?
    package var kind: TripMessage.Kind
    package var routeID: String?
    /// Vehicle number or plate shown to riders; `nil` if the trip has none.
    package var vehicleNumber: String?
    package var state: TripState
    package var stage: TripStage?
    package var version: Int64?
    package var change: Change?
    package var computedAt: Timestamp
    /// The last accepted position; `nil` before the first accepted fix.
    package var position: Position?
    package var progressMeters: Double?
    package var isOffRoute = false
    package var offRouteMeters: Double?
    package var isHalted = false
    /// Whether riders are notified that accepted fixes are missing, see ``ArrivalSettings/silentSeconds``.
    package var isSilent = false
    /// Whether the position is too old to be shown as live, see ``ArrivalSettings/staleSeconds``.
    package var isStale = false
    /// Whether a newer position is expected at once; without one, a later record repeats this record as final.
    package var isProvisional = false
    /// Whether another trip of the driver replaced this trip before its end was received.
    package var isDisplaced = false
    package var traffic = Traffic.unknown
    package var occupancyPercent: Int?
    /// `pickup` or `dropoff` when arrival there was detected; a suggestion, not a state.
    package var detectedArrivalStopID: String?
    package var nextStopID: String?
    package var passedStopID: String?
    package var passedAt: Timestamp?
    package var lastStopID: String?
    package var stops: [Stop] = []

    /// Age of the position at ``computedAt``, in seconds; `nil` without a position.
    package var ageSeconds: Double? { position.map { max(0, computedAt.seconds(since: $0.fixedAt)) } }

    package var staleSeconds: Int? { ageSeconds.map { Int(min($0, 1e9)) } }

    /// Distance from position to position while in progress; only in the trip's last record.
    package var drivenMeters: Double?
    /// Distance along the route, and from position to position off it; only in the last record of a trip with a route.
    package var snappedMeters: Double?
    package var plannedMeters: Double?
    package var fareChecks: FareChecks = []

    package init(
        tripID: String, driverID: String, kind: TripMessage.Kind = .ride, state: TripState, computedAt: Timestamp
    ) {
        (self.tripID, self.driverID, self.kind, self.state) = (tripID, driverID, kind, state)
        self.computedAt = computedAt
    }
}
