import Codec
import Foundation

/// A service's answer.
package struct PushAnswer: Sendable {
    /// The longest wait that a service can ask for, in seconds.
    static let longestWaitSeconds = 300

    private let status: Int
    private let retryAfter: String?
    private let body: Data

    /// `retryAfter`: the header of that name; `body`: JSON, of which little is looked at.
    package init(status: Int, retryAfter: String? = nil, body: Data = Data()) {
        self.status = status
        self.retryAfter = retryAfter
        self.body = body
    }

    /// What it means, coming from `platform`.
    package func outcome(of platform: PushPlatform) -> PushOutcome {
        if status == 200 { return .delivered }
        let reason = reason(of: platform)
        let text = reason.isEmpty ? "HTTP \(status)" : "HTTP \(status) \(reason)"
        switch platform {
        case .apns:
            if status == 410 || ["Unregistered", "BadDeviceToken", "ExpiredToken"].contains(reason) {
                return .unregistered
            }
            if status == 403, reason == "ExpiredProviderToken" { return .loginExpired }
        case .fcm:
            // Of another argument the payload is at fault, and removing the device would hide that.
            if reason == "UNREGISTERED" || (reason == "INVALID_ARGUMENT" && namesToken) { return .unregistered }
            if status == 401 { return .loginExpired }
        }
        guard status == 408 || status == 429 || (500...599).contains(status) else { return .refused(reason: text) }
        return .later(seconds: waitSeconds, reason: text)
    }

    private var waitSeconds: Int {
        guard let retryAfter, let seconds = Int(retryAfter), seconds > 0 else { return 0 }
        return min(seconds, Self.longestWaitSeconds)
    }

    /// Whether Google's answer says that the device's token is what it cannot accept.
    private var namesToken: Bool {
        let details = googleError["details"] as? [[String: Any]] ?? []
        let violations = details.flatMap { $0["fieldViolations"] as? [[String: Any]] ?? [] }
        if !violations.isEmpty { return violations.allSatisfy { $0["field"] as? String == "message.token" } }
        return (googleError["message"] as? String)?.contains("registration token") ?? false
    }

    private var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

    private var googleError: [String: Any] { object["error"] as? [String: Any] ?? [:] }

    /// The code that the body names; empty where it names none that looks like one.
    private func reason(of platform: PushPlatform) -> String {
        var reason: String?
        switch platform {
        case .apns: reason = object["reason"] as? String
        case .fcm:
            let details = googleError["details"] as? [[String: Any]] ?? []
            reason = details.lazy.compactMap { $0["errorCode"] as? String }.first ?? googleError["status"] as? String
        }
        guard let reason, reason.utf8.count <= 64,
            reason.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return "" }
        return reason
    }
}
