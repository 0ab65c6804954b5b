import Model
import Support

extension PushMessage {
    /// Makes the messages of a request that ended without a driver.
    ///
    /// The app gets the change of state. The person gets a text as well, unless the rider ended the request.
    ///
    /// - Parameters:
    ///   - trip: the trip's id.
    ///   - triggeredBy: who ended the request.
    ///   - entry: the id of its entry in Redis, from which the ids of the messages are made.
    ///   - at: when the request ended.
    /// - Returns: one or two messages.
    package static func messages(
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
