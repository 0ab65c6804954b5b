import Domain
import Foundation
import Gateways
import PositionWorker
import Redis
import TestSupport
import Testing

/// Tests of rider-gateway's protocol, in `gateway_protocol.py`, `gateway_stream.py` and `gateway_acknowledgement.py`.
///
/// Some tests send bytes that no client library sends.
@Suite(
    "Protocol of rider-gateway", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayProtocolTests {
    /// Returns the scripts' tokens by name, and the secret to sign further tokens, as JSON.
    private static func tokens() async throws -> String {
        let rider = TokenGrant(
            trips: ["known", "live", "moved", "unknown"], routes: ["17", "R1"], lifetimeSeconds: 3600)
        var brief = rider
        brief.lifetimeSeconds = 1
        let tokens = [
            "rider": try GatewayTokens.token(rider),
            "operator": try GatewayTokens.token(
                TokenGrant(trips: ["*"], scopes: ["fleet"], lifetimeSeconds: 3600)),
            "dispatcher": try GatewayTokens.token(TokenGrant(scopes: ["drivers"], lifetimeSeconds: 3600)),
            "forged": try GatewayTokens.token(rider, secret: GatewayTokens.otherSecret),
            // Gateways accept a token for 30 s after its expiry.
            "expired": try GatewayTokens.token(brief, age: 60), "secret": GatewayTokens.secret,
        ]
        return try GatewayTokens.json(tokens)
    }

    /// Publishes the updates that the scripts expect.
    private static func publishHistory(_ updates: RiderUpdateProducer) throws {
        let trip = "trip:known"
        try updates.send(
            trip, "trip_state_changed", #"{"state":"ACCEPTED","facts":{"driver":{"name":"Ann"}}}"#, partition: 0)
        try updates.send(trip, "trip_state_changed", #"{"state":"IN_PROGRESS"}"#, partition: 0)
        for number in 2...9 { try updates.send(trip, "driver_location", #"{"latitude":\#(number)}"#, partition: 0) }
        for vehicle in ["8", "9", "8"] {
            try updates.send(
                "route:17", "vehicle_position", #"{"streamId":"run-\#(vehicle)","vehicleNumber":"\#(vehicle)"}"#,
                partition: 2)
        }
        // After a rematch, the trip's updates are in another partition.
        for partition: Int32 in [3, 4] {
            try updates.send("trip:moved", "driver_location", #"{"latitude":1}"#, partition: partition)
        }
        try publishRuns(updates)
        for number in 0...64 {
            try updates.send(
                "trip:many_\(number)", "driver_location", #"{"latitude":1}"#, partition: Int32(3 + number % 3))
        }
        try updates.send("trip:of_another", "driver_location", #"{"latitude":1}"#, partition: 3)
    }

    /// Publishes five runs of route R1.
    ///
    /// Two runs approach the stop `museum`, one has passed the stop, one does not serve it, and one is completed.
    private static func publishRuns(_ updates: RiderUpdateProducer) throws {
        let at = "2026-05-04T08:00:00.000Z"
        func stop(_ id: String, _ status: String, _ times: String) -> String {
            #"{"stop_id":"\#(id)","kind":"STOP","status":"\#(status)",\#(times)"delay":"UNKNOWN","computed_at":"\#(at)"}"#
        }
        let stops = [
            "late": stop("museum", "VALID", #""seconds":240,"min_seconds":200,"max_seconds":300,"#),
            "tr_1": stop("harbour", "PASSED", #""seconds":-1,"#)
                + ","
                + stop("museum", "VALID", #""seconds":60,"min_seconds":50,"max_seconds":80,"distance_meters":412.4,"#),
            "passed": stop("museum", "PASSED", #""seconds":-1,"#),
            "elsewhere": stop("harbour", "VALID", #""seconds":30,"#),
            "over": stop("museum", "VALID", #""seconds":10,"#),
        ]
        for (run, etas) in stops.sorted(by: { $0.key < $1.key }) {
            try updates.send("trip:\(run)", "trip_state_changed", #"{"state":"IN_PROGRESS"}"#, partition: 4)
            try updates.send(
                "trip:\(run)", "eta_update",
                #"{"computed_at":"\#(at)","is_stale":false,"stop_etas":[\#(etas)],"traffic_conditions":"LIGHT"}"#,
                partition: 4)
            try updates.send(
                "route:R1", "vehicle_position",
                """
                {"streamId":"\(run)","etaId":"\(run)/museum","vehicleNumber":"bus \(run)","latLng":{"lat":-33.45,\
                "lng":-70.66},"isBusHalted":false,"nextStopId":"museum","lastStopId":"depot","timeStamp":1777881600000,\
                "isStale":false,"staleSeconds":0,"occupancyLevel":"UNKNOWN"}
                """, partition: 4)
        }
        try updates.send("trip:over", "trip_state_changed", #"{"state":"COMPLETED"}"#, partition: 4)
    }

    /// Stores drivers like position-worker, except that a flagged driver is still in the geo set.
    private static func storeDrivers(_ stack: PipelineStack) throws {
        let redis = try stack.connectToRedis()
        let prefix = stack.redisPrefix
        let center = Coordinate(latitude: -33.45, longitude: -70.66)
        let area = GeoArea(center)
        // An hour ahead, so that position-worker does not remove the drivers as silent during the test.
        let receivedAt = String(Int64(Date(timeIntervalSinceNow: 3600).timeIntervalSince1970 * 1000))
        for (driver, latitude, isFlagged) in [("drv_1", -33.451, "0"), ("far", -33.46, "0"), ("forger", -33.4501, "1")]
        {
            let key = "\(prefix)driver:\(driver)"
            for (field, value) in [
                ("lat", "\(latitude)"), ("lon", "-70.66"), ("fixed_at", receivedAt), ("received_at", receivedAt),
                ("area", "\(area)"), ("is_flagged", isFlagged), ("is_suspect", "0"), ("is_halted", "0"),
                ("speed_mps", "3.5"),
            ] {
                _ = try redis.call("HSET", key, field, value)
            }
            _ = try redis.call("GEOADD", "\(prefix)drivers:geo:\(area)", "-70.66", "\(latitude)", driver)
        }
        _ = try redis.call("SADD", "\(prefix)drivers:areas", "\(area)")
    }

    /// Publishes positions of the trip `live` until the task is cancelled.
    private static func publishLivePositions(_ updates: RiderUpdateProducer) async throws {
        while !Task.isCancelled {
            try updates.send("trip:live", "driver_location", #"{"latitude":1}"#, partition: 1)
            // This is the interval of the positions; no test waits here.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Pipeline with a rider-gateway, published trips, stored drivers, and a trip with live positions.
    private struct Scenario {
        let stack: PipelineStack
        let gateway: PipelineStack.Gateway
        private let livePositions: Task<Void, any Error>

        init() async throws {
            stack = try await PipelineStack()
            let updates = try RiderUpdateProducer(stack)
            try GatewayProtocolTests.publishHistory(updates)
            try GatewayProtocolTests.storeDrivers(stack)
            // Each update blocks until it is acknowledged, and a new task does not inherit the suite's threads.
            livePositions = Task(executorPreference: BlockingThreads.shared) {
                try await GatewayProtocolTests.publishLivePositions(updates)
            }
            try await stack.start("position-worker")
            gateway = try await stack.startRiderGateway([
                "SIGHTLINE_RIDER_ORIGINS": "https://app.example.com",
                // The scripts exceed the default limit; GatewayLimitTests tests limits.
                "SIGHTLINE_RIDER_RATE": "0",
            ])
        }

        /// Log of the messages that a script receives.
        var received: URL { stack.logs.appendingPathComponent("received") }

        func run(_ script: String, _ extra: String...) async throws -> (code: Int32, output: String) {
            let tokens = try await GatewayProtocolTests.tokens()
            return try WebScript.run(script, ["127.0.0.1", String(gateway.port), tokens, received.path] + extra)
        }

        func end() {
            livePositions.cancel()
            stack.end()
        }
    }

    @Test("WebSockets and HTTP requests follow docs/gateway.md, also with misbehaving clients")
    func socketsAndRequestsFollowTheProtocol() async throws {
        let scenario = try await Scenario()
        defer { scenario.end() }
        let result = try await scenario.run("gateway_protocol.py")
        #expect(result.code == 0, "\(result.output)")
        let report = try AsyncAPIReport("gateway.asyncapi.yaml", log: scenario.received)
        report.expectNoProblems()
        #expect(report.unseen.isEmpty)
    }

    @Test("Event streams follow docs/gateway.md")
    func streamsFollowTheProtocol() async throws {
        let scenario = try await Scenario()
        defer { scenario.end() }
        let result = try await scenario.run("gateway_stream.py", scenario.gateway.metrics)
        #expect(result.code == 0, "\(result.output)")
    }

    @Test("Acknowledgements follow docs/gateway.md")
    func acknowledgementsFollowTheProtocol() async throws {
        let scenario = try await Scenario()
        defer { scenario.end() }
        let result = try await scenario.run("gateway_acknowledgement.py", scenario.gateway.metrics)
        #expect(result.code == 0, "\(result.output)")
        try AsyncAPIReport("gateway.asyncapi.yaml", log: scenario.received).expectNoProblems()
    }

    @Test("The HTTP routes conform to docs/schemas/gateway.openapi.yaml", .nightly)
    func routesConformToTheOpenAPIDocument() async throws {
        let scenario = try await Scenario()
        defer { scenario.end() }
        try await OpenAPICheck.run(
            "gateway.openapi.yaml", at: scenario.gateway.address,
            grant: TokenGrant(trips: ["*"], routes: ["*"], scopes: ["fleet", "devices"], lifetimeSeconds: 3600),
            without: "/trips/{id}/stream")
    }
}
