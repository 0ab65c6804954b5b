import Lanes

/// Which source records of a lane the audit speaks of.
struct LaneScope {
    let lane: Int32
    /// The first offset of the raw topic, and of trips, whose outcomes are still on the topics.
    let firstRaw: Int64
    let firstTrip: Int64
    /// Up to where the raw topic, and trips, had been answered before the audit began to read.
    let settledRaw: Int64
    let settledTrips: Int64
    /// Asks for the ends of both topics as they are now.
    let endsNow: () throws -> (raw: Int64, trips: Int64)

    /// Whether an event may have come about while the audit was reading.
    func mayBeNew(_ event: EventID) throws -> Bool {
        switch event.origin {
        case .raw: event.offset >= settledRaw ? event.offset < (try endsNow().raw) : false
        case .trips: event.offset >= settledTrips ? event.offset < (try endsNow().trips) : false
        }
    }
}
