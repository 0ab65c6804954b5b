import TestSupport
import Testing

@Suite(
    "Clients of rider-gateway's event streams", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayStreamTests {
    @Test("Streams deliver each event of a trip once, despite lost connections and killed or stopped gateways")
    func streamsDeliverCompleteTrips() async throws {
        let pipeline = try await FleetPipeline(drivers: 40, options: ["--ride-meters", "200", "--cheaters", "0"])
        defer { pipeline.end() }
        let (trips, _) = try await pipeline.channels(trips: 6, in: ["REQUESTED", "ACCEPTED"])
        let clients = try RiderClients(
            streamsOf: trips, port: pipeline.port, token: pipeline.token, cutEverySeconds: 7,
            folder: pipeline.stack.logs)
        defer { clients.end() }
        try await waitForConnections(clients, count: 1)
        try await pipeline.killGateway()
        try await pipeline.startGateway()
        try await waitForConnections(clients, count: 2)
        try await pipeline.stopGateway()
        try await eventually("clients receive SERVER_CLOSING") { clients.output.contains("SERVER_CLOSING") }
        try await pipeline.startGateway()
        try await waitForConnections(clients, count: 3)
        var received: [ReceivedTrip] = []
        try await eventually(
            "a trip is complete: \(received.map(\.states)); \(clients.output.suffix(500))", within: 300
        ) {
            try #require(clients.isRunning && pipeline.fleet.isRunning, "\(clients.output)\(pipeline.fleet.output)")
            received = try clients.copies().flatMap { try ReceivedTrip.trips(in: $0) }
            return received.contains { $0.isComplete }
        }
        try await pipeline.finish()
        let report = try await ClientAuditReport.auditEverything([clients], pipeline.stack)
        #expect(report.differences == 0 && report.received.clients == trips.count)
        #expect(report.received.fullRefreshes < report.received.connections, "some connections resumed")
        #expect(
            received.allSatisfy { $0.inconsistentChanges.isEmpty }, "each change starts from the previous state")
    }

    private func waitForConnections(_ clients: RiderClients, count: Int) async throws {
        try await eventually("each client has connected \(count) times: \(clients.output.suffix(500))") {
            try #require(clients.isRunning, "\(clients.output)")
            return clients.connectionCounts.allSatisfy { $0 >= count }
        }
    }
}
