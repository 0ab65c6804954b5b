import Domain
import Support

/// Event of a trip without a driver: the trip was requested or its request has ended.
struct TripRequest: Sendable, Equatable {
    var tripID: String
    /// `requested` or `cancelled`.
    var state: TripState
    /// Start of the state; `nil` if not sent.
    var changedAt: Timestamp?
    /// Increases with each change of the trip; `nil` if not sent.
    var version: Int64?
    /// Facts to show with the trip, a JSON object; `nil` if absent.
    var factsJSON: String?
    /// Originator: `DRIVER`, `RIDER`, `SYSTEM`, …; `nil` if not sent.
    var triggeredBy: String?
    /// Index of the event in its batch.
    var index = 0
}

extension TripRequest {
    /// Creates the request of a message; `nil` if the message needs a driver.
    init?(_ message: TripMessage, index: Int) {
        guard !message.isDriverStatus, message.state == .requested || message.state == .cancelled else { return nil }
        self.init(
            tripID: message.tripID, state: message.state, changedAt: message.changedAt, version: message.version,
            factsJSON: message.factsJSON, triggeredBy: message.triggeredBy, index: index)
    }
}
