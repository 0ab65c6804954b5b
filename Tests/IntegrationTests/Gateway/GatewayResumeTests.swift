import Foundation
import TestSupport
import Testing

@Suite(
    "Clients of rider-gateway that reconnect", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayResumeTests {
    /// Removes the first vehicle position from a client's log, and expects the audit to report it as missing.
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

    @Test("Clients receive every event once and in order despite lost connections and a killed gateway")
    func clientsResumeAfterDisconnects() async throws {
        let pipeline = try await FleetPipeline(drivers: 20)
        defer { pipeline.end() }
        let (trips, routes) = try await pipeline.channels(trips: 4, in: ["ACCEPTED", "ARRIVED", "IN_PROGRESS"])
        let clients = try RiderClients(
            3, of: trips + routes.prefix(1), port: pipeline.port, token: pipeline.token, cutEverySeconds: 3,
            folder: pipeline.stack.logs)
        defer { clients.end() }
        try await eventually("clients receive events: \(clients.eventCounts); \(clients.output.suffix(500))") {
            try #require(clients.isRunning, "\(clients.output)")
            return clients.eventCounts.allSatisfy { $0 > 30 }
        }
        try await pipeline.killGateway()
        let before = clients.eventCounts
        try await pipeline.startGateway()
        try await eventually("clients receive events again over new connections: \(clients.eventCounts)") {
            zip(clients.eventCounts, before).allSatisfy { $0 > $1 + 100 }
                && clients.connectionCounts.allSatisfy { $0 >= 4 }
        }
        try await pipeline.finish()
        let report = try await ClientAuditReport.auditEverything([clients], pipeline.stack)
        #expect(report.differences == 0 && report.received.clients == 3 && report.received.channels == 15)
        #expect(report.received.connections >= 12, "each client reconnected several times")
        #expect(report.received.fullRefreshes < report.received.connections, "most connections resumed")
        #expect(try report.receivedCheck.compared > 300)
        try await expectMissing(try #require(clients.copies().first), pipeline.stack)
        #expect(clients.isRunning, "\(clients.output)")
    }
}
