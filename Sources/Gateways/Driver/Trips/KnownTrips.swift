import Domain

/// A driver's trips in the pipeline after a message about one of them.
struct KnownTrips: Sendable, Equatable {
    struct Trip: Sendable, Equatable {
        var id: String
        var state: TripState
    }

    /// Open trips: the current and the next one.
    var open: [Trip]
    /// Trip of the last message, which may have ended with it.
    var newest: String

    /// Whether the trip is open, or was the trip of the last message.
    func contains(_ tripID: String) -> Bool { tripID == newest || open.contains { $0.id == tripID } }

    /// Returns the trips after a status of the device has been applied.
    func applying(tripID: String, _ state: TripState) -> KnownTrips {
        var trips = self
        guard let index = trips.open.firstIndex(where: { $0.id == tripID }) else { return trips }
        trips.open[index].state = state
        if state.hasEnded { trips.open.remove(at: index) }
        return trips
    }
}
