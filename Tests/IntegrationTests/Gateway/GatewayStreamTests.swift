import TestSupport
import Testing

@Suite(
    "Riders who follow trips by streams of events", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayStreamTests {
    @Test("are told whole trips, every event once, though connections are cut and gateways are killed and stopped")
    func wholeTrips() async throws {
        let followed = try await FollowedFleet(drivers: 40, options: ["--ride-meters", "200", "--cheaters", "0"])
        defer { followed.end() }
        let (trips, _) = try await followed.channels(trips: 6, in: ["REQUESTED", "ACCEPTED"])
        let clients = try FollowingClients(
            streamsOf: trips, port: followed.port, token: followed.token, cutEverySeconds: 7,
            folder: followed.stack.logs)
        defer { clients.end() }
        try await haveConnected(clients, times: 1)
        try await followed.killGateway()
        try await followed.startGateway()
        try await haveConnected(clients, times: 2)
        try await followed.stopGateway()
        try await eventually("clients are told that the gateway stops") { clients.output.contains("SERVER_CLOSING") }
        try await followed.startGateway()
        try await haveConnected(clients, times: 3)
        var told: [ToldTrip] = []
        try await eventually("a trip is over: \(told.map(\.states)); \(clients.output.suffix(500))", within: 300) {
            try #require(clients.isRunning && followed.fleet.isRunning, "\(clients.output)\(followed.fleet.output)")
            told = try clients.copies().flatMap { try ToldTrip.trips(in: $0) }
            return told.contains { $0.isWhole }
        }
        try await followed.finish()
        let report = try await ReceivedReport.auditEverything([clients], followed.stack)
        #expect(report.differences == 0 && report.received.clients == trips.count)
        #expect(report.received.fullRefreshes < report.received.connections, "some resumed")
        #expect(told.allSatisfy { $0.breaks.isEmpty }, "each change begins with the state before")
    }

    private func haveConnected(_ clients: FollowingClients, times: Int) async throws {
        try await eventually("clients have connected \(times) times: \(clients.output.suffix(500))") {
            try #require(clients.isRunning, "\(clients.output)")
            return clients.connectionCounts.allSatisfy { $0 >= times }
        }
    }
}
