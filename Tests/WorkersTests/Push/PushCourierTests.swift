import Codec
import Foundation
import JWTKit
import PushWorker
import Support
import Synchronization
import Testing

@Suite("Push courier")
struct PushCourierTests {
    private struct Claims: JWTPayload {
        let iss: String
        let iat: Int
        func verify(using algorithm: some JWTAlgorithm) {}
    }

    private static let addresses: [PushPlatform: String] = [.apns: "https://apple", .fcm: "https://google"]

    /// Deadline that no test reaches.
    private static var farDeadline: ContinuousClock.Instant { .now + .seconds(3600) }

    private static var hasty: PushRetryPolicy {
        var policy = PushRetryPolicy()
        policy.shortest = .milliseconds(1)
        policy.longest = .milliseconds(2)
        return policy
    }

    /// ``hasty``, for notifications that are dropped after 40 s.
    private static var brief: PushRetryPolicy {
        var policy = PushRetryPolicy(maximumAge: .seconds(40))
        (policy.shortest, policy.longest) = (hasty.shortest, hasty.longest)
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
        policy: PushRetryPolicy = hasty, now: @escaping @Sendable () -> Int64 = { 1000 }
    ) async throws -> PushCourier {
        try await PushCourier(
            credentials: credentials, addresses: addresses, maximumConcurrency: concurrency, policy: policy,
            nowSeconds: now)
    }

    @Test("sends every request once, with fewer concurrent requests than jobs")
    func all() async throws {
        let transport = ScriptedTransport { _, _ in PushResponse(status: 200) }
        let done = try await Self.courier(concurrency: 2)
            .deliver(try Self.jobs(9), over: transport, until: Self.farDeadline)
        #expect(done.allSatisfy { $0.result == .delivered })
        #expect(Set(transport.sent.map(\.url)) == Set((0..<9).map { "https://apple/3/device/00\($0)" }))
        #expect(transport.sent.count == 9)
    }

    @Test("retries temporary failures only")
    func again() async throws {
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

    @Test("gives up after five attempts")
    func abandoned() async throws {
        let transport = ScriptedTransport { _, _ in PushResponse(status: 500) }
        let done = try await Self.courier().deliver(try Self.jobs(), over: transport, until: Self.farDeadline)
        #expect(done.map(\.result) == [.abandoned(reason: "HTTP 500")])
        #expect(transport.sent.count == 5)
    }

    @Test("returns jobs that wait beyond the deadline, and continues them at the next call")
    func deadline() async throws {
        let transport = ScriptedTransport { _, before in
            before == 0 ? PushResponse(status: 429, retryAfter: "140") : PushResponse(status: 200)
        }
        let courier = try await Self.courier()
        let waiting = await courier.deliver(try Self.jobs(), over: transport, until: .now + .seconds(100))
        #expect(waiting.map(\.result) == [nil])
        #expect(waiting.map(\.attempts) == [1])
        let still = await courier.deliver(waiting, over: transport, until: .now + .seconds(1))
        #expect(still.map(\.result) == [nil])
        #expect(transport.sent.count == 1, "nothing is sent before Retry-After has passed")
    }

    @Test(
        "waits for one device for up to a quarter of the maximum age of notifications",
        arguments: [("9", true), ("11", false), ("300", false)])
    func hold(seconds: String, isWaitedFor: Bool) async throws {
        let transport = ScriptedTransport { post, _ in
            guard post.url.hasSuffix("000") else { return PushResponse(status: 200) }
            return PushResponse(status: 429, retryAfter: seconds)
        }
        let done = try await Self.courier(policy: Self.brief)
            .deliver(try Self.jobs(2), over: transport, until: .now + .seconds(5))
        let reason = "HTTP 429, and the next attempt would be too late"
        #expect(done.map(\.result) == [isWaitedFor ? nil : .abandoned(reason: reason), .delivered])
        #expect(transport.sent.count == 2)
    }

    @Test(
        "holds a partition for up to 150 s, or less with a smaller maximum age",
        arguments: [(86_400, 150.0), (600, 150), (599, 149.75), (40, 10), (1, 0.25)])
    func longestHold(maximumAge: Int, seconds: Double) {
        #expect(PushRetryPolicy(maximumAge: .seconds(maximumAge)).longestHold == .seconds(seconds))
    }

    @Test("renews the APNs token after 40 minutes, or when APNs rejects it")
    func appleLogin() async throws {
        let key = ES256PrivateKey()
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
            apns: .init(keyPEM: key.pemRepresentation, keyID: "KEY", teamID: "TEAM"))
        let courier = try await Self.courier(credentials) { now.withLock { $0 } }
        for time: Int64 in [10_000, 12_399, 12_400] {
            now.withLock { $0 = time }
            _ = await courier.deliver(try Self.jobs(), over: transport, until: Self.farDeadline)
        }
        now.withLock { $0 = 12_500 }
        isRefused.withLock { $0 = true }
        _ = await courier.deliver(try Self.jobs(), over: transport, until: Self.farDeadline)
        let keys = await JWTKeyCollection().add(ecdsa: key.publicKey, kid: "KEY")
        var issued: [Int] = []
        for post in transport.sent {
            let authorization = try #require(post.authorization)
            #expect(authorization.hasPrefix("bearer "))
            let claims = try await keys.verify(String(authorization.dropFirst(7)), as: Claims.self)
            #expect(claims.iss == "TEAM")
            issued.append(claims.iat)
        }
        #expect(issued == [10_000, 10_000, 12_400, 12_400, 12_500])
    }

    @Test("renews the FCM access token in its last minute, or when FCM rejects it")
    func googleLogin() async throws {
        let now = Mutex<Int64>(10_000)
        let transport = ScriptedTransport { post, before in
            guard post.url != "https://token" else {
                return PushResponse(status: 200, body: Data(#"{"access_token":"t\#(before)","expires_in":3600}"#.utf8))
            }
            return PushResponse(status: post.authorization == "Bearer t3" ? 401 : 200)
        }
        let courier = try await Self.courier(PushCredentials(fcm: try PushCredentials.FCM(json: Self.account))) {
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

    @Test("abandons jobs without a login, and sends nothing without one")
    func noLogin() async throws {
        let transport = ScriptedTransport { _, _ in PushResponse(status: 400) }
        let courier = try await Self.courier(PushCredentials(fcm: try PushCredentials.FCM(json: Self.account)))
        let done = await courier.deliver(try Self.jobs(1, .fcm), over: transport, until: Self.farDeadline)
        #expect(
            done.map(\.result) == [.abandoned(reason: "login failed: token_uri returned HTTP 400")])
        #expect(transport.sent.allSatisfy { $0.url == "https://token" })
    }

    @Test("rejects invalid keys")
    func badKeys() async throws {
        await #expect(throws: PushSinkError.self) {
            _ = try await Self.courier(PushCredentials(apns: .init(keyPEM: "x", keyID: "K", teamID: "T")))
        }
        #expect(throws: PushSinkError.self) { _ = try PushCredentials.FCM(json: Data("{}".utf8)) }
    }
}
