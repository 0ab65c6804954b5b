import Gateways
import TestSupport
import Testing

/// Tests in `gateway_limits.py`.
@Suite(
    "Rate limits of rider-gateway", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(5)))
struct GatewayLimitTests {
    private static func tokens() async throws -> String {
        func token(_ subject: String?, routes: [String] = []) async throws -> String {
            try GatewayTokens.token(
                TokenGrant(subject: subject, trips: ["t"], routes: routes, lifetimeSeconds: 3600))
        }
        return try GatewayTokens.json([
            "ann": try await token("ann"), "ben": try await token("ben"), "nameless": try await token(nil),
            "nameless too": try await token(nil, routes: ["1"]),
        ])
    }

    @Test("Requests are limited by address and user, connections by address, and rejections contain a retry delay")
    func limitsRequestsByAddressAndUser() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let gateway = try await stack.startRiderGateway([
            "SIGHTLINE_RIDER_RATE": "1", "SIGHTLINE_RIDER_ADDRESS_RATE": "1",
            "SIGHTLINE_RIDER_ADDRESS_HEADER": "X-Client", "SIGHTLINE_RIDER_ORIGINS": "https://app.example.com",
        ])
        let result = try WebScript.run("gateway_limits.py", [gateway.address, try await Self.tokens()])
        #expect(result.code == 0, "\(result.output)")
    }
}
