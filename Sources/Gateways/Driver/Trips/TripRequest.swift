import Model
import Support

/// An event of a trip that has no driver: it was requested, or its request has ended.
package struct TripRequest: Sendable, Equatable {
    package var tripID: String
    /// `requested` or `cancelled`.
    package var state: TripState
    /// When the state began, as the trip service says; `nil` where it does not.
    package var changedAt: Timestamp?
    /// Grows with each change of the trip; `nil` where the trip service does not count.
    package var version: Int64?
    /// What the trip service wants shown with the trip: a JSON object; `nil` when absent.
    package var factsJSON: String?
    /// `DRIVER`, `RIDER`, `SYSTEM`, …: who caused it; `nil` where the trip service does not say.
    package var triggeredBy: String?
    /// The place of the event in its batch, from 0.
    package var place: Int

    package init(
        tripID: String, state: TripState, changedAt: Timestamp? = nil, version: Int64? = nil, factsJSON: String? = nil,
        triggeredBy: String? = nil, place: Int = 0
    ) {
        self.tripID = tripID
        self.state = state
        self.changedAt = changedAt
        self.version = version
        self.factsJSON = factsJSON
        self.triggeredBy = triggeredBy
        self.place = place
    }

    /// The event as a request before a match; `nil` for a message that needs a driver.
    init?(_ message: TripMessage, place: Int) {
        guard !message.isDriverStatus, message.state == .requested || message.state == .cancelled else { return nil }
        self.init(
            tripID: message.tripID, state: message.state, changedAt: message.changedAt, version: message.version,
            factsJSON: message.factsJSON, triggeredBy: message.triggeredBy, place: place)
    }
}
