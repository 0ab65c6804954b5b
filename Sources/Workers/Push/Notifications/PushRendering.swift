import Codec

/// Makes the requests of messages, for the services that are set up.
package struct PushRendering: Sendable {
    private let templates: PushTemplates
    private let apns: APNSForm?
    private let fcm: FCMForm?

    /// A form is `nil` where the service is not set up.
    package init(templates: PushTemplates, apns: APNSForm?, fcm: FCMForm?) {
        self.templates = templates
        self.apns = apns
        self.fcm = fcm
    }

    /// The request that tells `device`; `nil` where its service is not set up.
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
