import Model

/// A trip that a simulated driver is serving.
struct ServedTrip: Sendable {
    /// The message as last sent; each change is a new version of it.
    var message: TripMessage
    /// Where the truth of it stands in the ledger.
    let truth: Int
    /// Crossings of pickup and dropoff; unused for a bus.
    let pickup: Int
    let dropoff: Int
    /// Distances of a bus's stops from the first, and which comes next.
    var nextStop = 0

    var state: TripState { message.state }
}
