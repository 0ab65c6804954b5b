import TestSupport
import Testing

@Suite(
    "Live map with open access", .blocking,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(5)))
struct OpenMapTests {
    @Test("The map's token is sent only for host names of this machine, which prevents DNS rebinding")
    func sendsTheTokenForLocalHostNamesOnly() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let port = try await stack.startRiderGateway(["SIGHTLINE_MAP_ACCESS": "open"]).port
        let curl = try #require(Checkout.tool("curl"), "curl is not installed.")
        func response(host: String) throws -> String {
            try Checkout.run(
                curl,
                [
                    "-s", "-w", " %{http_code}", "--max-time", "60", "-H", "Host: \(host)",
                    "http://127.0.0.1:\(port)/map/token",
                ]
            ).output
        }
        for host in ["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)", "localhost"] {
            let text = try response(host: host)
            #expect(text.hasSuffix(" 200") && text.contains(#""token":"#), "\(host): \(text)")
        }
        for host in ["attacker.example:\(port)", "localhost.attacker.example", "10.0.0.1:\(port)"] {
            let text = try response(host: host)
            #expect(
                text.hasSuffix(" 403") && text.contains("NOT_ALLOWED") && !text.contains(#""token":"#),
                "\(host): \(text)")
        }
    }
}
