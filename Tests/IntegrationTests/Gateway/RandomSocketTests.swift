import Gateways
import TestSupport
import Testing

/// Tests with random bytes before, within and after WebSocket handshakes, sent by `random_sockets.py`.
@Suite(
    "Random bytes on gateway connections", .blocking,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct RandomSocketTests {
    private static let connections = 3_000

    private static func expectNoEffect(of path: String, _ token: String, on gateway: PipelineStack.Gateway) throws {
        let seed = UInt32.random(in: 0...(.max))
        let result = try WebScript.run(
            "random_sockets.py",
            ["127.0.0.1", String(gateway.port), gateway.metrics, path, token, String(seed), String(connections)])
        #expect(result.code == 0, "\(result.output)")
        #expect(gateway.program.isRunning, "seed \(seed): \(gateway.program.output.suffix(2000))")
    }

    @Test("rider-gateway continues to run, and every WebSocket ends with its connection")
    func riderGateway() async throws {
        let stack = try await PipelineStack(partitions: 3)
        defer { stack.end() }
        let gateway = try await stack.startRiderGateway(["SIGHTLINE_RIDER_ADDRESS_RATE": "0"])
        let token = try GatewayTokens.token(TokenGrant(trips: ["a"], scopes: ["fleet"], lifetimeSeconds: 3600))
        try Self.expectNoEffect(of: "/realtime", token, on: gateway)
    }

    @Test("driver-gateway continues to run, and every WebSocket ends with its connection")
    func driverGateway() async throws {
        let stack = try await PipelineStack(partitions: 3)
        defer { stack.end() }
        let gateway = try await stack.startDriverGateway(["SIGHTLINE_DRIVER_ADDRESS_RATE": "0"])
        try Self.expectNoEffect(of: "/drivers/realtime", try GatewayTokens.token(driver: "d"), on: gateway)
    }
}
