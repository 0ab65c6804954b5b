import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "Benchmark of rider-gateway", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayBenchTests {
    private struct Result: Decodable {
        var name: String
        var values: [String: Double]
        var error: String?
    }

    @Test("A small benchmark measures gateway and plain WebSocket server, loses no update, and leaves no keys in Redis")
    func smallRunMeasuresGatewayAndPlainServer() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let file = stack.logs.appendingPathComponent("bench.json")
        // The secret is in a file, as in the stack of deploy/local/stack.
        let secret = stack.logs.appendingPathComponent("secret")
        try Data(GatewayTokens.secret.utf8).write(to: secret)
        try await stack.sightline(
            "bench", "gateway", "--connections", "20", "--clients", "20", "--clients-per-trip", "4",
            "--storm-clients", "20", "--push-rates", "40", "--push-seconds", "1", "--latency-rate", "40",
            "--latency-seconds", "1", "--repetitions", "1", "--partitions", "2", "--json", file.path,
            extra: ["SIGHTLINE_TOKEN_SECRET_FILE": secret.path])
        let results = try JSONDecoder().decode([Result].self, from: try Data(contentsOf: file))
        #expect(results.map(\.name) == ["gateway_memory", "gateway_pushes", "gateway_latency_40", "gateway_storm"])
        #expect(results.allSatisfy { $0.error == nil })
        let (memory, latency, storm) = (results[0].values, results[2].values, results[3].values)
        #expect(try #require(memory["resident_mb"]) > 1 && (try #require(memory["plain_resident_mb"])) > 1)
        #expect(latency["left_out"] == 0 && latency["plain_left_out"] == 0 && latency["errors"] == 0)
        #expect(latency["p50_ms"] != nil && latency["broker_alone_p50_ms"] != nil && latency["plain_p50_ms"] != nil)
        // Every client had received an event before the gateway was killed, so each can resume without a snapshot.
        #expect(storm["resumed"] == 20 && storm["state_in_full"] == 0)
        #expect(storm["missing"] == 0 && storm["repeated"] == 0 && storm["errors"] == 0)
        var remainingKeys: [String] = []
        try stack.connectToRedis().scan(prefix: "\(stack.name).bench", "*") { remainingKeys += $0 }
        #expect(remainingKeys.isEmpty)
    }
}
