import ChildProcesses
import Codec
import Foundation
import Gateways
import Redis
import Synchronization
import TestSupport
import Testing

@testable import PushWorker

@Suite(
    "Push notifications", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable && TestCertificates.isAvailable, "\(TestServices.hint) It needs openssl."),
    .timeLimit(.minutes(10)))
struct PushWorkerTests {
    private static let phone = "0a01"
    private static let android = "dev:1"
    private static let facts =
        #"{"driver":{"first_name":"Priya","vehicle":{"color":"blue","make":"Toyota","model":"Prius"}}}"#

    /// Sends a request to a gateway and returns status and body.
    private static func request(
        _ method: String, _ path: String, port: Int, token: String?, body: String = ""
    ) throws -> (status: Int, body: String) {
        guard let curl = Checkout.tool("curl") else { throw Program.Failure(description: "curl is not installed.") }
        let login = token.map { ["-H", "Authorization: Bearer \($0)"] } ?? []
        let (_, output) = try Checkout.run(
            curl,
            ["-s", "-X", method, "-w", "\n%{http_code}", "--max-time", "60"] + login
                + ["--data-binary", body, "http://127.0.0.1:\(port)\(path)"])
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    /// Registers devices like the gateway.
    private static func register(_ devices: [PushDevice?], trip: String, of fixture: PushFixture) throws {
        let redis = try RedisConnection(try RedisFixture.address())
        for device in devices {
            let device = try #require(device)
            try redis.call("HSET", "\(fixture.stack.name):devices:\(trip)", device.field, device.language)
        }
    }

    private static func devices(of trip: String, _ fixture: PushFixture) throws -> [String] {
        let redis = try RedisConnection(try RedisFixture.address())
        return try redis.call("HKEYS", "\(fixture.stack.name):devices:\(trip)").elements.compactMap(\.text).sorted()
    }

    @Test("each event is sent to each registered device once, also across a restart; expired events are not sent")
    func deliveryAcrossRestart() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let gatewayPort = Int(try FreePort.find())
        try await fixture.stack.start(
            "rider-gateway",
            extra: ["SIGHTLINE_RIDER_PORT": "\(gatewayPort)", "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        let token = try GatewayTokens.token(
            TokenGrant(trips: ["T1"], scopes: ["devices"], lifetimeSeconds: 3600))
        for body in [
            #"{"platform":"apns","token":"\#(Self.phone)","language":"de-AT"}"#,
            #"{"platform":"fcm","token":"\#(Self.android)"}"#,
        ] {
            let response = try Self.request("PUT", "/trips/T1/devices", port: gatewayPort, token: token, body: body)
            #expect(response.status == 204, "\(response)")
        }
        let service = MockPushService(fixture.checks)
        let retries = Mutex(0.0)
        let (certificate, key) = (fixture.certificates.path("server.pem"), fixture.certificates.path("server.key"))
        nonisolated(unsafe) let test = fixture
        try await service.serve(certificate: certificate, key: key) { port in
            let settings = try test.settings(port: port)
            try test.write([PushFixture.notification(.driverAccepted, facts: Self.facts)], trip: "T1", age: 900)
            try test.write([PushFixture.notification(.driverAccepted)], trip: "unwatched")
            try test.write(
                [
                    PushFixture.notification(.driverAccepted, facts: Self.facts),
                    PushFixture.change(.accepted, .arrived),
                ],
                trip: "T1")
            let first = try await test.stack.start("push-worker", extra: settings)
            try await eventually("the first notifications are delivered; log: \(first.program.output.suffix(2000))") {
                try test.progress() == 4
            }
            try await eventually("the expired notification is counted") {
                PushFixture.counter("sightline_pushes_expired_total", of: first) == 1
            }
            #expect(PushFixture.counter("sightline_pushes_total", "delivered", of: first) == 4)
            retries.withLock { $0 += PushFixture.counter("sightline_push_retries_total", of: first) }
            first.program.send(signal: SIGTERM)
            #expect(try await first.program.wait() == 0)
            try test.write([PushFixture.notification(.driverArrived)], trip: "T1")
            let second = try await test.stack.start("push-worker", extra: settings)
            try await eventually("the last notification is delivered; log: \(second.program.output.suffix(2000))") {
                try test.progress() == 5
            }
            retries.withLock { $0 += PushFixture.counter("sightline_push_retries_total", of: second) }
        }
        #expect(service.problems.isEmpty)
        #expect(service.grants == 2, "each process needs one access token")
        let apple = service.delivered.filter { $0.platform == .apns }
        #expect(apple.allSatisfy { $0.token == Self.phone })
        #expect(
            Set(apple.map { "\($0.event) \($0.type) \($0.title ?? "")" }) == [
                "0-3 driver_accepted Priya ist unterwegs", "0-4 trip_state_changed ",
                "0-5 driver_arrived Ihr Wagen ist da",
            ])
        let google = service.delivered.filter { $0.platform == .fcm }
        #expect(
            Set(google.map { "\($0.event) \($0.type) \($0.title ?? "")" }) == [
                "0-3 driver_accepted Priya is on the way", "0-4 trip_state_changed ",
                "0-5 driver_arrived Your driver has arrived",
            ])
        // On a slow machine, requests that time out are repeated; the phone shows a repeated notification once.
        #expect(service.delivered.count <= 6 + Int(retries.withLock { $0 }), "a notification was sent twice")
    }

    @Test("a service whose certificate is signed by an unknown authority gets no request")
    func unknownAuthority() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let service = MockPushService(fixture.checks)
        let certificates = fixture.certificates
        let (certificate, key, authority) = (
            certificates.path("server.pem"), certificates.path("server.key"), certificates.authority
        )
        try await service.serve(certificate: certificate, key: key) { port in
            let post = PushPost(url: "https://127.0.0.1:\(port)/3/device/f0", headers: [], body: Data("{}".utf8))
            let unknown = HTTPTransport(authorityFile: nil)
            await #expect(throws: HTTPTransfer.Failure.self) { try await unknown.post(post) }
            unknown.close()
            #expect(service.problems.isEmpty, "the request arrived")
            // The mock is reachable, because it returns an error for the missing login.
            let known = HTTPTransport(authorityFile: authority)
            let response = try await known.post(post)
            #expect(response.status == 400)
            known.close()
        }
    }

    @Test("failed requests are repeated, unregistered devices are removed, and a permanent error is a dead letter")
    func serviceFaults() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let all = ["f0", "f1", "f2", "f3", "f5"]
        try Self.register(
            all.map { PushDevice(platform: .apns, token: $0, language: "en") }
                + [PushDevice(platform: .fcm, token: "gone", language: "en")], trip: "T1", of: fixture)
        try Self.register([PushDevice(platform: .apns, token: "f4", language: "en")], trip: "T2", of: fixture)
        let service = MockPushService(
            fixture.checks,
            faults: [
                "f1": [.status(500, reason: "InternalServerError")],
                "f2": [.status(429, reason: "TooManyRequests", retryAfter: 2)],
                "f3": [.status(410, reason: "Unregistered")],
                "f4": [.close],
                "f5": [.status(400, reason: "BadTopic")],
                "gone": [.status(404, reason: "UNREGISTERED")],
            ])
        let (certificate, key) = (fixture.certificates.path("server.pem"), fixture.certificates.path("server.key"))
        nonisolated(unsafe) let test = fixture
        try await service.serve(certificate: certificate, key: key) { port in
            try test.write([PushFixture.notification(.driverArrived)], trip: "T1")
            let worker = try await test.stack.start("push-worker", extra: try test.settings(port: port))
            try await eventually("all notifications are delivered; log: \(worker.program.output.suffix(2000))") {
                try test.progress() == 1
            }
            // T2 is separate, because its closed connection would also lose the responses to other requests.
            try test.write([PushFixture.notification(.driverArrived)], trip: "T2")
            try await eventually("the last notification is delivered; log: \(worker.program.output.suffix(2000))") {
                try test.progress() == 2
            }
            #expect(PushFixture.counter("sightline_push_retries_total", "apns", of: worker) >= 3)
            #expect(PushFixture.counter("sightline_dead_letters_total", "PUSH_REFUSED", of: worker) == 1)
        }
        #expect(service.problems.isEmpty)
        let delivered = service.delivered.map(\.token)
        #expect(Set(delivered) == ["f0", "f1", "f2", "f4"])
        let limited = service.attempts(of: "f2")
        #expect(limited.count >= 2)
        if let last = limited.last {
            #expect(limited[0].duration(to: last) >= .seconds(2), "repeated before Retry-After")
        }
        #expect(try Self.devices(of: "T1", fixture) == ["f0", "f1", "f2", "f5"].map { "apns:\($0)" })
        let letters = try fixture.stack.records("trips.dead-letter", partitions: 3)
        #expect(letters.count == 1)
        #expect(letters.first?.key == "trip:T1")
        #expect(letters.first?.partition == 0, "the partition of the update, not of the hash of its key")
        #expect(letters.first?.value.contains("DRIVER_ARRIVED") == true)
    }

    @Test("without credentials, a dry run writes requests as JSON lines")
    func dryRunOutput() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        try Self.register(
            [
                PushDevice(platform: .apns, token: Self.phone, language: "en"),
                PushDevice(platform: .fcm, token: Self.android, language: "en"),
            ], trip: "T1", of: fixture)
        try fixture.write([PushFixture.notification(.driverArrived)], trip: "T1")
        let worker = try await fixture.stack.start("push-worker")
        try await eventually("the requests are written") { try fixture.progress() == 1 }
        let lines = worker.program.output.split(separator: "\n").filter { $0.contains(#""url":"#) }
        #expect(lines.count == 2)
        #expect(lines.contains { $0.contains(#""url":"https://api.push.apple.com/3/device/\#(Self.phone)""#) })
        #expect(
            lines.contains {
                $0.contains(#""url":"https://fcm.googleapis.com/v1/projects/example/messages:send""#)
                    && $0.contains(#""title":"Your driver has arrived""#)
            })
        #expect(!worker.program.output.contains("authorization"))
    }

    @Test("notifications about cancelled trip requests are sent once, even if the worker that read them has ended")
    func cancelledRequests() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let port = Int(try FreePort.find())
        try await fixture.stack.start(
            "driver-gateway",
            extra: ["SIGHTLINE_DRIVER_PORT": "\(port)", "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        let token = try GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600))
        for trip in ["T1", "T2", "T3"] {
            try Self.register([PushDevice(platform: .apns, token: Self.phone, language: "de")], trip: trip, of: fixture)
        }
        func post(_ trip: String, _ state: String, _ version: Int, by trigger: String = "SYSTEM") throws {
            let body = """
                {"trip_id":"\(trip)","state":"\(state)","version":\(version),"triggered_by":"\(trigger)"}
                """
            let response = try Self.request("POST", "/trips", port: port, token: token, body: body)
            #expect(response.status == 200, "\(response)")
        }
        // Events of T1 are read by a consumer that has ended.
        try post("T1", "REQUESTED", 1)
        try post("T1", "CANCELLED", 2)
        let redis = try RedisConnection(try RedisFixture.address())
        let stream = "\(fixture.stack.name):requests:cancelled"
        try redis.call("XGROUP", "CREATE", stream, "push", "0")
        try redis.call("XREADGROUP", "GROUP", "push", "ended", "COUNT", "10", "STREAMS", stream, ">")
        let worker = try await fixture.stack.start("push-worker")
        for trip in ["T2", "T3"] { try post(trip, "REQUESTED", 1) }
        // A cancellation that is posted twice is one event.
        for _ in 0..<2 { try post("T2", "CANCELLED", 2) }
        try post("T3", "CANCELLED", 2, by: "RIDER")
        func lines(_ trip: String) -> [Substring] {
            worker.program.output.split(separator: "\n").filter {
                $0.contains(#""url":"#) && $0.contains(#""trip_id":"\#(trip)""#)
            }
        }
        try await eventually("all notifications are sent; log: \(worker.program.output.suffix(2000))") {
            try lines("T1").count == 2 && lines("T2").count == 2 && lines("T3").count == 1
                && redis.call("XPENDING", stream, "push").elements.first?.integer == 0
        }
        for trip in ["T1", "T2"] {
            #expect(lines(trip).contains { $0.contains("no_driver_found") && $0.contains("Kein Wagen gefunden") })
            #expect(lines(trip).contains { $0.contains(#""new_state":"CANCELLED""#) })
        }
        #expect(
            lines("T3").allSatisfy { $0.contains(#""new_state":"CANCELLED""#) },
            "no_driver_found after a cancellation by the rider")
        #expect(lines("T2").count == 2)
        let lifetime = try redis.call("PTTL", "\(fixture.stack.name):devices:T2").integer ?? -1
        #expect(lifetime > 0 && lifetime <= 24 * 3_600_000)
    }

    @Test("tokens with the scope devices can register up to eight devices of their trip and remove them")
    func deviceRegistration() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let port = Int(try FreePort.find())
        try await fixture.stack.start(
            "rider-gateway",
            extra: ["SIGHTLINE_RIDER_PORT": "\(port)", "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        let token = try GatewayTokens.token(
            TokenGrant(trips: ["T1"], scopes: ["devices"], lifetimeSeconds: 3600))
        func send(
            _ method: String, _ body: String, trip: String = "T1", token: String?
        ) throws -> (status: Int, body: String) {
            try Self.request(method, "/trips/\(trip)/devices", port: port, token: token, body: body)
        }
        func device(_ number: Int) -> String { #"{"platform":"apns","token":"0\#(number)","language":"de"}"# }
        for number in 1...8 { #expect(try send("PUT", device(number), token: token).status == 204) }
        #expect(try send("PUT", device(1), token: token).status == 204, "registering a device twice failed")
        let ninth = try send("PUT", device(9), token: token)
        #expect(ninth.status == 409 && ninth.body.contains("TOO_MANY_DEVICES"), "\(ninth)")
        #expect(try Self.devices(of: "T1", fixture) == (1...8).map { "apns:0\($0)" })
        for _ in 0..<2 { #expect(try send("DELETE", device(1), token: token).status == 204) }
        #expect(try send("PUT", device(9), token: token).status == 204)
        #expect(try Self.devices(of: "T1", fixture) == (2...9).map { "apns:0\($0)" })
        let redis = try RedisConnection(try RedisFixture.address())
        let lifetime = try redis.call("PTTL", "\(fixture.stack.name):devices:T1").integer ?? 0
        #expect((1...7 * 24 * 3_600_000).contains(lifetime))

        #expect(try send("PUT", device(1), token: nil).status == 401)
        #expect(try send("PUT", device(1), trip: "T2", token: token).status == 403)
        let otherToken = try GatewayTokens.token(TokenGrant(trips: ["T1"], lifetimeSeconds: 3600))
        for method in ["PUT", "DELETE"] {
            let response = try send(method, device(2), token: otherToken)
            #expect(response.status == 403 && response.body.contains("scope devices"), "\(response)")
        }
        #expect(try Self.devices(of: "T1", fixture).contains("apns:02"))
        for body in ["", "{}", #"{"platform":"wns","token":"00"}"#, #"{"platform":"apns","token":"zz"}"#] {
            let response = try send("PUT", body, token: token)
            #expect(response.status == 400 && response.body.contains("INVALID_MESSAGE"), "\(body): \(response)")
        }
        #expect(try send("PUT", String(repeating: " ", count: 5000), token: token).status == 413)
        let other = try send("GET", "", token: token)
        #expect(other.status == 405, "\(other)")
        #expect(try Self.request("PUT", "/trips/T1", port: port, token: token).status == 405)
    }
}
