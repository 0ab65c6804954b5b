/// Request format of Firebase Cloud Messaging.
///
/// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
package struct FCMFormat: Sendable {
    private let project: String
    /// Time for which FCM keeps a message for an unreachable phone, in seconds.
    private let lifetimeSeconds: Int

    package init(project: String, lifetimeSeconds: Int) {
        self.project = project
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Returns the request for a device; `text` is `nil` for a background refresh, which contains only data.
    package func request(_ message: PushMessage, _ text: PushText?, token: String) -> PushRequest {
        var data = ["trip_id": message.tripID, "event_id": message.eventID, "event_type": message.eventType]
        var isUrgent = false
        switch message.content {
        case .alert(_, _, let urgent): isUrgent = urgent
        case .refresh(let state): data["new_state"] = state
        }
        let payload = Payload(
            message: Payload.Message(
                token: token, notification: text.map { Payload.Notification(title: $0.title, body: $0.body) },
                data: data,
                android: Payload.Android(
                    priority: isUrgent ? "HIGH" : "NORMAL", ttl: "\(lifetimeSeconds)s", collapseKey: message.eventID,
                    // A phone replaces a displayed notification with the same tag.
                    notification: text.map { _ in Payload.AndroidNotification(tag: message.eventID) })))
        return PushRequest(
            platform: .fcm, path: "/v1/projects/\(project)/messages:send",
            headers: ["content-type": "application/json"], payload: payload)
    }

    private struct Payload: Encodable {
        struct Notification: Encodable {
            var title: String
            var body: String
        }
        struct AndroidNotification: Encodable {
            var tag: String
        }
        struct Android: Encodable {
            var priority: String
            var ttl: String
            var collapseKey: String
            var notification: AndroidNotification?
            enum CodingKeys: String, CodingKey {
                case priority, ttl, notification
                case collapseKey = "collapse_key"
            }
        }
        struct Message: Encodable {
            var token: String
            var notification: Notification?
            var data: [String: String]
            var android: Android
        }
        var message: Message
    }
}
