import ChildProcesses
import Foundation
import Gateways
import Redis
import TestSupport
import Testing

/// With clients in Python; the promises are in `trip_requests.py`.
@Suite(
    "A trip that is requested before it has a driver", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct TripRequestTests {
    private static let partitions = 3

    private static func tokens() async throws -> String {
        try GatewayTokens.json([
            "backend": try await GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600)),
            "rider": try await GatewayTokens.token(
                TokenGrant(trips: ["*"], scopes: ["devices"], lifetimeSeconds: 3600)),
        ])
    }

    private static func redis(_ stack: PipelineStack) throws -> RedisConnection {
        try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
    }

    /// Starts driver-gateway, and returns where the trip service posts.
    private static func startDriverGateway(
        _ stack: PipelineStack, _ extra: [String: String] = [:]
    ) async throws -> (worker: PipelineStack.Worker, address: String) {
        let port = try FreePort.take()
        let settings = ["SIGHTLINE_DRIVER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret]
        let worker = try await stack.start("driver-gateway", extra: settings.merging(extra) { $1 })
        return (worker, "127.0.0.1:\(port)")
    }

    @Test("is told to riders until the driver is found, and continues by itself without a gap or a repetition")
    func promises() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        for worker in ["eta-worker", "broadcast-worker", "position-worker"] { try await stack.start(worker) }
        let addresses = [
            try await Self.startDriverGateway(stack).address, try await Self.startDriverGateway(stack).address,
        ].joined(separator: ",")
        let port = try FreePort.take()
        try await stack.start(
            "rider-gateway",
            extra: [
                "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                "SIGHTLINE_RIDER_RATE": "0",
            ])
        let (log, whole) = (
            stack.logs.appendingPathComponent("received"), stack.logs.appendingPathComponent("whole")
        )
        let answer = try WebScript.run(
            "trip_requests.py", ["127.0.0.1", String(port), try await Self.tokens(), log.path, addresses, whole.path])
        #expect(answer.code == 0, "\(answer.output)")
        let messages = try AsyncAPIReport("gateway.asyncapi.yaml", log: log)
        #expect(messages.problems.isEmpty, "\(messages.problems.joined(separator: "\n"))")
        let audit = try await ReceivedReport.audit([whole], stack)
        #expect(audit.differences == 0 && audit.received.fullRefreshes == 1)
        let records = try WrittenRecord.all(
            of: "\(stack.name).trips", on: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "",
            partitions: Self.partitions)
        #expect(Set(records.map(\.key)) == ["w1", "s1", "m1", "x1"], "requests are in no topic")
        try Self.expectLifetimes(stack)
    }

    /// Expects that every request is forgotten within a day.
    private static func expectLifetimes(_ stack: PipelineStack) throws {
        let redis = try redis(stack)
        var lifetimes: [Int64] = []
        try redis.scan(prefix: stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? "", "request:*") { keys in
            for key in keys { lifetimes.append(try redis.call("PTTL", key).integer ?? -1) }
        }
        #expect(lifetimes.count > 5 && lifetimes.allSatisfy { $0 > 0 && $0 <= 24 * 3_600_000 }, "\(lifetimes)")
    }

    @Test("needs Redis at driver-gateway, which takes events with a driver without it and is ready")
    func away() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let port = try FreePort.take()
        let (worker, address) = try await Self.startDriverGateway(
            stack, ["REDIS_URL": "redis://127.0.0.1:\(port)/0"])
        let token = try await GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600))
        let requested = #"{"trip_id":"t1","state":"REQUESTED"}"#
        let accepted = #"{"trip_id":"t2","driver_id":"d2","state":"ACCEPTED"}"#
        func post(_ body: String) throws -> String {
            try WebScript.run("trip_post.py", [address, token, body]).output
        }
        #expect(try post(requested).hasPrefix("503 2 TRY_AGAIN"))
        #expect(try post("[\(accepted),\(requested)]").hasPrefix("503 2 TRY_AGAIN"))
        #expect(try post(accepted).hasPrefix("200 None None"))
        #expect(
            Loopback.get(port: UInt16(worker.port), path: "/readyz")?.hasPrefix("{\"ready\":true") == true,
            "devices do not need Redis")
        try await eventually("the log names the consequence") {
            worker.program.output.contains("events of trips without a driver get 503")
        }
        let records = try WrittenRecord.all(
            of: "\(stack.name).trips", on: stack.environment["KAFKA_BOOTSTRAP_SERVERS"] ?? "",
            partitions: Self.partitions)
        #expect(records.map(\.key) == ["d2"], "nothing of a batch is written whose request cannot be kept")
        let server = try RedisConfiguration(url: stack.environment["REDIS_URL"] ?? "")
        let proxy = try CuttingProxy(to: (server.host, server.port), limits: [], port: port)
        defer { proxy.stop() }
        try await eventually("requests are accepted again") { try post(requested).hasPrefix("200 None None") }
        let key = "\(stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? "")request:t1"
        #expect(try Self.redis(stack).call("HGET", key, "state").text == "REQUESTED")
    }
}
