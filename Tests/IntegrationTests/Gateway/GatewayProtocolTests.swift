import ChildProcesses
import Foundation
import Settings
import TestSupport
import Testing
import Tokens
import Tracking

/// With Python's `websockets`, and with bytes that no client library sends: the promises are in `gateway_protocol.py`.
@Suite(
    "What rider-gateway promises to clients", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayProtocolTests {
    private static let secret = "a secret of the tests, which has more than 32 bytes"

    /// A token made `age` seconds ago.
    private static func token(
        _ grant: TokenGrant, age: Int64 = 0, secret: String = Self.secret
    ) async throws -> String {
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - age * 1000)
        return try await TokenMinter(secret: Secret(secret)).mint(grant, now: now)
    }

    /// By the names that the script uses.
    private static func tokens() async throws -> String {
        let rider = TokenGrant(trips: ["told", "live", "unknown"], routes: ["17"], lifetimeSeconds: 3600)
        var brief = rider
        brief.lifetimeSeconds = 1
        let tokens = [
            "rider": try await token(rider),
            "operator": try await token(TokenGrant(trips: ["*"], scopes: ["fleet"], lifetimeSeconds: 3600)),
            "forged": try await token(rider, secret: "another secret, of more than 32 bytes as well"),
            // Tokens are taken for 30 s beyond their end.
            "expired": try await token(brief, age: 60), "brief": try await token(brief, age: 21),
        ]
        return String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self)
    }

    /// What the script expects to have happened.
    private static func tellHistory(_ log: RiderUpdateLog) throws {
        let trip = "trip:told"
        try log.tell(
            trip, "trip_state_changed", #"{"state":"ACCEPTED","facts":{"driver":{"name":"Ann"}}}"#, partition: 0)
        try log.tell(trip, "trip_state_changed", #"{"state":"IN_PROGRESS"}"#, partition: 0)
        for number in 2...9 { try log.tell(trip, "driver_location", #"{"latitude":\#(number)}"#, partition: 0) }
        for vehicle in ["8", "9", "8"] {
            try log.tell("route:17", "vehicle_position", #"{"vehicleNumber":"\#(vehicle)"}"#, partition: 2)
        }
        for number in 0...64 {
            try log.tell("trip:many_\(number)", "driver_location", #"{"latitude":1}"#, partition: Int32(3 + number % 3))
        }
        try log.tell("trip:of_another", "driver_location", #"{"latitude":1}"#, partition: 3)
    }

    /// Has the trip `live` move until the task is cancelled.
    private static func move(_ log: RiderUpdateLog) async throws {
        while !Task.isCancelled {
            try log.tell("trip:live", "driver_location", #"{"latitude":1}"#, partition: 1)
            // The pace of the trip, not a wait for something.
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test("holds, for a client of another make and for clients with bad manners")
    func promises() async throws {
        let stack = try await PipelineStack()
        defer { stack.end() }
        let log = try RiderUpdateLog(stack)
        defer { log.close() }
        try Self.tellHistory(log)
        let moving = Task { try await Self.move(log) }
        defer { moving.cancel() }
        try await stack.start("position-worker")
        let port = try FreePort.take()
        try await stack.start(
            "rider-gateway",
            extra: ["SIGHTLINE_RIDER_PORT": String(port), "SIGHTLINE_TOKEN_SECRET": Self.secret])
        let tokens = try await Self.tokens()
        let python = try #require(Checkout.tool("python3"))
        let script = Checkout.root.appendingPathComponent("Tests/Web/gateway_protocol.py").path
        let environment = ProcessInfo.processInfo.environment.merging([
            "PYTHONPATH": Checkout.root.appendingPathComponent(".local/python").path
        ]) { $1 }
        let answer = try Checkout.run(
            python, [script, "127.0.0.1", String(port), tokens], environment: environment)
        #expect(
            answer.code == 0,
            "\(answer.output)\nWhere Python's websockets is missing: deploy/local/install --for-tests")
    }
}
