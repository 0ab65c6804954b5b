import Codec
import Foundation

/// Meaning of a push service's response.
enum PushOutcome: Sendable, Equatable {
    case delivered
    /// The token is invalid or expired, or the device no longer has the app; the registration is removed.
    case unregistered
    /// The login has expired; the request is repeated with a new login.
    case loginExpired
    /// Temporary failure; `seconds` is the value of `Retry-After`, 0 if absent.
    case later(seconds: Int, reason: String)
    case refused(reason: String)
}

struct PushResponse: Sendable {
    /// Upper limit of `Retry-After`, in seconds.
    static let longestWaitSeconds = 300

    let status: Int
    /// Seconds from the `Retry-After` header; `nil` if absent.
    var retryAfter: String?
    /// JSON; empty if absent.
    var body = Data()

    func outcome(from platform: PushPlatform) -> PushOutcome {
        if status == 200 { return .delivered }
        let reason = reason(from: platform)
        let text = reason.isEmpty ? "HTTP \(status)" : "HTTP \(status) \(reason)"
        switch platform {
        case .apns:
            if status == 410 || ["Unregistered", "BadDeviceToken", "ExpiredToken"].contains(reason) {
                return .unregistered
            }
            if status == 403, reason == "ExpiredProviderToken" { return .loginExpired }
        case .fcm:
            // INVALID_ARGUMENT for another field is an error in the payload, which must not remove the device.
            if reason == "UNREGISTERED" || (reason == "INVALID_ARGUMENT" && rejectsToken) { return .unregistered }
            if status == 401 { return .loginExpired }
        }
        guard status == 408 || status == 429 || (500...599).contains(status) else { return .refused(reason: text) }
        return .later(seconds: waitSeconds, reason: text)
    }

    private var waitSeconds: Int {
        guard let retryAfter, let seconds = Int(retryAfter), seconds > 0 else { return 0 }
        return min(seconds, Self.longestWaitSeconds)
    }

    /// Whether FCM rejects the device's token rather than another argument.
    private var rejectsToken: Bool {
        let violations = googleDetails.flatMap { $0["fieldViolations"] as? [[String: Any]] ?? [] }
        if !violations.isEmpty { return violations.allSatisfy { $0["field"] as? String == "message.token" } }
        return (googleError["message"] as? String)?.contains("registration token") ?? false
    }

    private var object: [String: Any] { (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] ?? [:] }

    private var googleError: [String: Any] { object["error"] as? [String: Any] ?? [:] }

    private var googleDetails: [[String: Any]] { googleError["details"] as? [[String: Any]] ?? [] }

    /// Returns the error code in the body; empty unless it is printable ASCII of at most 64 bytes.
    private func reason(from platform: PushPlatform) -> String {
        let reason =
            switch platform {
            case .apns: object["reason"] as? String
            case .fcm:
                googleDetails.lazy.compactMap { $0["errorCode"] as? String }.first ?? googleError["status"] as? String
            }
        guard let reason, reason.utf8.count <= 64, reason.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return "" }
        return reason
    }
}
