import Foundation
import TestSupport
import Testing

@Suite(
    "A rider who follows a trip through pickup and dropoff", .nightly, .blocking, .serialized,
    .enabled(if: TestServices.areAvailable, "\(TestServices.hint)"), .timeLimit(.minutes(10)))
struct GatewayTripTests {
    /// How many trips the client follows to their end.
    ///
    /// While it follows the last one, nothing may be told of the others.
    private static let wholeTrips = 2

    @Test("is told its states in their order, moving positions, both arrival times, and nothing after its end")
    func wholeTrip() async throws {
        let followed = try await FollowedFleet(drivers: 80, options: ["--ride-meters", "200", "--cheaters", "0"])
        defer { followed.end() }
        // The way to a pickup is 100 m: of a trip that was accepted some time ago, hardly any of it is left.
        let (trips, _) = try await followed.channels(trips: 4, in: ["REQUESTED"])
        let client = try FollowingClients(
            1, of: trips, port: followed.port, token: followed.token, isAcknowledging: true,
            folder: followed.stack.logs)
        defer { client.end() }
        var told: [ToldTrip] = []
        try await eventually("trips are over: \(told.map(\.states)); \(client.output.suffix(500))", within: 300) {
            try #require(client.isRunning && followed.fleet.isRunning, "\(client.output)\(followed.fleet.output)")
            guard client.counts("\"state\":\"COMPLETED\"")[0] >= Self.wholeTrips else { return false }
            told = try ToldTrip.trips(in: client.copies()[0])
            return told.count { $0.isWhole } >= Self.wholeTrips
        }
        try await followed.finish()
        let report = try await ReceivedReport.auditEverything([client], followed.stack)
        #expect(report.differences == 0)
        #expect(client.counts("\"acknowledge\":true")[0] >= trips.count)
        #expect(client.counts("INVALID_MESSAGE") == [0], "acknowledgements are taken")
        let whole = try ToldTrip.trips(in: client.copies()[0]).filter { trip in
            trip.states.contains("COMPLETED") && trip.stage("ACCEPTED") != nil
        }
        #expect(whole.count >= Self.wholeTrips)
        for trip in whole { try check(trip) }
    }

    /// Expects what has to be told of a trip that was followed from its acceptance to its end.
    private func check(_ trip: ToldTrip) throws {
        #expect(trip.breaks.isEmpty, "\(trip.channel): each change begins with the state before")
        let states = trip.states.drop { $0 == "REQUESTED" }
        #expect(states == ["ACCEPTED", "ARRIVED", "IN_PROGRESS", "COMPLETED"], "\(trip.channel): \(trip.states)")
        let toPickup = try #require(trip.stage("ACCEPTED"))
        let toDropoff = try #require(trip.stage("IN_PROGRESS"))
        let end = try #require(trip.stages.last)
        #expect(toPickup.places.count > 1 && toDropoff.places.count > 3, "\(trip.channel): the vehicle moves")
        #expect(toPickup.arrivals.contains { $0.pickup == "VALID" }, "\(trip.channel): \(toPickup.arrivals)")
        #expect(toDropoff.arrivals.contains { $0.dropoff == "VALID" }, "\(trip.channel): \(toDropoff.arrivals)")
        #expect(
            toDropoff.arrivals.allSatisfy { $0.pickup == nil || $0.pickup == "PASSED" },
            "\(trip.channel): on the trip no pickup is ahead: \(toDropoff.arrivals)")
        // Of its end the rider is also told by a notification.
        #expect(end.types.allSatisfy { $0 == "notification" }, "\(trip.channel): after its end came \(end.types)")
    }
}
