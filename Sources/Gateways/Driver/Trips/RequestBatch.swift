import Codec
import Support

/// Effect of one HTTP request's events on the stored trips without a driver.
struct RequestBatch: Sendable {
    private struct Known {
        var stored: StoredRequest?
        var hasDriver: Bool
        var isChanged = false
        var isRenewed = false
        var cancellation: RequestCancellation?
    }

    private var known: [String: Known] = [:]

    /// Sets the stored request of a trip, and whether the trip already has a driver.
    mutating func load(_ trip: String, _ stored: StoredRequest?, hasDriver: Bool) {
        known[trip] = Known(stored: stored, hasDriver: hasDriver)
    }

    /// Applies an event of a loaded trip.
    ///
    /// If the trip has a driver, `requested` is a retry and has no effect, and `cancelled` is rejected, because neither
    /// rider nor driver would be notified.
    /// - Returns: `false` if the event is rejected.
    mutating func apply(_ event: TripRequest, at now: Timestamp) -> Bool {
        guard var trip = known[event.tripID] else { preconditionFailure("The trip was not loaded.") }
        guard !trip.hasDriver else { return event.state != .cancelled }
        switch StoredRequest.change(of: trip.stored, by: event, at: now) {
        case .write(let next):
            if next.state == .cancelled, trip.stored?.state != .cancelled {
                trip.cancellation = RequestCancellation(tripID: event.tripID, triggeredBy: event.triggeredBy)
            }
            trip.stored = next
            trip.isChanged = true
            trip.isRenewed = true
        case .repeated: trip.isRenewed = true
        case .outdated: break
        }
        known[event.tripID] = trip
        return true
    }

    var writes: [(trip: String, request: StoredRequest)] {
        known.compactMap { trip, known in known.isChanged ? known.stored.map { (trip, $0) } : nil }
    }

    /// Requests cancelled by this batch, sorted by trip id.
    var cancellations: [RequestCancellation] {
        known.values.compactMap(\.cancellation).sorted { $0.tripID < $1.tripID }
    }

    /// Trips whose stored requests get a new expiry time.
    var renewals: [String] { known.filter(\.value.isRenewed).map(\.key) }
}
