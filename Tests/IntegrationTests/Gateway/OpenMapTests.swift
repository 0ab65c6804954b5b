import ChildProcesses
import TestSupport
import Testing

@Suite(
    "The live map that is open to everyone who reaches it", .blocking,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(5)))
struct OpenMapTests {
    @Test("gives its token to requests for the names of this machine, and not to a page whose name was rebound to it")
    func hosts() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let port = try FreePort.take()
        try await stack.start(
            "rider-gateway",
            extra: [
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "SIGHTLINE_MAP_ACCESS": "open",
            ])
        let curl = try #require(Checkout.tool("curl"), "curl is not installed.")
        func answer(_ host: String) throws -> String {
            try Checkout.run(
                curl,
                [
                    "-s", "-w", " %{http_code}", "--max-time", "60", "-H", "Host: \(host)",
                    "http://127.0.0.1:\(port)/map/token",
                ]
            ).output
        }
        for host in ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "localhost"] {
            let text = try answer(host)
            #expect(text.hasSuffix(" 200") && text.contains(#""token":"#), "\(host): \(text)")
        }
        for host in ["attacker.example:\(port)", "localhost.attacker.example", "10.0.0.1:\(port)"] {
            let text = try answer(host)
            #expect(
                text.hasSuffix(" 403") && text.contains("NOT_ALLOWED") && !text.contains(#""token":"#),
                "\(host): \(text)")
        }
    }
}
