import Foundation
import TestSupport
import Testing

@Suite(
    "A trip from pickup to dropoff as a rider receives it", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayTripTests {
    /// Number of trips that the client must receive completely.
    ///
    /// Until the second trip ends, the client would receive any event after the end of the first trip.
    private static let completeTrips = 2

    @Test("A rider receives ordered states, positions and both arrival times, and only notifications after the end")
    func riderReceivesACompleteTrip() async throws {
        let pipeline = try await FleetPipeline(drivers: 80, options: ["--ride-meters", "200", "--cheaters", "0"])
        defer { pipeline.end() }
        // The pickup is only about 100 m away, so the vehicle of an accepted trip may have arrived already.
        let (trips, _) = try await pipeline.channels(trips: 4, in: ["REQUESTED"])
        let client = try RiderClients(
            1, of: trips, port: pipeline.port, token: pipeline.token, isAcknowledging: true,
            folder: pipeline.stack.logs)
        defer { client.end() }
        var received: [ReceivedTrip] = []
        try await eventually(
            "trips are complete: \(received.map(\.states)); \(client.output.suffix(500))", within: 300
        ) {
            try #require(client.isRunning && pipeline.fleet.isRunning, "\(client.output)\(pipeline.fleet.output)")
            guard client.counts("\"state\":\"COMPLETED\"")[0] >= Self.completeTrips else { return false }
            received = try ReceivedTrip.trips(in: client.copies()[0])
            return received.count { $0.isComplete } >= Self.completeTrips
        }
        try await pipeline.finish()
        let report = try await ClientAuditReport.auditEverything([client], pipeline.stack)
        #expect(report.differences == 0)
        #expect(client.counts("\"acknowledge\":true")[0] >= trips.count)
        #expect(client.counts("INVALID_MESSAGE") == [0], "the gateway accepts the acknowledgements")
        let complete = try ReceivedTrip.trips(in: client.copies()[0]).filter { trip in
            trip.states.contains("COMPLETED") && trip.phase("ACCEPTED") != nil
        }
        #expect(complete.count >= Self.completeTrips)
        for trip in complete { try expectCompleteTrip(trip) }
    }

    /// Checks the events of a trip that was received from its acceptance to its end.
    private func expectCompleteTrip(_ trip: ReceivedTrip) throws {
        #expect(trip.inconsistentChanges.isEmpty, "\(trip.channel): each change starts from the previous state")
        let states = trip.states.drop { $0 == "REQUESTED" }
        #expect(states == ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"], "\(trip.channel): \(trip.states)")
        let toPickup = try #require(trip.phase("ACCEPTED"))
        let toDropoff = try #require(trip.phase("IN_PROGRESS"))
        let end = try #require(trip.phases.last)
        #expect(toPickup.positions.count > 1 && toDropoff.positions.count > 3, "\(trip.channel): the vehicle moves")
        #expect(toPickup.arrivals.contains { $0.pickup == "VALID" }, "\(trip.channel): \(toPickup.arrivals)")
        #expect(toDropoff.arrivals.contains { $0.dropoff == "VALID" }, "\(trip.channel): \(toDropoff.arrivals)")
        #expect(
            toDropoff.arrivals.allSatisfy { $0.pickup == nil || $0.pickup == "PASSED" },
            "\(trip.channel): no pickup is ahead while in progress: \(toDropoff.arrivals)")
        // A notification about the end may follow the end.
        #expect(end.types.allSatisfy { $0 == "notification" }, "\(trip.channel): \(end.types) after the end")
    }
}
