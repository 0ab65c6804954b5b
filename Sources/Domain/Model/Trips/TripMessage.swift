import Support

/// A message of the trips topic, from the trip service or the driver's app.
package struct TripMessage: Sendable, Equatable {
    package enum Kind: UInt8, Sendable, CaseIterable {
        /// A passenger or parcel from a pickup to a dropoff.
        case ride
        /// A scheduled run over many stops.
        case transit
        package static let codes: [StaticString] = ["ride", "transit"]
        package var code: StaticString { Self.codes[Int(rawValue)] }
    }

    package struct Stop: Sendable, Equatable {
        package enum Kind: UInt8, Sendable, CaseIterable {
            case pickup, dropoff, stop
            package static let codes: [StaticString] = ["PICKUP", "DROPOFF", "STOP"]
            package var code: StaticString { Self.codes[Int(rawValue)] }
        }

        package var id: String
        package var kind: Kind
        package var coordinate: Coordinate
        package var scheduledAt: Timestamp?

        package init(id: String, kind: Kind, coordinate: Coordinate, scheduledAt: Timestamp? = nil) {
            (self.id, self.kind, self.coordinate, self.scheduledAt) = (id, kind, coordinate, scheduledAt)
        }
    }

    package struct Route: Sendable, Equatable {
        /// The points as an encoded polyline of precision 5.
        package var polyline: String
        package var points: [Coordinate]
        package var distanceMeters: Double?
        package var durationSeconds: Double?

        package init(
            polyline: String, points: [Coordinate], distanceMeters: Double? = nil, durationSeconds: Double? = nil
        ) {
            (self.polyline, self.points, self.distanceMeters) = (polyline, points, distanceMeters)
            self.durationSeconds = durationSeconds
        }
    }

    package var tripID: String
    package var driverID: String
    package var riderID: String?
    package var kind: Kind
    package var state: TripState
    /// Step within the state, if the trip service sends it.
    package var stage: TripStage?
    /// Originator (`DRIVER`, `RIDER`, `SYSTEM`, …), passed through unchanged.
    package var triggeredBy: String?
    package var changedAt: Timestamp?
    /// Version, which increases with each change of the trip.
    package var version: Int64?
    package var stops: [Stop]
    package var route: Route?
    package var routeID: String?
    /// Vehicle number or plate shown to riders.
    package var vehicleNumber: String?
    /// 0 for the current trip, 1 for the next trip of a chained ride.
    package var queuePosition: Int
    /// Context of the change: a JSON object, passed through unchanged.
    package var contextJSON: String?
    /// Whether the driver's app sent the message, which starts no trip and keeps kind, version and queue position.
    package var isDriverStatus = false
    /// Facts to show with the trip (rider, driver, vehicle, fare, …): a JSON object, passed through unchanged.
    package var factsJSON: String?

    package init(
        tripID: String, driverID: String, riderID: String? = nil, kind: Kind = .ride, state: TripState,
        stage: TripStage? = nil, triggeredBy: String? = nil, changedAt: Timestamp? = nil, version: Int64? = nil,
        stops: [Stop] = [], route: Route? = nil, routeID: String? = nil, queuePosition: Int = 0,
        contextJSON: String? = nil, factsJSON: String? = nil
    ) {
        (self.tripID, self.driverID, self.riderID, self.kind) = (tripID, driverID, riderID, kind)
        (self.state, self.stage, self.triggeredBy, self.changedAt) = (state, stage, triggeredBy, changedAt)
        (self.version, self.stops, self.route, self.routeID) = (version, stops, route, routeID)
        (self.queuePosition, self.contextJSON, self.factsJSON) = (queuePosition, contextJSON, factsJSON)
    }
}

extension TripMessage {
    /// Limits the time of a driver's status to its receipt, so that the trip service's later messages are newer.
    package func dated(atLatest receivedAt: Timestamp) -> TripMessage {
        guard isDriverStatus else { return self }
        var message = self
        message.changedAt = min(message.changedAt ?? receivedAt, receivedAt)
        return message
    }
}
