import ChildProcesses
import Domain
import Foundation
import Gateways
import PositionWorker
import Redis
import TestSupport
import Testing

/// With Python's `websockets`, and with bytes that no client library sends: the promises are in `gateway_protocol.py`.
@Suite(
    "What rider-gateway promises to clients", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayProtocolTests {
    /// By the names that the script uses; with the secret it makes more.
    private static func tokens() async throws -> String {
        let rider = TokenGrant(
            trips: ["known", "live", "moved", "unknown"], routes: ["17", "R1"], lifetimeSeconds: 3600)
        var brief = rider
        brief.lifetimeSeconds = 1
        let tokens = [
            "rider": try await GatewayTokens.token(rider),
            "operator": try await GatewayTokens.token(
                TokenGrant(trips: ["*"], scopes: ["fleet"], lifetimeSeconds: 3600)),
            "dispatcher": try await GatewayTokens.token(TokenGrant(scopes: ["drivers"], lifetimeSeconds: 3600)),
            "forged": try await GatewayTokens.token(rider, secret: GatewayTokens.otherSecret),
            // Tokens are taken for 30 s beyond their end.
            "expired": try await GatewayTokens.token(brief, age: 60), "secret": GatewayTokens.secret,
        ]
        return try GatewayTokens.json(tokens)
    }

    /// What the script expects to have happened.
    private static func tellHistory(_ log: RiderUpdateLog) throws {
        let trip = "trip:known"
        try log.tell(
            trip, "trip_state_changed", #"{"state":"ACCEPTED","facts":{"driver":{"name":"Ann"}}}"#, partition: 0)
        try log.tell(trip, "trip_state_changed", #"{"state":"IN_PROGRESS"}"#, partition: 0)
        for number in 2...9 { try log.tell(trip, "driver_location", #"{"latitude":\#(number)}"#, partition: 0) }
        for vehicle in ["8", "9", "8"] {
            try log.tell(
                "route:17", "vehicle_position", #"{"streamId":"run-\#(vehicle)","vehicleNumber":"\#(vehicle)"}"#,
                partition: 2)
        }
        // Two partitions write a trip that was taken over.
        for partition: Int32 in [3, 4] {
            try log.tell("trip:moved", "driver_location", #"{"latitude":1}"#, partition: partition)
        }
        try tellRuns(log)
        for number in 0...64 {
            try log.tell("trip:many_\(number)", "driver_location", #"{"latitude":1}"#, partition: Int32(3 + number % 3))
        }
        try log.tell("trip:of_another", "driver_location", #"{"latitude":1}"#, partition: 3)
    }

    /// Vehicles of route R1: two that come to stop `museum`, one that has passed it, one that does not serve it, and one
    /// whose run is over.
    private static func tellRuns(_ log: RiderUpdateLog) throws {
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
            try log.tell("trip:\(run)", "trip_state_changed", #"{"state":"IN_PROGRESS"}"#, partition: 4)
            try log.tell(
                "trip:\(run)", "eta_update",
                #"{"computed_at":"\#(at)","is_stale":false,"stop_etas":[\#(etas)],"traffic_conditions":"LIGHT"}"#,
                partition: 4)
            try log.tell(
                "route:R1", "vehicle_position",
                """
                {"streamId":"\(run)","etaId":"\(run)/museum","vehicleNumber":"bus \(run)","latLng":{"lat":-33.45,\
                "lng":-70.66},"isBusHalted":false,"nextStopId":"museum","lastStopId":"depot","timeStamp":1777881600000,\
                "isStale":false,"staleSeconds":0,"occupancyLevel":"UNKNOWN"}
                """, partition: 4)
        }
        try log.tell("trip:over", "trip_state_changed", #"{"state":"COMPLETED"}"#, partition: 4)
    }

    /// Drivers as position-worker keeps them, south and west of the zero lines; one was flagged and is still in the set.
    private static func keepDrivers(_ stack: PipelineStack) throws {
        let redis = try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
        let prefix = stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? ""
        let place = Coordinate(latitude: -33.45, longitude: -70.66)
        let area = GeoArea(place)
        // Ahead of the clock, so that position-worker does not take them for silent before the script comes to them.
        let later = String(Int64(Date(timeIntervalSinceNow: 3600).timeIntervalSince1970 * 1000))
        for (driver, latitude, isFlagged) in [("drv_1", -33.451, "0"), ("far", -33.46, "0"), ("forger", -33.4501, "1")]
        {
            let key = "\(prefix)driver:\(driver)"
            for (field, value) in [
                ("lat", "\(latitude)"), ("lon", "-70.66"), ("fixed_at", later), ("received_at", later),
                ("area", "\(area)"), ("is_flagged", isFlagged), ("is_suspect", "0"), ("is_halted", "0"),
                ("speed_mps", "3.5"),
            ] {
                _ = try redis.call("HSET", key, field, value)
            }
            _ = try redis.call("GEOADD", "\(prefix)drivers:geo:\(area)", "-70.66", "\(latitude)", driver)
        }
        _ = try redis.call("SADD", "\(prefix)drivers:areas", "\(area)")
    }

    /// Has the trip `live` move until the task is cancelled.
    private static func move(_ log: RiderUpdateLog) async throws {
        while !Task.isCancelled {
            try log.tell("trip:live", "driver_location", #"{"latitude":1}"#, partition: 1)
            // The pace of the trip, not a wait for something.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// A gateway with a history, drivers and a trip that moves.
    private struct Scene {
        let stack: PipelineStack
        let gateway: PipelineStack.Worker
        let port: UInt16
        private let log: RiderUpdateLog
        private let moving: Task<Void, any Error>

        init() async throws {
            stack = try await PipelineStack()
            let log = try RiderUpdateLog(stack)
            self.log = log
            try GatewayProtocolTests.tellHistory(log)
            try GatewayProtocolTests.keepDrivers(stack)
            // Each update waits for its acknowledgement, and a task of its own does not inherit the suite's threads.
            moving = Task(executorPreference: BlockingThreads.shared) { try await GatewayProtocolTests.move(log) }
            try await stack.start("position-worker")
            port = try FreePort.take()
            gateway = try await stack.start(
                "rider-gateway",
                extra: [
                    "SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": GatewayTokens.secret,
                    "SIGHTLINE_RIDER_ORIGINS": "https://app.example.com",
                    // The scripts ask more than a user does; GatewayLimitTests has limits.
                    "SIGHTLINE_RIDER_RATE": "0",
                ])
        }

        /// Where a script logs what it receives.
        var received: URL { stack.logs.appendingPathComponent("received") }

        func run(_ script: String, _ extra: String...) async throws -> (code: Int32, output: String) {
            let tokens = try await GatewayProtocolTests.tokens()
            return try WebScript.run(script, ["127.0.0.1", String(port), tokens, received.path] + extra)
        }

        func end() {
            moving.cancel()
            log.close()
            stack.end()
        }
    }

    @Test("holds, for a client of another make and for clients with bad manners")
    func promises() async throws {
        let scene = try await Scene()
        defer { scene.end() }
        let answer = try await scene.run("gateway_protocol.py")
        #expect(answer.code == 0, "\(answer.output)")
        let report = try AsyncAPIReport("gateway.asyncapi.yaml", log: scene.received)
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
        #expect(report.unseen.isEmpty)
    }

    @Test("holds for streams of events")
    func streams() async throws {
        let scene = try await Scene()
        defer { scene.end() }
        let answer = try await scene.run("gateway_stream.py", "http://127.0.0.1:\(scene.gateway.port)/metrics")
        #expect(answer.code == 0, "\(answer.output)")
    }

    @Test("holds for events that are acknowledged")
    func acknowledgements() async throws {
        let scene = try await Scene()
        defer { scene.end() }
        let metrics = "http://127.0.0.1:\(scene.gateway.port)/metrics"
        let answer = try await scene.run("gateway_acknowledgement.py", metrics)
        #expect(answer.code == 0, "\(answer.output)")
        let report = try AsyncAPIReport("gateway.asyncapi.yaml", log: scene.received)
        #expect(report.problems.isEmpty, "\(report.problems.joined(separator: "\n"))")
    }

    @Test("is what docs/schemas/gateway.openapi.yaml describes", .nightly)
    func interface() async throws {
        let scene = try await Scene()
        defer { scene.end() }
        try await OpenAPICheck.run(
            "gateway.openapi.yaml", at: "127.0.0.1:\(scene.port)",
            grant: TokenGrant(trips: ["*"], routes: ["*"], scopes: ["fleet", "devices"], lifetimeSeconds: 3600),
            without: "/trips/{id}/stream")
    }
}
