import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "The benchmark of rider-gateway", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayBenchTests {
    private struct Result: Decodable {
        var name: String
        var values: [String: Double]
        var error: String?
    }

    @Test("measures the gateway and the plain server, loses no update, and leaves no key behind")
    func small() async throws {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let file = stack.logs.appendingPathComponent("bench.json")
        // As in the environment of deploy/local/stack.
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
        // Every client had an event before the gateway was killed, so that none needs its state in full.
        #expect(storm["resumed"] == 20 && storm["state_in_full"] == 0)
        #expect(storm["missing"] == 0 && storm["repeated"] == 0 && storm["errors"] == 0)
        let redis = try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
        var left: [String] = []
        try redis.scan(prefix: "\(stack.name).bench", "*") { left += $0 }
        #expect(left.isEmpty)
    }
}
