import Testing

@testable import Domain

@Suite struct DepartureTests {
    /// A run that is scheduled to depart 300 s after ``Town/start``.
    private var trip: ActiveTrip { ActiveTrip(Town.run(stops: 20, departure: 300), settings: ArrivalSettings()) }

    @Test(
        "a bus that waits beyond its first stops passes no stop until a minute after the departure time",
        arguments: [60.0, 30, 0, -60])
    func layover(secondsLeft: Double) {
        let trip = trip
        var flags: [TripEta.Delay] = []
        for seconds in stride(from: 0.0, through: 300 - secondsLeft, by: 30) {
            // 600 m along the route, past the first two stops.
            let eta = trip.drive(600, speed: 0, heading: nil, at: seconds)
            #expect(eta.stops.allSatisfy { $0.status != .passed }, "at \(seconds) s")
            flags.append(eta.stops[19].delay)
        }
        #expect(!flags.contains(.early))
        // The bus drives back to its first stop and departs from the stop.
        #expect(trip.drive(300, speed: 8, heading: 270, at: 330 - secondsLeft).stops[0].status != .passed)
        _ = trip.drive(0, speed: 5, heading: 90, at: 360 - secondsLeft)
        let begun = trip.drive(200, speed: 10, heading: 90, at: 400 - secondsLeft)
        #expect(begun.stops[0].status == .passed && begun.stops[1].status == .valid)
    }

    @Test("a bus that drives away from its first stop has departed", arguments: [49.0, 51, 400])
    func away(meters: Double) {
        let trip = trip
        _ = trip.drive(0, speed: 0, heading: nil, at: 200)
        let eta = trip.drive(meters, speed: 10, at: 310)
        #expect(eta.stops[0].status == .passed)
    }

    @Test(
        "two minutes after the departure time, a bus that waits beyond its first stops has departed",
        arguments: [(419.0, false), (420, true)])
    func late(seconds: Double, isBegun: Bool) {
        let trip = trip
        _ = trip.drive(600, speed: 0, heading: nil, at: 200)
        let eta = trip.drive(600, speed: 0, heading: nil, at: seconds)
        #expect((eta.stops[0].status == .passed) == isBegun)
    }

    @Test("standing adds 10 s to the ETA of a departed run, slow driving adds less")
    func stands() throws {
        func seconds(_ speed: Double) throws -> Int {
            try #require(ActiveTrip(Town.run()).drive(700, speed: speed, at: 90).stops[4].seconds)
        }
        // The timetable expects 8.3 m/s.
        #expect(try seconds(0) - seconds(8) == 10)
        #expect(try seconds(2.08) - seconds(8) == 5)
        #expect(try seconds(4.2) == seconds(8))
        let before = try #require(ActiveTrip(Town.run(departure: 300)).drive(0, speed: 0, at: 200).stops[1].seconds)
        #expect(before == 160, "the run waits for its departure")
    }
}
