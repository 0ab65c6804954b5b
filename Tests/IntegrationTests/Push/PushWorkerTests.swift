import ChildProcesses
import Codec
import Foundation
import Gateways
import Redis
import Synchronization
import TestSupport
import Testing

@Suite(
    "Notifications to phones", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable && TestCertificates.isPossible, "\(TestServices.hint) It needs openssl."),
    .timeLimit(.minutes(10)))
struct PushWorkerTests {
    private static let phone = "0a01"
    private static let android = "dev:1"
    private static let facts =
        #"{"driver":{"first_name":"Priya","vehicle":{"color":"blue","make":"Toyota","model":"Prius"}}}"#

    /// Sends a request to a gateway, and returns the status and the body.
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

    /// Registers a device as the gateway does.
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

    @Test("are one for each registered device and event, also over a restart of the worker, and none for others")
    func wholePath() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let gatewayPort = Int(try FreePort.take())
        try await fixture.stack.start(
            "rider-gateway",
            extra: ["SIGHTLINE_RIDER_PORT": "\(gatewayPort)", "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        let token = try await GatewayTokens.token(
            TokenGrant(trips: ["T1"], scopes: ["devices"], lifetimeSeconds: 3600))
        for body in [
            #"{"platform":"apns","token":"\#(Self.phone)","language":"de-AT"}"#,
            #"{"platform":"fcm","token":"\#(Self.android)"}"#,
        ] {
            let answer = try Self.request("PUT", "/trips/T1/devices", port: gatewayPort, token: token, body: body)
            #expect(answer.status == 204, "\(answer)")
        }
        let standIn = PushStandIn(fixture.checks)
        let retries = Mutex(0.0)
        let (certificate, key) = (fixture.certificates.path("server.pem"), fixture.certificates.path("server.key"))
        nonisolated(unsafe) let test = fixture
        try await standIn.serve(certificate: certificate, key: key) { port in
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
            try await eventually("the first are delivered; the log: \(first.program.output.suffix(2000))") {
                try test.progress() == 4
            }
            try await eventually("the old one is counted") {
                PushFixture.counter("sightline_pushes_expired_total", of: first) == 1
            }
            #expect(PushFixture.counter("sightline_pushes_total", "delivered", of: first) == 4)
            retries.withLock { $0 += PushFixture.counter("sightline_push_retries_total", of: first) }
            first.program.send(signal: SIGTERM)
            #expect(try await first.program.wait() == 0)
            try test.write([PushFixture.notification(.driverArrived)], trip: "T1")
            let second = try await test.stack.start("push-worker", extra: settings)
            try await eventually("the last is delivered; the log: \(second.program.output.suffix(2000))") {
                try test.progress() == 5
            }
            retries.withLock { $0 += PushFixture.counter("sightline_push_retries_total", of: second) }
        }
        #expect(standIn.problems.isEmpty)
        #expect(standIn.grants == 2, "an access token for each process")
        let apple = standIn.delivered.filter { $0.platform == .apns }
        #expect(apple.allSatisfy { $0.token == Self.phone })
        #expect(
            Set(apple.map { "\($0.event) \($0.type) \($0.title ?? "")" }) == [
                "0-3 driver_accepted Priya ist unterwegs", "0-4 trip_state_changed ",
                "0-5 driver_arrived Ihr Wagen ist da",
            ])
        let google = standIn.delivered.filter { $0.platform == .fcm }
        #expect(
            Set(google.map { "\($0.event) \($0.type) \($0.title ?? "")" }) == [
                "0-3 driver_accepted Priya is on the way", "0-4 trip_state_changed ",
                "0-5 driver_arrived Your driver has arrived",
            ])
        // On a machine so slow that a request gets no answer in time it is made again, and the phone shows it once.
        #expect(standIn.delivered.count <= 6 + Int(retries.withLock { $0 }), "each once")
    }

    @Test("are tried again after a fault, and a device that its service does not know any more is forgotten")
    func faults() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let all = ["f0", "f1", "f2", "f3", "f5"]
        try Self.register(
            all.map { PushDevice(platform: .apns, token: $0, language: "en") }
                + [PushDevice(platform: .fcm, token: "gone", language: "en")], trip: "T1", of: fixture)
        try Self.register([PushDevice(platform: .apns, token: "f4", language: "en")], trip: "T2", of: fixture)
        let standIn = PushStandIn(
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
        try await standIn.serve(certificate: certificate, key: key) { port in
            try test.write([PushFixture.notification(.driverArrived)], trip: "T1")
            let worker = try await test.stack.start("push-worker", extra: try test.settings(port: port))
            try await eventually("all are delivered; the log: \(worker.program.output.suffix(2000))") {
                try test.progress() == 1
            }
            // By itself: the others' answers would be lost with the connection.
            try test.write([PushFixture.notification(.driverArrived)], trip: "T2")
            try await eventually("the last is delivered; the log: \(worker.program.output.suffix(2000))") {
                try test.progress() == 2
            }
            #expect(PushFixture.counter("sightline_push_retries_total", "apns", of: worker) >= 3)
            #expect(PushFixture.counter("sightline_dead_letters_total", "PUSH_REFUSED", of: worker) == 1)
        }
        #expect(standIn.problems.isEmpty)
        let delivered = standIn.delivered.map(\.token)
        #expect(Set(delivered) == ["f0", "f1", "f2", "f4"])
        let limited = standIn.attempts(of: "f2")
        #expect(limited.count >= 2)
        if let last = limited.last { #expect(limited[0].duration(to: last) >= .seconds(2), "not before Retry-After") }
        #expect(try Self.devices(of: "T1", fixture) == ["f0", "f1", "f2", "f5"].map { "apns:\($0)" })
        let letters = try WrittenRecord.all(
            of: "\(fixture.stack.name).trips.dead-letter",
            on: fixture.stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "",
            partitions: 3)
        #expect(letters.count == 1)
        #expect(letters.first?.key == "trip:T1")
        #expect(letters.first?.value.contains("DRIVER_ARRIVED") == true)
    }

    @Test("are lines of JSON in a dry run, which is what there is without credentials")
    func dryRun() async throws {
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

    @Test("of a request without a driver are sent once, also where the worker that read it has ended")
    func noDriverFound() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let port = Int(try FreePort.take())
        try await fixture.stack.start(
            "driver-gateway",
            extra: ["SIGHTLINE_DRIVER_PORT": "\(port)", "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        let token = try await GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600))
        for trip in ["T1", "T2", "T3"] {
            try Self.register([PushDevice(platform: .apns, token: Self.phone, language: "de")], trip: trip, of: fixture)
        }
        func post(_ trip: String, _ state: String, _ version: Int, by cause: String = "SYSTEM") throws {
            let body = """
                {"trip_id":"\(trip)","state":"\(state)","version":\(version),"triggered_by":"\(cause)"}
                """
            let answer = try Self.request("POST", "/trips", port: port, token: token, body: body)
            #expect(answer.status == 200, "\(answer)")
        }
        // Of a worker that ended.
        try post("T1", "REQUESTED", 1)
        try post("T1", "CANCELLED", 2)
        let redis = try RedisConnection(try RedisFixture.address())
        let stream = "\(fixture.stack.name):requests:cancelled"
        try redis.call("XGROUP", "CREATE", stream, "push", "0")
        try redis.call("XREADGROUP", "GROUP", "push", "ended", "COUNT", "10", "STREAMS", stream, ">")
        let worker = try await fixture.stack.start("push-worker")
        for trip in ["T2", "T3"] { try post(trip, "REQUESTED", 1) }
        // Posted again, it is one event.
        for _ in 0..<2 { try post("T2", "CANCELLED", 2) }
        try post("T3", "CANCELLED", 2, by: "RIDER")
        func lines(_ trip: String) -> [Substring] {
            worker.program.output.split(separator: "\n").filter {
                $0.contains(#""url":"#) && $0.contains(#""trip_id":"\#(trip)""#)
            }
        }
        try await eventually("all are sent; the log: \(worker.program.output.suffix(2000))") {
            try lines("T1").count == 2 && lines("T2").count == 2 && lines("T3").count == 1
                && redis.call("XPENDING", stream, "push").elements.first?.integer == 0
        }
        for trip in ["T1", "T2"] {
            #expect(lines(trip).contains { $0.contains("no_driver_found") && $0.contains("Kein Wagen gefunden") })
            #expect(lines(trip).contains { $0.contains(#""new_state":"CANCELLED""#) })
        }
        #expect(lines("T3").allSatisfy { $0.contains(#""new_state":"CANCELLED""#) }, "the rider knows")
        #expect(lines("T2").count == 2)
        let kept = try redis.call("PTTL", "\(fixture.stack.name):devices:T2").integer ?? -1
        #expect(kept > 0 && kept <= 24 * 3_600_000)
    }

    @Test("are registered by a token for the trip that has the scope devices, eight at most, and forgotten on request")
    func registration() async throws {
        let fixture = try await PushFixture()
        defer { fixture.stack.end() }
        let port = Int(try FreePort.take())
        try await fixture.stack.start(
            "rider-gateway",
            extra: ["SIGHTLINE_RIDER_PORT": "\(port)", "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret])
        let token = try await GatewayTokens.token(
            TokenGrant(trips: ["T1"], scopes: ["devices"], lifetimeSeconds: 3600))
        func send(
            _ method: String, _ body: String, trip: String = "T1", token: String?
        ) throws -> (status: Int, body: String) {
            try Self.request(method, "/trips/\(trip)/devices", port: port, token: token, body: body)
        }
        func device(_ number: Int) -> String { #"{"platform":"apns","token":"0\#(number)","language":"de"}"# }
        for number in 1...8 { #expect(try send("PUT", device(number), token: token).status == 204) }
        #expect(try send("PUT", device(1), token: token).status == 204, "again")
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
        let watcher = try await GatewayTokens.token(TokenGrant(trips: ["T1"], lifetimeSeconds: 3600))
        for method in ["PUT", "DELETE"] {
            let answer = try send(method, device(2), token: watcher)
            #expect(answer.status == 403 && answer.body.contains("scope devices"), "\(answer)")
        }
        #expect(try Self.devices(of: "T1", fixture).contains("apns:02"))
        for body in ["", "{}", #"{"platform":"wns","token":"00"}"#, #"{"platform":"apns","token":"zz"}"#] {
            let answer = try send("PUT", body, token: token)
            #expect(answer.status == 400 && answer.body.contains("INVALID_MESSAGE"), "\(body): \(answer)")
        }
        #expect(try send("PUT", String(repeating: " ", count: 5000), token: token).status == 413)
        let other = try send("GET", "", token: token)
        #expect(other.status == 405, "\(other)")
        #expect(try Self.request("PUT", "/trips/T1", port: port, token: token).status == 405)
    }
}
