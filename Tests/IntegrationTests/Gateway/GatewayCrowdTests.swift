import Foundation
import TestSupport
import Testing

@Suite(
    "A thousand clients of rider-gateway", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayCrowdTests {
    private static let processes = 4
    private static let clientsPerProcess = 250
    /// Longer than the default of `eventually`, because other tests may run at the same time.
    private static let timeoutSeconds = 240.0

    @Test("All clients resume without a gap after the gateway was killed")
    func clientsResumeAfterKill() async throws {
        let pipeline = try await FleetPipeline(drivers: 30, options: ["--cheaters", "0"])
        defer { pipeline.end() }
        let (trips, _) = try await pipeline.channels(trips: Self.processes)
        var clients: [RiderClients] = []
        defer { for process in clients { process.end() } }
        for trip in trips {
            let folder = pipeline.stack.logs.appendingPathComponent("clients-\(clients.count)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            clients.append(
                try RiderClients(
                    Self.clientsPerProcess, of: [trip], port: pipeline.port, token: pipeline.token, folder: folder))
        }
        try await eventually(
            "all clients receive positions: \(clients.map(\.clientsWithPositions))", within: Self.timeoutSeconds
        ) {
            for process in clients { try #require(process.isRunning, "\(process.output.suffix(500))") }
            return clients.allSatisfy { $0.clientsWithPositions == Self.clientsPerProcess }
        }
        try await pipeline.killGateway()
        try await pipeline.startGateway()
        try await eventually(
            "all clients receive positions again: \(clients.map(\.clientsWithPositionsAfterReconnect))",
            within: Self.timeoutSeconds
        ) {
            clients.allSatisfy { $0.clientsWithPositionsAfterReconnect == Self.clientsPerProcess }
        }
        try await pipeline.finish()
        let report = try await ClientAuditReport.auditEverything(clients, pipeline.stack)
        let count = Self.processes * Self.clientsPerProcess
        #expect(report.differences == 0 && report.received.clients == count)
        #expect(report.received.connections >= 2 * count, "each client reconnected")
        #expect(report.received.fullRefreshes == 0, "each client resumed")
        #expect(try report.receivedCheck.compared > 4 * count)
    }
}
