/// Request format of the Apple Push Notification service.
///
/// https://developer.apple.com/documentation/usernotifications
struct APNSFormat: Sendable {
    /// Bundle id of the app.
    let topic: String
    /// Time from the event until APNs discards an undelivered notification, in seconds.
    let lifetimeSeconds: Int

    /// Returns the request for a device; `text` is `nil` for a background refresh.
    func request(_ message: PushMessage, _ text: PushText?, token: String) -> PushRequest {
        let payload = Payload(
            aps: text.map { Payload.Aps(alert: $0, sound: "default") } ?? Payload.Aps(contentAvailable: 1),
            tripID: message.tripID, eventID: message.eventID, eventType: message.eventType, newState: message.newState)
        return PushRequest(
            platform: .apns, path: "/3/device/\(token)",
            headers: [
                "apns-topic": topic,
                "apns-push-type": text == nil ? "background" : "alert",
                // 10 delivers immediately, 5 saves power; background notifications must use 5.
                "apns-priority": message.isUrgent ? "10" : "5",
                "apns-expiration": String(message.at.milliseconds / 1000 + Int64(lifetimeSeconds)),
                "apns-collapse-id": message.eventID,
                "content-type": "application/json",
            ], payload: payload)
    }

    private struct Payload: Encodable {
        struct Aps: Encodable {
            var alert: PushText?
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
    }
}
