import ChildProcesses
import Foundation
import Gateways
import Redis
import TestSupport
import Testing

/// Tests of trips without a driver, most of them in `trip_requests.py`.
@Suite(
    "Trips that are requested before they have a driver", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct TripRequestTests {
    private static let partitions = 3

    private static func tokens() async throws -> String {
        try GatewayTokens.json([
            "backend": try GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600)),
            "rider": try GatewayTokens.token(
                TokenGrant(trips: ["*"], scopes: ["devices"], lifetimeSeconds: 3600)),
        ])
    }

    @Test("Riders receive the request, and after the match the trip, without missing or repeated events")
    func ridersReceiveTheRequestAndTheTrip() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        for worker in ["eta-worker", "broadcast-worker", "position-worker"] { try await stack.start(worker) }
        let addresses = [
            try await stack.startDriverGateway().address, try await stack.startDriverGateway().address,
        ].joined(separator: ",")
        let port = try await stack.startRiderGateway(["SIGHTLINE_RIDER_RATE": "0"]).port
        let log = stack.logs.appendingPathComponent("received")
        let completeTripLog = stack.logs.appendingPathComponent("complete")
        let result = try WebScript.run(
            "trip_requests.py",
            ["127.0.0.1", String(port), try await Self.tokens(), log.path, addresses, completeTripLog.path])
        #expect(result.code == 0, "\(result.output)")
        try AsyncAPIReport("gateway.asyncapi.yaml", log: log).expectNoProblems()
        let audit = try await ClientAuditReport.audit([completeTripLog], stack)
        #expect(audit.differences == 0 && audit.received.fullRefreshes == 1)
        let records = try stack.records("trips", partitions: Self.partitions)
        #expect(Set(records.map(\.key)) == ["w1", "s1", "m1", "x1"], "events without a driver are not in the topic")
        try Self.expectLifetimes(stack)
    }

    /// Expects that every stored request expires within a day.
    private static func expectLifetimes(_ stack: PipelineStack) throws {
        let redis = try stack.connectToRedis()
        var lifetimes: [Int64] = []
        try redis.scan(prefix: stack.redisPrefix, "request:*") { keys in
            for key in keys { lifetimes.append(try redis.call("PTTL", key).integer ?? -1) }
        }
        #expect(lifetimes.count > 5 && lifetimes.allSatisfy { $0 > 0 && $0 <= 24 * 3_600_000 }, "\(lifetimes)")
    }

    @Test("Without Redis, driver-gateway is ready and accepts events with a driver; other events get 503")
    func withoutRedisOnlyRequestsGet503() async throws {
        let stack = try await PipelineStack(partitions: Self.partitions)
        defer { stack.end() }
        let redisPort = try FreePort.find()
        let gateway = try await stack.startDriverGateway(["REDIS_URL": "redis://127.0.0.1:\(redisPort)/0"])
        let token = try GatewayTokens.token(TokenGrant(scopes: ["trips"], lifetimeSeconds: 3600))
        let requested = #"{"trip_id":"t1","state":"REQUESTED"}"#
        let accepted = #"{"trip_id":"t2","driver_id":"d2","state":"ACCEPTED"}"#
        func post(_ body: String) throws -> String {
            try WebScript.run("trip_post.py", [gateway.address, token, body]).output
        }
        #expect(try post(requested).hasPrefix("503 2 TRY_AGAIN"))
        #expect(try post("[\(accepted),\(requested)]").hasPrefix("503 2 TRY_AGAIN"))
        #expect(try post(accepted).hasPrefix("200 None None"))
        #expect(
            Loopback.get(port: UInt16(gateway.worker.port), path: "/readyz")?.hasPrefix("{\"ready\":true") == true,
            "devices do not need Redis")
        try await eventually("the log contains the consequence") {
            gateway.program.output.contains("events of trips without a driver get 503")
        }
        let records = try stack.records("trips", partitions: Self.partitions)
        #expect(records.map(\.key) == ["d2"], "a batch whose request cannot be stored is not written")
        let server = try RedisConfiguration(url: stack.environment["REDIS_URL"] ?? "")
        let proxy = try CuttingProxy(to: (server.host, server.port), limits: [], port: redisPort)
        defer { proxy.stop() }
        try await eventually("requests are accepted again") { try post(requested).hasPrefix("200 None None") }
        let state = try stack.connectToRedis().call("HGET", "\(stack.redisPrefix)request:t1", "state").text
        #expect(state == "REQUESTED")
    }
}
