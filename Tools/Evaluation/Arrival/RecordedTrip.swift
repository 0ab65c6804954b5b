import Domain
import Support

/// A recorded trip, as a trip service would have announced it, with its actual arrivals.
package struct RecordedTrip: Sendable {
    /// A stop with a known arrival.
    package struct Target: Sendable, Equatable {
        /// Index into the message's stops.
        package var stop: Int
        package var arrivedAt: Timestamp
        /// Planned arrival, by the timetable, or by the departure and the route's planned duration.
        package var plannedAt: Timestamp?
    }

    /// One announced trip: a run over all its stops, or a ride to one destination.
    package struct Journey: Sendable {
        package var message: TripMessage
        package var targets: [Target]
        /// Departure of a run from its first stop; `nil` for a ride or if unknown.
        package var departedAt: Timestamp?
    }

    package var id: String
    package var vehicleID: String
    package var startsAt: Timestamp
    /// Line, and distance and duration of the part of the trip whose ends have known times.
    package var driven: SpeedBook.Entry
    /// The whole trip first, then parts of it; learning uses only the first.
    package var journeys: [Journey]

    /// Renames the trip and its messages.
    mutating func rename(_ id: String) {
        self.id = id
        for index in journeys.indices { journeys[index].message.tripID = id }
    }
}
