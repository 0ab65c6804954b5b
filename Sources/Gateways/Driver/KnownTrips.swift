import Model

/// A driver's trips as the pipeline has them after a message about one of them.
package struct KnownTrips: Sendable, Equatable {
    package struct Trip: Sendable, Equatable {
        package var id: String
        package var state: TripState

        package init(id: String, state: TripState) {
            self.id = id
            self.state = state
        }
    }

    /// Trips that have not ended: the one that is driven, and the next one.
    package var open: [Trip]
    /// The trip of the message, which may have ended with it.
    package var newest: String

    package init(open: [Trip], newest: String) {
        self.open = open
        self.newest = newest
    }

    /// Whether the pipeline knows the trip, or knew it before it ended.
    func contains(_ tripID: String) -> Bool { tripID == newest || open.contains { $0.id == tripID } }

    /// The same trips once the pipeline has followed what the device says of one of them.
    package func following(tripID: String, _ state: TripState) -> KnownTrips {
        var trips = self
        guard let index = trips.open.firstIndex(where: { $0.id == tripID }) else { return trips }
        trips.open[index].state = state
        if state.hasEnded { trips.open.remove(at: index) }
        return trips
    }
}
