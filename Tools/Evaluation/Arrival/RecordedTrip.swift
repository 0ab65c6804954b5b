import Domain
import Support

/// A trip that was driven and recorded, as a trip service would have announced it, and when it really arrived.
package struct RecordedTrip: Sendable {
    /// A place whose arrival is predicted and known.
    package struct Target: Sendable, Equatable {
        /// Index into the message's stops.
        package var stop: Int
        package var arrivedAt: Timestamp
        /// What the plan says without any position: by the timetable, or by the time of departure and the route.
        package var plannedAt: Timestamp?
    }

    /// One announced trip: a run over all its stops, or a ride to one place on the way.
    package struct Journey: Sendable {
        package var message: TripMessage
        package var targets: [Target]
        /// When a run left its first stop; `nil` for a ride, and for a run that was not seen there.
        package var departedAt: Timestamp?
    }

    package var id: String
    package var vehicleID: String
    /// The line, where the recording names one.
    package var routeID: String?
    package var half: EvaluationHalf
    package var startsAt: Timestamp
    /// How far and how long it went between its first and its last known place.
    package var drivenMeters: Double
    package var drivenSeconds: Double
    /// The whole trip first: learning is from it alone, the others are parts of it.
    package var journeys: [Journey]

    package init(
        id: String, vehicleID: String, routeID: String?, half: EvaluationHalf? = nil, startsAt: Timestamp,
        drivenMeters: Double, drivenSeconds: Double, journeys: [Journey]
    ) {
        self.id = id
        self.vehicleID = vehicleID
        self.routeID = routeID
        self.half = half ?? EvaluationHalf.of(tripID: id)
        self.startsAt = startsAt
        self.drivenMeters = drivenMeters
        self.drivenSeconds = drivenSeconds
        self.journeys = journeys
    }

    /// Names the trip, as a whole and in its messages.
    mutating func rename(_ id: String) {
        self.id = id
        for index in journeys.indices { journeys[index].message.tripID = id }
    }
}
