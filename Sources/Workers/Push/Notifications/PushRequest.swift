import Codec
import Foundation

/// Notification for one device in the format of its service, without the authorization.
struct PushRequest: Sendable {
    /// Maximum size of a payload that both services accept, in bytes.
    static let maximumPayloadBytes = 4096

    let platform: PushPlatform
    /// Path of the URL, which begins with a slash.
    let path: String
    /// Headers with names in lower case, as HTTP/2 requires.
    let headers: [(name: String, value: String)]
    let body: Data

    init(platform: PushPlatform, path: String, headers: KeyValuePairs<String, String>, payload: some Encodable) {
        self.platform = platform
        self.path = path
        self.headers = headers.map { ($0.key, $0.value) }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            body = try encoder.encode(payload)
        } catch {
            preconditionFailure("A payload of texts and numbers cannot be encoded: \(error)")
        }
        precondition(
            body.count <= Self.maximumPayloadBytes,
            "A payload has \(body.count) bytes, although all of its texts are bounded.")
    }
}

/// Renderer of messages as requests to the configured services.
struct PushRendering: Sendable {
    let templates: PushTemplates
    /// Format of APNs requests; `nil` if APNs is not configured, like ``fcm`` for FCM.
    let apns: APNSFormat?
    let fcm: FCMFormat?

    /// Returns the request for `device`; `nil` if its service is not configured.
    func request(_ message: PushMessage, for device: PushDevice) -> PushRequest? {
        var text: PushText?
        if case .alert(let moment, let facts, _) = message.content {
            text = templates.text(moment, facts, language: device.language)
        }
        switch device.platform {
        case .apns: return apns?.request(message, text, token: device.token)
        case .fcm: return fcm?.request(message, text, token: device.token)
        }
    }
}
