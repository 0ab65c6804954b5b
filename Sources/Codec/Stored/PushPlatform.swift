/// The services that bring notifications to phones.
package enum PushPlatform: String, Sendable, CaseIterable {
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
}
