/// Request format of the Apple Push Notification service.
///
/// https://developer.apple.com/documentation/usernotifications
package struct APNSFormat: Sendable {
    /// Bundle id of the app.
    private let topic: String
    /// Time from the event until APNs discards an undelivered notification, in seconds.
    private let lifetimeSeconds: Int64

    package init(topic: String, lifetimeSeconds: Int) {
        self.topic = topic
        self.lifetimeSeconds = Int64(lifetimeSeconds)
    }

    /// Returns the request for a device; `text` is `nil` for a background refresh.
    package func request(_ message: PushMessage, _ text: PushText?, token: String) -> PushRequest {
        var payload = Payload(
            aps: Payload.Aps(), tripID: message.tripID, eventID: message.eventID, eventType: message.eventType)
        var isUrgent = false
        switch message.content {
        case .alert(_, _, let urgent):
            isUrgent = urgent
            payload.aps.alert = text.map { Payload.Alert(title: $0.title, body: $0.body) }
            payload.aps.sound = "default"
        case .refresh(let state):
            payload.aps.contentAvailable = 1
            payload.newState = state
        }
        return PushRequest(
            platform: .apns, path: "/3/device/\(token)",
            headers: [
                "apns-topic": topic,
                "apns-push-type": text == nil ? "background" : "alert",
                // 10 delivers immediately, 5 saves power; background notifications must use 5.
                "apns-priority": isUrgent ? "10" : "5",
                "apns-expiration": String(message.at.milliseconds / 1000 + lifetimeSeconds),
                "apns-collapse-id": message.eventID,
                "content-type": "application/json",
            ], payload: payload)
    }

    private struct Payload: Encodable {
        struct Alert: Encodable {
            var title: String
            var body: String
        }
        struct Aps: Encodable {
            var alert: Alert?
            var sound: String?
            var contentAvailable: Int?
            enum CodingKeys: String, CodingKey {
                case alert, sound
                case contentAvailable = "content-available"
            }
        }
        var aps: Aps
        var tripID: String
        var eventID: String
        var eventType: String
        var newState: String?
        enum CodingKeys: String, CodingKey {
            case aps
            case tripID = "trip_id"
            case eventID = "event_id"
            case eventType = "event_type"
            case newState = "new_state"
        }
    }
}
