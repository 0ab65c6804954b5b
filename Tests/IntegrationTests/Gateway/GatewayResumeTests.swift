import Foundation
import TestSupport
import Testing

@Suite(
    "Clients of a gateway that connect again", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayResumeTests {
    /// Expects the audit to find that a client's log lacks an event, once the first one of a vehicle is taken out of it.
    private func expectMissing(_ log: URL, _ stack: PipelineStack) async throws {
        var lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
        lines.remove(at: try #require(lines.firstIndex { $0.hasPrefix(#"{"type":"vehicle_position""#) }))
        try Data(lines.joined(separator: "\n").utf8).write(to: log)
        let program = try Program(
            "sightline-client-audit", [log.path], environment: stack.environment, logs: stack.logs)
        defer { program.end() }
        let code = try await program.wait()
        #expect(code == 1 && program.output.contains(" 1 missing"), "\(program.output)")
    }

    @Test("they receive every event once and in order, though connections are cut and the gateway is killed")
    func resume() async throws {
        let followed = try await FollowedFleet(drivers: 20)
        defer { followed.end() }
        let (trips, routes) = try await followed.channels(trips: 4, in: ["ACCEPTED", "ARRIVED", "IN_PROGRESS"])
        let clients = try FollowingClients(
            3, of: trips + routes.prefix(1), port: followed.port, token: followed.token, cutEverySeconds: 3,
            folder: followed.stack.logs)
        defer { clients.end() }
        try await eventually("clients receive events: \(clients.eventCounts); \(clients.output.suffix(500))") {
            try #require(clients.isRunning, "\(clients.output)")
            return clients.eventCounts.allSatisfy { $0 > 30 }
        }
        try await followed.killGateway()
        let before = clients.eventCounts
        try await followed.startGateway()
        try await eventually("clients receive events again, over further connections: \(clients.eventCounts)") {
            zip(clients.eventCounts, before).allSatisfy { $0 > $1 + 100 }
                && clients.connectionCounts.allSatisfy { $0 >= 4 }
        }
        try await followed.finish()
        let report = try await ReceivedReport.auditEverything([clients], followed.stack)
        #expect(report.differences == 0 && report.received.clients == 3 && report.received.channels == 15)
        #expect(report.received.connections >= 12, "each was cut off several times")
        #expect(report.received.fullRefreshes < report.received.connections, "most resumed")
        #expect(try report.check.compared > 300)
        try await expectMissing(try #require(clients.copies().first), followed.stack)
        #expect(clients.isRunning, "\(clients.output)")
    }
}
