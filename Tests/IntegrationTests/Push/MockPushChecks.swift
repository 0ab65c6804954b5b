import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Signatures
import TestSupport

/// Checks that the real push services apply to requests.
struct MockPushChecks: Sendable {
    struct Problem: Error, CustomStringConvertible {
        var description: String
    }

    private struct AppleClaims: Decodable {
        let iss: String
        let iat: Int
    }

    private struct GoogleClaims: Decodable {
        let iss: String
        let scope: String
        let aud: String
        let iat: Int
        let exp: Int
    }

    static let accessToken = "access"
    private static let maximumBytes = 4096
    private static let hour = 3600.0

    let apple: SignatureKey
    let google: SignatureKey

    /// Returns the error in a request for an access token, or `nil`.
    func grant(_ body: String) -> String? {
        let prefix = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        guard body.hasPrefix(prefix) else { return "not a grant: \(body.prefix(100))" }
        do {
            let claims = try SignedToken.claims(
                GoogleClaims.self, of: String(body.dropFirst(prefix.count)), key: google, keyID: "K1")
            guard claims.iss == MockPushService.email, claims.aud.hasSuffix("/token"),
                claims.scope == "https://www.googleapis.com/auth/firebase.messaging",
                claims.exp - claims.iat <= Int(Self.hour), Self.isFresh(claims.iat)
            else { return "invalid claims: \(claims)" }
            return nil
        } catch {
            return "invalid signature of the grant: \(error)"
        }
    }

    func apple(_ request: Request, _ body: ByteBuffer) throws -> Result<MockPushService.Delivered, Problem> {
        func header(_ name: String) -> String { HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
        func problem(_ text: String) -> Result<MockPushService.Delivered, Problem> {
            .failure(Problem(description: "apns: \(text)"))
        }
        guard request.method == .post, header("authorization").hasPrefix("bearer ") else {
            return problem("not a POST with a bearer token")
        }
        do {
            let claims = try SignedToken.claims(
                AppleClaims.self, of: String(header("authorization").dropFirst(7)), key: apple,
                keyID: MockPushService.keyID)
            guard claims.iss == MockPushService.teamID, Self.isFresh(claims.iat) else { return problem("\(claims)") }
        } catch {
            return problem("invalid signature of the token: \(error)")
        }
        guard header("apns-topic") == MockPushService.topic else { return problem("wrong topic") }
        let collapse = header("apns-collapse-id")
        guard (1...64).contains(collapse.utf8.count) else { return problem("invalid collapse id \(collapse)") }
        guard let expiration = Double(header("apns-expiration")), expiration > Date().timeIntervalSince1970 else {
            return problem("expired")
        }
        guard body.readableBytes <= Self.maximumBytes,
            let payload = try? JSONDecoder().decode(ApplePayload.self, from: Data(body.readableBytesView))
        else { return problem("the payload is too large or invalid") }
        switch header("apns-push-type") {
        case "alert":
            guard payload.aps.alert != nil, ["5", "10"].contains(header("apns-priority")) else {
                return problem("alert push without an alert or with an invalid priority")
            }
        case "background":
            guard payload.aps.contentAvailable == 1, payload.aps.alert == nil, header("apns-priority") == "5" else {
                return problem("background push with an alert, without content-available or without priority 5")
            }
        default: return problem("unknown push type")
        }
        return .success(
            MockPushService.Delivered(
                platform: .apns, token: String(request.uri.path.dropFirst("/3/device/".count)), event: collapse,
                type: payload.eventType, title: payload.aps.alert?.title))
    }

    func google(_ request: Request, _ body: ByteBuffer) -> Result<MockPushService.Delivered, Problem> {
        guard request.uri.path == "/v1/projects/\(MockPushService.project)/messages:send", request.method == .post,
            request.headers[.authorization] == "Bearer \(Self.accessToken)"
        else { return .failure(Problem(description: "fcm: wrong path or access token: \(request.uri.path)")) }
        guard body.readableBytes <= Self.maximumBytes,
            let payload = try? JSONDecoder().decode(GooglePayload.self, from: Data(body.readableBytesView)),
            let event = payload.message.data["event_id"], payload.message.android.collapseKey == event,
            ["NORMAL", "HIGH"].contains(payload.message.android.priority)
        else { return .failure(Problem(description: "fcm: \(String(buffer: body))")) }
        return .success(
            MockPushService.Delivered(
                platform: .fcm, token: payload.message.token, event: event,
                type: payload.message.data["event_type"] ?? "", title: payload.message.notification?.title))
    }

    /// Returns whether a token was issued within the last hour.
    private static func isFresh(_ issuedAt: Int) -> Bool {
        (-60...hour).contains(Date().timeIntervalSince1970 - Double(issuedAt))
    }

    private struct ApplePayload: Decodable {
        struct Alert: Decodable {
            var title: String
        }
        struct Aps: Decodable {
            var alert: Alert?
            var contentAvailable: Int?
            enum CodingKeys: String, CodingKey {
                case alert
                case contentAvailable = "content-available"
            }
        }
        var aps: Aps
        var eventType: String
        enum CodingKeys: String, CodingKey {
            case aps
            case eventType = "event_type"
        }
    }

    private struct GooglePayload: Decodable {
        struct Text: Decodable {
            var title: String
        }
        struct Android: Decodable {
            var priority: String
            var collapseKey: String
            enum CodingKeys: String, CodingKey {
                case priority
                case collapseKey = "collapse_key"
            }
        }
        struct Message: Decodable {
            var token: String
            var notification: Text?
            var data: [String: String]
            var android: Android
        }
        var message: Message
    }
}
