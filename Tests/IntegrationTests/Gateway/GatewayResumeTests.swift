import ChildProcesses
import Foundation
import Redis
import TestSupport
import Testing

@Suite(
    "Clients of a gateway that connect again", .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayResumeTests {
    /// The report of `sightline audit --received`, as far as these tests look.
    private struct Report: Decodable {
        struct Check: Decodable {
            var name: String
            var compared: Int
            var excused: [String: Int]
        }
        struct Received: Decodable {
            enum CodingKeys: String, CodingKey {
                case clients, connections, channels
                case fullRefreshes = "full_refreshes"
            }
            var clients: Int
            var connections: Int
            var channels: Int
            var fullRefreshes: Int
        }
        var differences: Int
        var checks: [Check]
        var received: Received

        var check: Check { get throws { try #require(checks.first { $0.name == "received" }) } }
        /// Records that are on the topic and have not reached the clients.
        var beyond: Int { get throws { try check.excused["beyond_client"] ?? 0 } }
    }

    /// Trips and routes that have been published, without the prefix of their keys.
    private func channels(_ stack: PipelineStack) throws -> (trips: [String], routes: [String]) {
        let redis = try RedisConnection(RedisConfiguration(url: stack.environment["REDIS_URL"] ?? ""))
        let prefix = stack.environment["SIGHTLINE_REDIS_PREFIX"] ?? ""
        func ids(_ kind: String) throws -> [String] {
            var found: Set<String> = []
            try redis.scan(prefix: prefix, "\(kind):*") { keys in
                found.formUnion(keys.map { String($0.dropFirst(prefix.count)) })
            }
            return found.filter { !$0.hasSuffix(":events") }.sorted()
        }
        return (try ids("trip"), try ids("route"))
    }

    /// Audits what clients have received by now, and expects no difference.
    private func audit(_ clients: FollowingClients, _ stack: PipelineStack) async throws -> Report {
        let file = stack.logs.appendingPathComponent("received.json")
        try? FileManager.default.removeItem(at: file)
        let program = try Program(
            "sightline", ["audit", "--json", file.path, "--received"] + clients.copies().map(\.path),
            environment: stack.environment, logs: stack.logs)
        defer { program.end() }
        let code = try await program.wait()
        try #require(code == 0, "\(program.output)\n\(clients.output.suffix(2000))")
        return try JSONDecoder().decode(Report.self, from: try Data(contentsOf: file))
    }

    /// Expects the audit to find that a client's log lacks an event, once the first one of a vehicle is taken out of it.
    private func expectMissing(_ log: URL, _ stack: PipelineStack) async throws {
        var lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        lines.remove(at: try #require(lines.firstIndex { $0.hasPrefix(#"{"type":"vehicle_position""#) }))
        try Data(lines.joined(separator: "\n").utf8).write(to: log)
        let program = try Program(
            "sightline", ["audit", "--received", log.path], environment: stack.environment, logs: stack.logs)
        defer { program.end() }
        let code = try await program.wait()
        #expect(code == 1 && program.output.contains(" 1 missing"), "\(program.output)")
    }

    @Test("they receive every event once and in order, though connections are cut and the gateway is killed")
    func resume() async throws {
        let stack = try await PipelineStack(partitions: 3)
        defer { stack.end() }
        try await stack.startAll()
        let port = Int(try FreePort.take())
        let secret = try await stack.sightline("token", "--new-secret").trimmingCharacters(in: .whitespacesAndNewlines)
        let settings = ["SIGHTLINE_TOKEN_SECRET": secret, "SIGHTLINE_RIDER_PORT": String(port)]
        let token = try await Program.run(
            "sightline", ["token", "--trip", "*", "--route", "*"],
            environment: stack.environment.merging(settings) { $1 }, logs: stack.logs
        ).trimmingCharacters(in: .whitespacesAndNewlines)
        let fleet = try Program(
            "sightline", ["simulate", "--drivers", "20", "--seconds", "30", "--seed", "3"],
            environment: stack.environment, logs: stack.logs)
        defer { fleet.end() }
        let gateway = try await stack.start("rider-gateway", extra: settings)
        try await eventually("trips and a route are published") {
            try #require(fleet.isRunning, "\(fleet.output)")
            let found = try channels(stack)
            return found.trips.count >= 4 && !found.routes.isEmpty
        }
        let found = try channels(stack)
        let clients = try FollowingClients(
            3, of: Array(found.trips.prefix(4)) + Array(found.routes.prefix(1)), port: port, token: token,
            cutEverySeconds: 3,
            folder: stack.logs)
        defer { clients.end() }
        try await eventually("clients receive events: \(clients.eventCounts); \(clients.output.suffix(500))") {
            try #require(clients.isRunning, "\(clients.output)")
            return clients.eventCounts.allSatisfy { $0 > 30 }
        }
        gateway.program.send(signal: SIGKILL)
        try await eventually("the gateway is gone") { !gateway.program.isRunning }
        let before = clients.eventCounts
        try await stack.start("rider-gateway", extra: settings)
        #expect(fleet.isRunning, "the fleet was still sending: \(fleet.output)")
        try await eventually("clients receive events again: \(clients.eventCounts)") {
            zip(clients.eventCounts, before).allSatisfy { $0 > $1 }
        }
        #expect(try await fleet.wait() == 0, "\(fleet.output)")
        // Waits until the workers have published everything.
        try await stack.sightline("audit", "--wait", "60", "--no-history")
        var last: Report?
        try await eventually("clients have everything that was published; \(clients.output.suffix(500))") {
            let report = try await audit(clients, stack)
            last = report
            return try report.beyond == 0
        }
        let report = try #require(last)
        #expect(report.differences == 0 && report.received.clients == 3 && report.received.channels == 15)
        #expect(report.received.connections >= 12, "each was cut off several times")
        #expect(report.received.fullRefreshes < report.received.connections, "most resumed")
        #expect(try report.check.compared > 300)
        try await expectMissing(try #require(clients.copies().first), stack)
        #expect(clients.isRunning, "\(clients.output)")
    }
}
