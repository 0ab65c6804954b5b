import ChildProcesses
import Foundation
import Gateways
import Redis
import TestSupport
import Testing

/// Tests that run `gateway_routes.py` on a gateway whose Redis user has the permissions of the example file.
@Suite(
    "rider-gateway with the Redis user of deploy/redis/rider-gateway.acl", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(5)))
struct GatewayRightsTests {
    private static let user = "rider-gateway"

    /// Requests all routes `rounds` times and returns the statuses and the gateway's log.
    private static func requestAll(
        rounds: Int, without removed: [String] = []
    ) async throws -> (responses: [(request: String, status: Int)], log: String) {
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
        let port = try FreePort.find()
        let gateway = try await stack.start(
            "rider-gateway",
            extra: [
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "REDIS_URL": try #require(address.string), "SIGHTLINE_RIDER_RATE": "0",
            ])
        let token = try GatewayTokens.token(
            TokenGrant(trips: ["*"], routes: ["*"], scopes: ["fleet", "drivers", "devices"], lifetimeSeconds: 3600))
        let result = try WebScript.run("gateway_routes.py", ["127.0.0.1:\(port)", token, String(rounds)])
        let responses = result.output.split(separator: "\n").compactMap { line -> (request: String, status: Int)? in
            let words = line.split(separator: " ")
            guard words.count == 3, let status = Int(words[2]) else { return nil }
            return ("\(words[0]) \(words[1])", status)
        }
        #expect(result.code == 0 && responses.count == 11 * rounds, "\(result.output)")
        return (responses, gateway.program.output)
    }

    @Test("the permissions suffice for every route")
    func everyRoute() async throws {
        let (responses, log) = try await Self.requestAll(rounds: 1)
        for (request, status) in responses { #expect([200, 204, 404].contains(status), "\(request): \(status)") }
        #expect(!log.contains("NOPERM"), "\(log)")
    }

    @Test("without the permission to search, only searches fail, with 503")
    func deniedSearch() async throws {
        let (responses, log) = try await Self.requestAll(rounds: 10, without: ["-smembers"])
        for (request, status) in responses {
            let isSearch = request.contains("/drivers/near")
            #expect(isSearch ? status == 503 : status < 500, "\(request): \(status)")
        }
        #expect(log.contains("NOPERM"), "\(log)")
        #expect(!log.contains("Redis is available again"), "the connection was closed: \(log)")
    }
}
