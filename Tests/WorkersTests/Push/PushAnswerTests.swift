import Codec
import Foundation
import PushWorker
import Testing

@Suite("Answers of the push services")
struct PushAnswerTests {
    private static func apple(_ status: Int, _ reason: String? = nil, retryAfter: String? = nil) -> PushOutcome {
        let body = reason.map { Data(#"{"reason":"\#($0)","timestamp":1}"#.utf8) } ?? Data()
        return PushAnswer(status: status, retryAfter: retryAfter, body: body).outcome(of: .apns)
    }

    private static func google(_ status: Int, _ state: String, code: String? = nil) -> PushOutcome {
        let details = code.map { #"[{"@type":"x"},{"errorCode":"\#($0)"}]"# } ?? "[]"
        let body = Data(#"{"error":{"code":\#(status),"status":"\#(state)","details":\#(details)}}"#.utf8)
        return PushAnswer(status: status, body: body).outcome(of: .fcm)
    }

    @Test("of Apple mean what its documentation says")
    func ofApple() {
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

    @Test("of Google mean what its documentation says")
    func ofGoogle() {
        #expect(PushAnswer(status: 200, body: Data("{}".utf8)).outcome(of: .fcm) == .delivered)
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

    /// An answer of Google to a request with an argument that it does not accept.
    private static func invalidArgument(_ message: String, fields: [String] = []) -> PushOutcome {
        let violations = fields.map { #"{"field":"\#($0)","description":"Invalid"}"# }.joined(separator: ",")
        let fcm = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"INVALID_ARGUMENT"}"#
        let request = #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(violations)]}"#
        let details = fields.isEmpty ? fcm : "\(fcm),\(request)"
        let error =
            #"{"code":400,"message":"\#(message)","status":"INVALID_ARGUMENT","details":[\#(details)]}"#
        return PushAnswer(status: 400, body: Data(#"{"error":\#(error)}"#.utf8)).outcome(of: .fcm)
    }

    @Test("of Google that it cannot accept the token remove the device, and those about another argument do not")
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
        "say how long to wait, up to five minutes",
        arguments: [
            ("1", 1), ("300", 300), ("301", 300), ("99999999999", 300), ("0", 0), ("-5", 0),
            ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("", 0),
        ])
    func wait(header: String, seconds: Int) {
        #expect(Self.apple(429, retryAfter: header) == .later(seconds: seconds, reason: "HTTP 429"))
    }

    @Test("may have any body", arguments: ["", "{", "[]", #"{"reason":7}"#, #"{"reason":"a b"}"#, #"{"error":[]}"#])
    func anyBody(body: String) {
        for platform in PushPlatform.allCases {
            let answer = PushAnswer(status: 400, body: Data(body.utf8)).outcome(of: platform)
            #expect(answer == .refused(reason: "HTTP 400"))
        }
        let long = #"{"reason":"\#(String(repeating: "x", count: 65))"}"#
        #expect(PushAnswer(status: 400, body: Data(long.utf8)).outcome(of: .apns) == .refused(reason: "HTTP 400"))
    }
}
