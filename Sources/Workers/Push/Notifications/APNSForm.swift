/// What Apple's service takes.
///
/// https://developer.apple.com/documentation/usernotifications
package struct APNSForm: Sendable {
    /// What the app is called: its bundle id.
    private let topic: String
    /// How long after what it tells of a notification is of use, in seconds.
    private let lifetimeSeconds: Int64

    package init(topic: String, lifetimeSeconds: Int) {
        self.topic = topic
        self.lifetimeSeconds = Int64(lifetimeSeconds)
    }

    /// The request for a device; `text` is `nil` for a refresh in the background.
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
                // 10 at once, 5 when it costs the phone little; in the background nothing but 5 is taken.
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
