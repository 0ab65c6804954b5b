import ChildProcesses
import Gateways
import TestSupport
import Testing

/// The promises are in `gateway_limits.py`.
@Suite(
    "How often clients may ask rider-gateway", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(5)))
struct GatewayLimitTests {
    private static func tokens() async throws -> String {
        func token(_ subject: String?, routes: [String] = []) async throws -> String {
            try await GatewayTokens.token(
                TokenGrant(subject: subject, trips: ["t"], routes: routes, lifetimeSeconds: 3600))
        }
        return try GatewayTokens.json([
            "ann": try await token("ann"), "ben": try await token("ben"), "nameless": try await token(nil),
            "nameless too": try await token(nil, routes: ["1"]),
        ])
    }

    @Test("is limited by address and by user, and refusals say when to come back")
    func limits() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let port = try FreePort.take()
        try await stack.start(
            "rider-gateway",
            extra: [
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "SIGHTLINE_RIDER_RATE": "1", "SIGHTLINE_RIDER_ADDRESS_RATE": "1",
                "SIGHTLINE_RIDER_ADDRESS_HEADER": "X-Client", "SIGHTLINE_RIDER_ORIGINS": "https://app.example.com",
            ])
        let answer = try WebScript.run("gateway_limits.py", ["127.0.0.1:\(port)", try await Self.tokens()])
        #expect(answer.code == 0, "\(answer.output)")
    }
}
