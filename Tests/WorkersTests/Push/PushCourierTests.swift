import Codec
import Foundation
import Processing
import Signatures
import Support
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

@Suite("Push courier")
struct PushCourierTests {
    private struct Claims: Decodable {
        let iss: String
        let iat: Int
    }

    private static let addresses: [PushPlatform: String] = [.apns: "https://apple", .fcm: "https://google"]

    /// Deadline that no test reaches.
    private static var farDeadline: ContinuousClock.Instant { .now + .seconds(3600) }

    private static var fastRetries: PushRetryPolicy {
        var policy = PushRetryPolicy()
        policy.shortest = .milliseconds(1)
        policy.longest = .milliseconds(2)
        return policy
    }

    /// The policy ``fastRetries`` for notifications that are dropped after 40 s.
    private static var shortLived: PushRetryPolicy {
        var policy = PushRetryPolicy(maximumAge: .seconds(40))
        (policy.shortest, policy.longest) = (fastRetries.shortest, fastRetries.longest)
        return policy
    }

    private static func jobs(_ count: Int = 1, _ platform: PushPlatform = .apns) throws -> [PushJob] {
        let rendering = PushRendering(
            templates: try PushTemplates(fallback: "en"), apns: APNSFormat(topic: "app", lifetimeSeconds: 60),
            fcm: FCMFormat(project: "demo", lifetimeSeconds: 60))
        return try (0..<count).map { number in
            let message = PushMessage(
                tripID: "T\(number)", eventID: "1-\(number)", content: .refresh(state: "ARRIVED"),
                at: Timestamp(milliseconds: 0))
            let device = try #require(PushDevice(platform: platform, token: "00\(number)", language: "en"))
            return PushJob(try #require(rendering.request(message, for: device)))
        }
    }

    private static func courier(
        _ credentials: PushCredentials = PushCredentials(), concurrency: Int = 4,
        policy: PushRetryPolicy = fastRetries, now: @escaping @Sendable () -> Int64 = { 1000 }
    ) throws -> PushCourier {
        try PushCourier(
            credentials: credentials, addresses: addresses, maximumConcurrency: concurrency, policy: policy,
            nowSeconds: now)
    }

    @Test("the courier sends every request once, also with more jobs than concurrent requests")
    func all() async throws {
        let transport = ScriptedTransport { _, _ in PushResponse(status: 200) }
        let done = try await Self.courier(concurrency: 2)
            .deliver(try Self.jobs(9), over: transport, until: Self.farDeadline)
        #expect(done.allSatisfy { $0.result == .delivered })
        #expect(Set(transport.sent.map(\.url)) == Set((0..<9).map { "https://apple/3/device/00\($0)" }))
        #expect(transport.sent.count == 9)
    }

    @Test("the courier retries a request after temporary failures")
    func retries() async throws {
        let transport = ScriptedTransport { post, before in
            guard post.url.hasSuffix("000") else { return PushResponse(status: 200) }
            switch before {
            case 0...1: throw ScriptedTransport.NoResponse()
            default: return PushResponse(status: before < 4 ? 503 : 200)
            }
        }
        let done = try await Self.courier().deliver(try Self.jobs(2), over: transport, until: Self.farDeadline)
        #expect(done.map(\.result) == [.delivered, .delivered])
        #expect(transport.sent.count { $0.url.hasSuffix("001") } == 1)
    }

    @Test("the courier abandons a job after five attempts")
    func abandoned() async throws {
        let transport = ScriptedTransport { _, _ in PushResponse(status: 500) }
        let done = try await Self.courier().deliver(try Self.jobs(), over: transport, until: Self.farDeadline)
        #expect(done.map(\.result) == [.abandoned(reason: "HTTP 500")])
        #expect(transport.sent.count == 5)
    }

    @Test("a job whose Retry-After ends after the deadline is returned, and not sent before the Retry-After ends")
    func deadline() async throws {
        let transport = ScriptedTransport { _, before in
            before == 0 ? PushResponse(status: 429, retryAfter: "140") : PushResponse(status: 200)
        }
        let courier = try Self.courier()
        let waiting = await courier.deliver(try Self.jobs(), over: transport, until: .now + .seconds(100))
        #expect(waiting.map(\.result) == [nil])
        #expect(waiting.map(\.attempts) == [1])
        let stillWaiting = await courier.deliver(waiting, over: transport, until: .now + .seconds(1))
        #expect(stillWaiting.map(\.result) == [nil])
        #expect(transport.sent.count == 1, "nothing is sent before Retry-After has passed")
    }

    @Test(
        "the courier waits for a Retry-After of up to a quarter of the maximum age of notifications",
        arguments: [("9", true), ("11", false), ("300", false)])
    func hold(seconds: String, isWaitedFor: Bool) async throws {
        let transport = ScriptedTransport { post, _ in
            guard post.url.hasSuffix("000") else { return PushResponse(status: 200) }
            return PushResponse(status: 429, retryAfter: seconds)
        }
        let done = try await Self.courier(policy: Self.shortLived)
            .deliver(try Self.jobs(2), over: transport, until: .now + .seconds(5))
        let reason = "HTTP 429, and the next attempt would be too late"
        #expect(done.map(\.result) == [isWaitedFor ? nil : .abandoned(reason: reason), .delivered])
        #expect(transport.sent.count == 2)
    }

    @Test(
        "a partition waits for at most a quarter of the maximum age, and at most 150 s",
        arguments: [(86_400, 150.0), (600, 150), (599, 149.75), (40, 10), (1, 0.25)])
    func maximumRetryTime(maximumAge: Int, seconds: Double) {
        #expect(PushRetryPolicy(maximumAge: .seconds(maximumAge)).maximumRetryTime == .seconds(seconds))
    }

    @Test("the courier renews the APNs token after 40 minutes, or when APNs rejects it")
    func appleLogin() async throws {
        let key = try #require(SignatureKey(p256PEM: TestKeys.p256))
        let now = Mutex<Int64>(10_000)
        let isRefused = Mutex(false)
        let transport = ScriptedTransport { _, _ in
            let refuses = isRefused.withLock { flag in
                defer { flag = false }
                return flag
            }
            guard refuses else { return PushResponse(status: 200) }
            return PushResponse(status: 403, body: Data(#"{"reason":"ExpiredProviderToken"}"#.utf8))
        }
        let credentials = PushCredentials(
            apns: .init(keyPEM: TestKeys.p256, keyID: "KEY", teamID: "TEAM"))
        let courier = try Self.courier(credentials) { now.withLock { $0 } }
        for time: Int64 in [10_000, 12_399, 12_400] {
            now.withLock { $0 = time }
            _ = await courier.deliver(try Self.jobs(), over: transport, until: Self.farDeadline)
        }
        now.withLock { $0 = 12_500 }
        isRefused.withLock { $0 = true }
        _ = await courier.deliver(try Self.jobs(), over: transport, until: Self.farDeadline)
        var issued: [Int] = []
        for post in transport.sent {
            let authorization = try #require(post.authorization)
            #expect(authorization.hasPrefix("bearer "))
            let claims = try SignedToken.claims(
                Claims.self, of: String(authorization.dropFirst(7)), key: key, keyID: "KEY")
            #expect(claims.iss == "TEAM")
            issued.append(claims.iat)
        }
        #expect(issued == [10_000, 10_000, 12_400, 12_400, 12_500])
    }

    @Test("the courier renews the FCM access token in its last minute, or when FCM rejects it")
    func googleLogin() async throws {
        let now = Mutex<Int64>(10_000)
        let transport = ScriptedTransport { post, before in
            guard post.url != "https://token" else {
                return PushResponse(status: 200, body: Data(#"{"access_token":"t\#(before)","expires_in":3600}"#.utf8))
            }
            return PushResponse(status: post.authorization == "Bearer t3" ? 401 : 200)
        }
        let courier = try Self.courier(PushCredentials(fcm: try PushCredentials.FCM(json: Self.account))) {
            now.withLock { $0 }
        }
        for time: Int64 in [10_000, 13_539, 13_540] {
            now.withLock { $0 = time }
            let done = await courier.deliver(try Self.jobs(1, .fcm), over: transport, until: Self.farDeadline)
            #expect(done.map(\.result) == [.delivered])
        }
        #expect(
            transport.sent.map { $0.authorization ?? $0.url } == [
                "https://token", "Bearer t0", "Bearer t0", "https://token", "Bearer t3", "https://token", "Bearer t5",
            ])
    }

    @Test("the courier abandons jobs without sending them if the login fails")
    func noLogin() async throws {
        let transport = ScriptedTransport { _, _ in PushResponse(status: 400) }
        let courier = try Self.courier(PushCredentials(fcm: try PushCredentials.FCM(json: Self.account)))
        let done = await courier.deliver(try Self.jobs(1, .fcm), over: transport, until: Self.farDeadline)
        #expect(
            done.map(\.result) == [.abandoned(reason: "login failed: token_uri returned HTTP 400")])
        #expect(transport.sent.allSatisfy { $0.url == "https://token" })
    }

    @Test("invalid keys throw an error")
    func badKeys() throws {
        #expect(throws: SinkError.self) {
            _ = try Self.courier(PushCredentials(apns: .init(keyPEM: "x", keyID: "K", teamID: "T")))
        }
        #expect(throws: SinkError.self) { _ = try PushCredentials.FCM(json: Data("{}".utf8)) }
    }
}

/// Transport that returns scripted responses, and records the requests.
final class ScriptedTransport: PushTransport {
    struct NoResponse: Error {}

    private let respond: @Sendable (PushPost, Int) throws -> PushResponse
    private let posts = Mutex<[PushPost]>([])

    /// Creates a transport; `respond` receives the request and the number of requests before it.
    init(_ respond: @escaping @Sendable (PushPost, Int) throws -> PushResponse) { self.respond = respond }

    var sent: [PushPost] { posts.withLock { $0 } }

    func post(_ post: PushPost) async throws -> PushResponse {
        let before = posts.withLock { posts in
            posts.append(post)
            return posts.count - 1
        }
        return try respond(post, before)
    }

    func close() {}
}

extension PushPost {
    var authorization: String? { headers.first { $0.0 == "authorization" }?.1 }
}

extension PushCourierTests {
    @Test(
        "a service account whose token_uri is not an https URL is an error", arguments: ["http://t", "file:///t", ""])
    func insecureTokenURL(url: String) throws {
        let account = try Self.account
        _ = try PushCredentials.FCM(json: account)
        var changed = try #require(try JSONSerialization.jsonObject(with: account) as? [String: String])
        changed["token_uri"] = url
        let json = try JSONSerialization.data(withJSONObject: changed)
        #expect(throws: SinkError.self) { try PushCredentials.FCM(json: json) }
    }

    /// Service account file with a key that only tests use.
    static var account: Data {
        get throws {
            try JSONSerialization.data(withJSONObject: [
                "type": "service_account", "project_id": "demo", "client_email": "push@demo.example",
                "private_key_id": "K1", "private_key": TestKeys.rsa, "token_uri": "https://token",
            ])
        }
    }
}
