import Codec
import Domain
import Support

/// Push message about a trip, independent of device and service.
struct PushMessage: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case alert(PushMoment, PushFacts, isUrgent: Bool)
        /// Wakes the app in the background, to fetch the trip's state.
        case refresh(state: String)
    }

    let tripID: String
    /// Identical in repeated deliveries, so that a phone shows the message once.
    let eventID: String
    let content: Content
    let at: Timestamp

    /// Whether the service must deliver the message immediately.
    var isUrgent: Bool { if case .alert(_, _, let isUrgent) = content { isUrgent } else { false } }

    /// Value of `new_state` in the payload.
    var newState: String? { if case .refresh(let state) = content { state } else { nil } }

    /// Value of `event_type` in the payload.
    var eventType: String {
        switch content {
        case .alert(let moment, _, _): moment.rawValue
        case .refresh: "trip_state_changed"
        }
    }
}

extension PushMessage {
    /// Returns the message for a record; `nil` if phones are not notified.
    ///
    /// If the rider cancelled the trip, only a refresh is sent.
    init?(_ record: RiderUpdateRecord, event: EventID, at: Timestamp) {
        guard let trip = record.channel.dropping(prefix: "trip:") else { return nil }
        let content: Content
        switch record.update {
        case .notification(let notification):
            guard let moment = PushMoment(notification) else { return nil }
            content = .alert(moment, PushFacts(notification), isUrgent: notification.priority == .high)
        case .stateChanged(let change):
            guard change.previousState != change.state else { return nil }
            content = .refresh(state: "\(change.state.code)")
        case .driverLocation, .eta, .vehiclePosition, .vehicleLeft: return nil
        }
        self.init(tripID: trip.string, eventID: event.description, content: content, at: at)
    }

    /// Returns the messages for a request that ended without a driver.
    ///
    /// The app gets a refresh, and the rider a text unless the rider ended the request. Event ids are made from
    /// `entry`, the id of the stream entry in Redis.
    static func messages(
        ofEndedRequest trip: String, triggeredBy: String?, entry: String, at: Timestamp
    ) -> [PushMessage] {
        let refresh = PushMessage(
            tripID: trip, eventID: "r\(entry)", content: .refresh(state: "\(TripState.cancelled.code)"), at: at)
        if triggeredBy == "RIDER" { return [refresh] }
        let alert = PushMessage(
            tripID: trip, eventID: "r\(entry)/1", content: .alert(.noDriverFound, PushFacts(), isUrgent: true), at: at)
        return [refresh, alert]
    }
}
