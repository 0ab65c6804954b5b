import Codec
import Model
import Support

/// What phones are told about a trip because of one record of `rider.updates`.
package struct PushMessage: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        /// A text for the person.
        case alert(PushMoment, PushFacts, isUrgent: Bool)
        /// The app is woken in the background, to ask for the trip's state.
        case refresh(state: String)
    }

    package let tripID: String
    /// The event's id: the same in every delivery of this message, so that a phone shows it once.
    package let eventID: String
    package let content: Content
    /// When what it tells of happened, by the record's timestamp.
    package let at: Timestamp

    package init(tripID: String, eventID: String, content: Content, at: Timestamp) {
        self.tripID = tripID
        self.eventID = eventID
        self.content = content
        self.at = at
    }

    /// What is to be told of a record; `nil` where phones are not told.
    ///
    /// A trip that its rider cancelled is told to the app alone, by the change of its state.
    package init?(_ record: RiderUpdateRecord, event: EventID, at: Timestamp) {
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

    /// `event_type` in the payload.
    package var eventType: String {
        switch content {
        case .alert(let moment, _, _): moment.rawValue
        case .refresh: "trip_state_changed"
        }
    }
}
