import ChildProcesses
import Foundation
import Gateways
import Redis
import TestSupport
import Testing

/// The promises are in `gateway_held.py` and `driver_held.py`.
@Suite(
    "What clients hold open at a gateway", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayHeldTests {
    /// Publishes a trip whose last event is `0-3`.
    private static func publishTrip(_ stack: PipelineStack) async throws {
        try await stack.start("position-worker")
        let log = try RiderUpdateLog(stack)
        defer { log.close() }
        for number in 0...3 { try log.tell("trip:known", "driver_location", #"{"latitude":\#(number)}"#, partition: 0) }
        let redis = try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
        let key = "\(stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? "")trip:known"
        try await eventually("the trip is stored") { try redis.call("HGET", key, "event_id").text == "0-3" }
    }

    @Test(
        "is bounded at rider-gateway: sockets, long polls and streams of a user, pongs, and refused clients", .nightly)
    func riders() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await Self.publishTrip(stack)
        var tokens = ["nameless": try await GatewayTokens.token(TokenGrant(trips: ["known"], lifetimeSeconds: 3600))]
        for name in ["ann", "ben", "cleo", "dora"] {
            tokens[name] = try await GatewayTokens.token(
                TokenGrant(subject: name, trips: ["known"], lifetimeSeconds: 3600))
        }
        let port = try FreePort.take()
        let gateway = try await stack.start(
            "rider-gateway",
            extra: [
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "SIGHTLINE_RIDER_RATE": "0", "SIGHTLINE_RIDER_USER_CONNECTIONS": "3",
            ])
        let answer = try WebScript.run(
            "gateway_held.py",
            ["127.0.0.1:\(port)", try GatewayTokens.json(tokens), "http://127.0.0.1:\(gateway.port)/metrics"])
        #expect(answer.code == 0, "\(answer.output)")
    }

    @Test("is bounded at driver-gateway: sockets of a driver, unfinished messages, and pongs", .nightly)
    func devices() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        var tokens: [String: String] = [:]
        for number in 1...100 { tokens["d\(number)"] = try await GatewayTokens.token(driver: "d\(number)") }
        let port = try FreePort.take()
        let gateway = try await stack.start(
            "driver-gateway",
            extra: [
                "SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "SIGHTLINE_DRIVER_USER_CONNECTIONS": "3",
            ])
        let answer = try WebScript.run(
            "driver_held.py",
            ["127.0.0.1:\(port)", try GatewayTokens.json(tokens), "http://127.0.0.1:\(gateway.port)/metrics"])
        #expect(answer.code == 0, "\(answer.output)")
    }

    @Test("leaves room: silent connections beyond the descriptors keep neither clients nor the endpoint from answers")
    func descriptors() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let (port, endpoint) = (try FreePort.take(), try FreePort.take())
        let bash = try #require(Checkout.tool("bash"))
        let gateway = try Program(
            "rider-gateway",
            ["-c", "ulimit -n 160; exec \"$0\"", Program.folder.appendingPathComponent("rider-gateway").path],
            executable: bash,
            environment: stack.environment.merging([
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_HTTP_PORT": String(endpoint),
                "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
            ]) { $1 }, logs: stack.logs)
        defer { gateway.end() }
        try await eventually("the gateway is ready: \(gateway.output)") {
            Loopback.get(port: endpoint, path: "/readyz")?.hasPrefix("{\"ready\":true") == true
        }
        let silent = (0..<220).compactMap { _ in Loopback.connect(port: port) }
        defer { for one in silent { close(one) } }
        #expect(silent.count == 220)
        for _ in 0..<20 {
            #expect(Loopback.get(port: endpoint, path: "/healthz")?.contains("\"alive\":true") == true)
            #expect(Loopback.get(port: port, path: "/config")?.contains("pingIntervalMs") == true)
        }
        let metrics = try #require(Loopback.get(port: endpoint, path: "/metrics"))
        let closed = metrics.firstMatch(of: /sightline_gateway_limited_total\{type="gateway"\} (\d+)/)
        #expect(Int(closed?.1 ?? "") ?? 0 >= 160, "those beyond the room were closed")
    }

    @Test("is announced in Redis while a gateway runs, and gone when it has stopped")
    func presence() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let redis = try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
        func announced() throws -> [String] {
            var names: [String] = []
            try redis.scan(prefix: stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? "", "gateway:*") { keys in
                for key in keys {
                    let ttl = try redis.call("TTL", key).integer ?? 0
                    #expect((1...30).contains(ttl))
                    names.append(try redis.call("GET", key).text ?? "")
                }
            }
            return names.sorted()
        }
        let settings = ["SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret]
        let workers = [
            try await stack.start("rider-gateway", extra: settings),
            try await stack.start("driver-gateway", extra: settings),
        ]
        try await eventually("both are announced") { try announced().count == 2 }
        let names = try announced()
        #expect(names[0].hasPrefix(#"{"name":"driver-gateway","started_at":"20"#), "\(names)")
        #expect(names[1].hasPrefix(#"{"name":"rider-gateway","started_at":"20"#), "\(names)")
        for worker in workers {
            worker.program.send(signal: SIGTERM)
            #expect(try await worker.program.wait() == 0)
        }
        try await eventually("none is announced") { try announced().isEmpty }
    }
}
