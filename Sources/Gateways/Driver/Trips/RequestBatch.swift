import Codec
import Support

/// What becomes of the events of one request about trips that have no driver, by what the store has of these trips.
package struct RequestBatch: Sendable {
    private struct Known {
        var held: StoredRequest?
        var hasDriver: Bool
        var isChanged = false
        var isRenewed = false
        var cancellation: RequestCancellation?
    }

    private var known: [String: Known] = [:]

    package init() {}

    /// Takes in what the store has of a trip: its request, and whether it has a driver by now.
    package mutating func know(_ trip: String, _ held: StoredRequest?, hasDriver: Bool) {
        known[trip] = Known(held: held, hasDriver: hasDriver)
    }

    /// Takes in an event of a trip that is known.
    ///
    /// Of a trip that has a driver, a request is one that was sent again, and changes nothing. Its cancellation would be
    /// told to no rider and no driver.
    ///
    /// - Returns: `false` for such a cancellation.
    package mutating func take(_ event: TripRequest, at now: Timestamp) -> Bool {
        guard var trip = known[event.tripID] else { preconditionFailure("An event is of a trip that was not read.") }
        guard !trip.hasDriver else { return event.state != .cancelled }
        switch StoredRequest.change(of: trip.held, by: event, at: now) {
        case .write(let next):
            if next.state == .cancelled, trip.held?.state != .cancelled {
                trip.cancellation = RequestCancellation(tripID: event.tripID, triggeredBy: event.triggeredBy)
            }
            trip.held = next
            trip.isChanged = true
            trip.isRenewed = true
        case .repeated: trip.isRenewed = true
        case .outdated: break
        }
        known[event.tripID] = trip
        return true
    }

    /// The requests to be written, by trip.
    package var writes: [(trip: String, request: StoredRequest)] {
        known.compactMap { trip, known in known.isChanged ? known.held.map { (trip, $0) } : nil }
    }

    /// The requests that end with this batch, in the order of their trips' ids.
    package var cancellations: [RequestCancellation] {
        known.values.compactMap(\.cancellation).sorted { $0.tripID < $1.tripID }
    }

    /// The trips whose requests are to be kept for a whole lifetime from now on.
    package var renewals: [String] { known.filter(\.value.isRenewed).map(\.key) }
}
