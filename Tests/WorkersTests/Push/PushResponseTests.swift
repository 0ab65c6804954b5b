import Codec
import Foundation
@testable import PushWorker
import Testing

@Suite("Responses of push services")
struct PushResponseTests {
    private static func apple(_ status: Int, _ reason: String? = nil, retryAfter: String? = nil) -> PushOutcome {
        let body = reason.map { Data(#"{"reason":"\#($0)","timestamp":1}"#.utf8) } ?? Data()
        return PushResponse(status: status, retryAfter: retryAfter, body: body).outcome(from: .apns)
    }

    private static func google(_ status: Int, _ state: String, code: String? = nil) -> PushOutcome {
        let details = code.map { #"[{"@type":"x"},{"errorCode":"\#($0)"}]"# } ?? "[]"
        let body = Data(#"{"error":{"code":\#(status),"status":"\#(state)","details":\#(details)}}"#.utf8)
        return PushResponse(status: status, body: body).outcome(from: .fcm)
    }

    @Test("APNs responses are interpreted as documented")
    func apns() {
        #expect(Self.apple(200) == .delivered)
        #expect(Self.apple(410, "Unregistered") == .unregistered)
        #expect(Self.apple(410) == .unregistered)
        #expect(Self.apple(400, "BadDeviceToken") == .unregistered)
        #expect(Self.apple(403, "ExpiredProviderToken") == .loginExpired)
        #expect(Self.apple(403, "InvalidProviderToken") == .refused(reason: "HTTP 403 InvalidProviderToken"))
        #expect(Self.apple(400, "BadTopic") == .refused(reason: "HTTP 400 BadTopic"))
        #expect(Self.apple(413, "PayloadTooLarge") == .refused(reason: "HTTP 413 PayloadTooLarge"))
        #expect(Self.apple(500, "InternalServerError") == .later(seconds: 0, reason: "HTTP 500 InternalServerError"))
        #expect(Self.apple(503) == .later(seconds: 0, reason: "HTTP 503"))
        #expect(Self.apple(301) == .refused(reason: "HTTP 301"))
    }

    @Test("FCM responses are interpreted as documented")
    func fcm() {
        #expect(PushResponse(status: 200, body: Data("{}".utf8)).outcome(from: .fcm) == .delivered)
        #expect(Self.google(404, "NOT_FOUND", code: "UNREGISTERED") == .unregistered)
        #expect(Self.google(404, "NOT_FOUND") == .refused(reason: "HTTP 404 NOT_FOUND"))
        #expect(Self.google(401, "UNAUTHENTICATED") == .loginExpired)
        #expect(
            Self.google(403, "PERMISSION_DENIED", code: "SENDER_ID_MISMATCH")
                == .refused(reason: "HTTP 403 SENDER_ID_MISMATCH"))
        #expect(
            Self.google(429, "RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED")
                == .later(seconds: 0, reason: "HTTP 429 QUOTA_EXCEEDED"))
    }

    /// Returns the outcome of an FCM response about an invalid argument.
    private static func invalidArgument(_ message: String, fields: [String] = []) -> PushOutcome {
        let violations = fields.map { #"{"field":"\#($0)","description":"Invalid"}"# }.joined(separator: ",")
        let fcm = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}"#
        let request = #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(violations)]}"#
        let details = fields.isEmpty ? fcm : "\(fcm),\(request)"
        let error =
            #"{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT","details":[\#(details)]}"#
        return PushResponse(status: 400, body: Data(#"{"error":\#(error)}"#.utf8)).outcome(from: .fcm)
    }

    @Test("FCM responses about an invalid token mean an unregistered device, responses about another argument do not")
    func invalidTokens() {
        let text = "The registration token is not a valid FCM registration token"
        #expect(Self.invalidArgument(text) == .unregistered)
        #expect(Self.invalidArgument(text, fields: ["message.token"]) == .unregistered)
        #expect(
            Self.invalidArgument("Request contains an invalid argument.", fields: ["message.token"]) == .unregistered)
        let refused = PushOutcome.refused(reason: "HTTP 400 INVALID_ARGUMENT")
        #expect(Self.invalidArgument("Request contains an invalid argument.") == refused)
        #expect(Self.invalidArgument("Message too big") == refused)
        #expect(Self.invalidArgument(text, fields: ["message.data"]) == refused)
        #expect(Self.invalidArgument("Invalid", fields: ["message.token", "message.data"]) == refused)
    }

    @Test(
        "Retry-After is limited to five minutes",
        arguments: [
            ("1", 1), ("300", 300), ("301", 300), ("99999999999", 300), ("0", 0), ("-5", 0),
            ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("", 0),
        ])
    func wait(header: String, seconds: Int) {
        #expect(Self.apple(429, retryAfter: header) == .later(seconds: seconds, reason: "HTTP 429"))
    }

    @Test(
        "an unreadable body is ignored, and the request counts as refused",
        arguments: ["", "{", "[]", #"{"reason":7}"#, #"{"reason":"a b"}"#, #"{"error":[]}"#])
    func anyBody(body: String) {
        for platform in PushPlatform.allCases {
            let outcome = PushResponse(status: 400, body: Data(body.utf8)).outcome(from: platform)
            #expect(outcome == .refused(reason: "HTTP 400"))
        }
        let long = #"{"reason":"\#(String(repeating: "x", count: 65))"}"#
        #expect(PushResponse(status: 400, body: Data(long.utf8)).outcome(from: .apns) == .refused(reason: "HTTP 400"))
    }
}
