import Codec
import Domain
import Foundation
@testable import PushWorker
import Support
import Testing

@Suite("Requests to the push services")
struct PushRequestTests {
    private static let at = Timestamp(milliseconds: 1_741_977_135_999)
    private static let token = String(repeating: "0a", count: 32)

    private static func rendering() throws -> PushRendering {
        PushRendering(
            templates: try PushTemplates(fallback: "en"),
            apns: APNSFormat(topic: "com.example.rider", lifetimeSeconds: 600),
            fcm: FCMFormat(project: "demo", lifetimeSeconds: 600))
    }

    private static func request(
        _ platform: PushPlatform, _ content: PushMessage.Content, eventID: String = "3-17/1", token: String? = nil
    ) throws -> PushRequest {
        let message = PushMessage(tripID: "T1", eventID: eventID, content: content, at: at)
        let device = try #require(PushDevice(platform: platform, token: token ?? Self.token, language: "en"))
        return try #require(try rendering().request(message, for: device))
    }

    private static func text(_ request: PushRequest) -> String { String(decoding: request.body, as: UTF8.self) }

    @Test("an APNs alert has topic, type, priority, expiration and the event as collapse id")
    func appleAlert() throws {
        let urgent = try Self.request(.apns, .alert(.driverArrived, PushFacts(), isUrgent: true))
        #expect(urgent.path == "/3/device/\(Self.token)")
        #expect(
            Dictionary(uniqueKeysWithValues: urgent.headers.map { ($0.name, $0.value) }) == [
                "apns-topic": "com.example.rider", "apns-push-type": "alert", "apns-priority": "10",
                "apns-expiration": "1741977735", "apns-collapse-id": "3-17/1", "content-type": "application/json",
            ])
        #expect(
            Self.text(urgent)
                == #"{"aps":{"alert":{"body":"Your driver is waiting at the pickup.","title":"Your driver has arrived"},"sound":"default"},"event_id":"3-17/1","event_type":"driver_arrived","trip_id":"T1"}"#
        )
        let calm = try Self.request(.apns, .alert(.tripStarted, PushFacts(), isUrgent: false))
        #expect(calm.headers.first { $0.name == "apns-priority" }?.value == "5")
    }

    @Test("an APNs refresh has type background and priority 5, without a text")
    func appleRefresh() throws {
        let request = try Self.request(.apns, .refresh(state: "ARRIVED"))
        #expect(request.headers.first { $0.name == "apns-push-type" }?.value == "background")
        #expect(request.headers.first { $0.name == "apns-priority" }?.value == "5")
        #expect(
            Self.text(request)
                == #"{"aps":{"content-available":1},"event_id":"3-17/1","event_type":"trip_state_changed","new_state":"ARRIVED","trip_id":"T1"}"#
        )
    }

    @Test("an FCM request has notification and data, or data only, and the event as collapse key and tag")
    func google() throws {
        let alert = try Self.request(.fcm, .alert(.tripStarted, PushFacts(), isUrgent: false))
        #expect(alert.path == "/v1/projects/demo/messages:send")
        #expect(
            Self.text(alert)
                == #"{"message":{"android":{"collapse_key":"3-17/1","notification":{"tag":"3-17/1"},"priority":"NORMAL","ttl":"600s"},"data":{"event_id":"3-17/1","event_type":"trip_started","trip_id":"T1"},"notification":{"body":"Have a good ride.","title":"Your trip has started"},"token":"\#(Self.token)"}}"#
        )
        let refresh = try Self.request(.fcm, .refresh(state: "COMPLETED"))
        #expect(
            Self.text(refresh)
                == #"{"message":{"android":{"collapse_key":"3-17/1","priority":"NORMAL","ttl":"600s"},"data":{"event_id":"3-17/1","event_type":"trip_state_changed","new_state":"COMPLETED","trip_id":"T1"},"token":"\#(Self.token)"}}"#
        )
        let urgent = try Self.request(.fcm, .alert(.driverArrived, PushFacts(), isUrgent: true))
        #expect(Self.text(urgent).contains(#""priority":"HIGH""#))
    }

    @Test("payloads stay within the limit with the longest event, facts and texts")
    func sizes() throws {
        let event = EventID(origin: .trips, partition: .max, offset: .max).withFix(65_533)
            .withPunctuation(1 << 40 - 1).withMessage(255)
        #expect(event.description.utf8.count <= 64)
        let long = String(repeating: "👩‍👩‍👧‍👦\"", count: 200)
        let facts = PushFacts(Dictionary(uniqueKeysWithValues: PushFacts.names.map { ($0, long) }))
        let wording = String(repeating: "\"{driver}{model}", count: 500)
        let json = try JSONSerialization.data(withJSONObject: [
            "en": ["driver_accepted": [["title": wording, "body": wording], ["title": long, "body": long]]]
        ])
        let rendering = PushRendering(
            templates: try PushTemplates(fallback: "en", json: json),
            apns: APNSFormat(topic: "com.example.rider", lifetimeSeconds: 600),
            fcm: FCMFormat(project: "demo", lifetimeSeconds: 600))
        let message = PushMessage(
            tripID: String(repeating: "t", count: 128), eventID: event.description,
            content: .alert(.driverAccepted, facts, isUrgent: true), at: Self.at)
        let longest = String(repeating: "a", count: PushDevice.maximumTokenBytes)
        for platform in PushPlatform.allCases {
            let device = try #require(PushDevice(platform: platform, token: longest, language: "en"))
            let request = try #require(rendering.request(message, for: device))
            #expect(request.body.count <= PushRequest.maximumPayloadBytes)
            #expect(String(validating: request.body, as: UTF8.self) != nil)
        }
    }

    @Test("there is no request for a service that is not configured")
    func unconfigured() throws {
        let rendering = PushRendering(templates: try PushTemplates(fallback: "en"), apns: nil, fcm: nil)
        let message = PushMessage(tripID: "T1", eventID: "1-1", content: .refresh(state: "ARRIVED"), at: Self.at)
        let device = try #require(PushDevice(platform: .apns, token: Self.token, language: "en"))
        #expect(rendering.request(message, for: device) == nil)
    }
}
