/// Request format of Firebase Cloud Messaging.
///
/// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
struct FCMFormat: Sendable {
    let project: String
    /// Time for which FCM keeps a message for an unreachable phone, in seconds.
    let lifetimeSeconds: Int

    /// Returns the request for a device; `text` is `nil` for a background refresh, which contains only data.
    func request(_ message: PushMessage, _ text: PushText?, token: String) -> PushRequest {
        var data = ["trip_id": message.tripID, "event_id": message.eventID, "event_type": message.eventType]
        data["new_state"] = message.newState
        let payload = Message(
            token: token, notification: text, data: data,
            android: Message.Android(
                priority: message.isUrgent ? "HIGH" : "NORMAL", ttl: "\(lifetimeSeconds)s",
                collapseKey: message.eventID,
                // A phone replaces a displayed notification with the same tag.
                notification: text.map { _ in ["tag": message.eventID] }))
        return PushRequest(
            platform: .fcm, path: "/v1/projects/\(project)/messages:send",
            headers: ["content-type": "application/json"], payload: ["message": payload])
    }

    private struct Message: Encodable {
        struct Android: Encodable {
            var priority: String
            var ttl: String
            var collapseKey: String
            var notification: [String: String]?
        }
        var token: String
        var notification: PushText?
        var data: [String: String]
        var android: Android
    }
}
