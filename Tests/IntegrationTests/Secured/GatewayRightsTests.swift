import ChildProcesses
import Foundation
import Gateways
import Redis
import TestSupport
import Testing

/// Asks a gateway as `gateway_routes.py` does, whose Redis user has the rights of an example.
@Suite(
    "A rider-gateway with the rights of deploy/redis/rider-gateway.acl", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(5)))
struct GatewayRightsTests {
    private static let user = "rider-gateway"

    /// Each request with its status, and what the gateway logged.
    private static func ask(
        rounds: Int, without removed: [String] = []
    ) async throws -> (answers: [(request: String, status: Int)], log: String) {
        let stack = try await PipelineStack(partitions: 1)
        defer { stack.end() }
        let url = try #require(stack.environment["REDIS_URL"])
        let redis = try RedisConnection(RedisConfiguration(url: url))
        let name = "\(stack.name)-gateway"
        try ExampleACL(file: "rider-gateway.acl", user: user)
            .create(name, prefix: stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? "", password: "hunter2", redis)
        defer { _ = try? redis.call("ACL", "DELUSER", name) }
        for rule in removed { try redis.call("ACL", "SETUSER", name, rule) }
        var address = try #require(URLComponents(string: url))
        (address.user, address.password) = (name, "hunter2")
        let port = try FreePort.take()
        let gateway = try await stack.start(
            "rider-gateway",
            extra: [
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "REDIS_URL": try #require(address.string), "SIGHTLINE_RIDER_RATE": "0",
            ])
        let token = try await GatewayTokens.token(
            TokenGrant(trips: ["*"], routes: ["*"], scopes: ["fleet", "drivers", "devices"], lifetimeSeconds: 3600))
        let result = try WebScript.run("gateway_routes.py", ["127.0.0.1:\(port)", token, String(rounds)])
        let answers = result.output.split(separator: "\n").compactMap { line -> (request: String, status: Int)? in
            let words = line.split(separator: " ")
            guard words.count == 3, let status = Int(words[2]) else { return nil }
            return ("\(words[0]) \(words[1])", status)
        }
        #expect(result.code == 0 && answers.count == 11 * rounds, "\(result.output)")
        return (answers, gateway.program.output)
    }

    @Test("serves every route: what is not there is not found, and no request is refused by Redis")
    func everyRoute() async throws {
        let (answers, log) = try await Self.ask(rounds: 1)
        for (request, status) in answers { #expect([200, 204, 404].contains(status), "\(request): \(status)") }
        #expect(!log.contains("NOPERM"), "\(log)")
    }

    @Test("whose user lacks the right to search answers searches with 503, and everyone else as before")
    func refusedSearch() async throws {
        let (answers, log) = try await Self.ask(rounds: 10, without: ["-smembers"])
        for (request, status) in answers {
            let isSearch = request.contains("/drivers/near")
            #expect(isSearch ? status == 503 : status < 500, "\(request): \(status)")
        }
        #expect(log.contains("NOPERM") && !log.contains("Redis is available again"), "the connection was kept: \(log)")
    }
}
