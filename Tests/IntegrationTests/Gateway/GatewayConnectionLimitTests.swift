import ChildProcesses
import Foundation
import Gateways
import Redis
import TestSupport
import Testing

/// Tests of open connections, partly in `gateway_connection_limits.py` and `driver_connection_limits.py`.
@Suite(
    "Open connections of gateways", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayConnectionLimitTests {
    /// Publishes a trip whose last event is `0-3`.
    private static func publishTrip(_ stack: PipelineStack) async throws {
        try await stack.start("position-worker")
        let updates = try RiderUpdateProducer(stack)
        for number in 0...3 {
            try updates.send("trip:known", "driver_location", #"{"latitude":\#(number)}"#, partition: 0)
        }
        let redis = try stack.connectToRedis()
        try await eventually("the trip is stored") {
            try redis.call("HGET", "\(stack.redisPrefix)trip:known", "event_id").text == "0-3"
        }
    }

    @Test("rider-gateway limits a user's connections, and the memory that misbehaving clients use", .nightly)
    func riderGatewayLimitsConnectionsAndMemory() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        try await Self.publishTrip(stack)
        var tokens = ["nameless": try GatewayTokens.token(TokenGrant(trips: ["known"], lifetimeSeconds: 3600))]
        for name in ["ann", "ben", "cleo", "dora"] {
            tokens[name] = try GatewayTokens.token(
                TokenGrant(subject: name, trips: ["known"], lifetimeSeconds: 3600))
        }
        let gateway = try await stack.startRiderGateway([
            "SIGHTLINE_RIDER_RATE": "0", "SIGHTLINE_RIDER_USER_CONNECTIONS": "3",
        ])
        let result = try WebScript.run(
            "gateway_connection_limits.py", [gateway.address, try GatewayTokens.json(tokens), gateway.metrics])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test("driver-gateway limits a driver's connections, and the memory that misbehaving devices use", .nightly)
    func driverGatewayLimitsConnectionsAndMemory() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        var tokens: [String: String] = [:]
        for number in 1...100 { tokens["d\(number)"] = try GatewayTokens.token(driver: "d\(number)") }
        let gateway = try await stack.startDriverGateway(["SIGHTLINE_DRIVER_USER_CONNECTIONS": "3"])
        let result = try WebScript.run(
            "driver_connection_limits.py", [gateway.address, try GatewayTokens.json(tokens), gateway.metrics])
        #expect(result.code == 0, "\(result.output)")
    }

    @Test("Idle connections beyond the descriptor limit block neither clients nor the HTTP endpoint")
    func idleConnectionsBlockNobody() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let (port, endpoint) = (try FreePort.find(), try FreePort.find())
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
        let idle = (0..<220).compactMap { _ in Loopback.connect(port: port) }
        defer { for connection in idle { close(connection) } }
        #expect(idle.count == 220)
        for _ in 0..<20 {
            #expect(Loopback.get(port: endpoint, path: "/healthz")?.contains("\"alive\":true") == true)
            #expect(Loopback.get(port: port, path: "/config")?.contains("pingIntervalMs") == true)
        }
        let metrics = try #require(Loopback.get(port: endpoint, path: "/metrics"))
        let closed = metrics.firstMatch(of: /sightline_gateway_limited_total\{type="gateway"\} (\d+)/)
        #expect(Int(closed?.1 ?? "") ?? 0 >= 160, "connections beyond the limit were closed")
    }

    @Test("Each gateway has a key in Redis while it runs, and deletes it when it stops")
    func gatewaysAreListedInRedisWhileTheyRun() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let redis = try stack.connectToRedis()
        func listed() throws -> [String] {
            var names: [String] = []
            try redis.scan(prefix: stack.redisPrefix, "gateway:*") { keys in
                for key in keys {
                    let ttl = try redis.call("TTL", key).integer ?? 0
                    #expect((1...30).contains(ttl))
                    names.append(try redis.call("GET", key).text ?? "")
                }
            }
            return names.sorted()
        }
        let gateways = [try await stack.startRiderGateway(), try await stack.startDriverGateway()]
        try await eventually("both gateways are listed") { try listed().count == 2 }
        let names = try listed()
        #expect(names[0].hasPrefix(#"{"name":"driver-gateway","started_at":"20"#), "\(names)")
        #expect(names[1].hasPrefix(#"{"name":"rider-gateway","started_at":"20"#), "\(names)")
        for gateway in gateways {
            gateway.program.send(signal: SIGTERM)
            #expect(try await gateway.program.wait() == 0)
        }
        try await eventually("no gateway is listed") { try listed().isEmpty }
    }
}
