import Codec
import Foundation

/// Notification for one device in the format of its service, without the authorization.
package struct PushRequest: Sendable, Equatable {
    /// Maximum size of a payload that both services accept, in bytes.
    package static let maximumPayloadBytes = 4096

    package struct Header: Sendable, Equatable {
        package let name: String
        package let value: String
    }

    package let platform: PushPlatform
    /// Begins with a slash.
    package let path: String
    /// Names in lower case, as HTTP/2 requires.
    package let headers: [Header]
    /// JSON.
    package let body: Data

    init(platform: PushPlatform, path: String, headers: KeyValuePairs<String, String>, payload: some Encodable) {
        self.platform = platform
        self.path = path
        self.headers = headers.map { Header(name: $0.key, value: $0.value) }
        let encoder = JSONEncoder()
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

/// Renders messages as requests to the configured services.
package struct PushRendering: Sendable {
    private let templates: PushTemplates
    private let apns: APNSFormat?
    private let fcm: FCMFormat?

    /// A format is `nil` if its service is not configured.
    package init(templates: PushTemplates, apns: APNSFormat?, fcm: FCMFormat?) {
        self.templates = templates
        self.apns = apns
        self.fcm = fcm
    }

    /// Returns the request for `device`; `nil` if its service is not configured.
    package func request(_ message: PushMessage, for device: PushDevice) -> PushRequest? {
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
