import Testing

@testable import ArrivalTimes
@testable import Model

@Suite("Leaving the planned route")
struct DeviationTests {
    /// Warnings of a trip that is driven along `norths`, one position a second, 10 m farther east each.
    private func warnings(
        _ trip: ActiveTrip, norths: [Double], from start: Double = 0
    ) -> [(at: Double, warning: TripWarning)] {
        norths.enumerated().compactMap { index, north in
            let second = start + Double(index)
            _ = trip.drive(second * 10, north, at: second)
            return trip.takeWarning().map { (second, $0) }
        }
    }

    /// Seconds on the route, then off it, then on it again.
    private func way(on first: Int = 5, off: Int, meters: Double = 200, back: Int = 40) -> [Double] {
        Array(repeating: 0, count: first) + Array(repeating: meters, count: off) + Array(repeating: 0, count: back)
    }

    @Test("a departure is told when it has lasted, not at the trip's end, and its end is told as well")
    func beginsAndEnds() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let told = warnings(trip, norths: way(off: 30))
        #expect(told.count == 2)
        // Off from the fifth second on, off route with the third fix, told 15 s later.
        #expect(told[0].at == 22)
        #expect(told[0].warning.beganAt == Town.time(7))
        #expect(told[0].warning.endedAt == nil)
        #expect(abs(told[0].warning.greatestMeters - 200) < 1)
        // Back with the 35th second, told when it has been back for 15 s.
        let end = try #require(told.last)
        #expect(end.at == 50)
        #expect(end.warning.ending == .returned)
        #expect(end.warning.beganAt == Town.time(7))
        #expect(end.warning.endedAt == Town.time(35))
    }

    @Test("a departure is told from 15 s on", arguments: [(17, 0), (18, 2), (19, 2)])
    func lasting(off: Int, count: Int) {
        // The first two fixes do not make the trip off route.
        #expect(warnings(ActiveTrip(Town.ride(.inProgress)), norths: way(off: off)).count == count)
    }

    @Test("a departure is over after 15 s on the route", arguments: [(15, 1), (16, 2), (17, 2)])
    func returning(back: Int, count: Int) {
        #expect(warnings(ActiveTrip(Town.ride(.inProgress)), norths: way(off: 30, back: back)).count == count)
    }

    @Test("a vehicle that comes back for a moment goes on with the same departure, at its greatest distance")
    func flapping() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let norths = way(off: 25, meters: 150, back: 10) + way(on: 0, off: 25, meters: 300, back: 40)
        let told = warnings(trip, norths: norths)
        #expect(told.map(\.warning.ending) == [nil, .returned])
        #expect(abs(try #require(told.last).warning.greatestMeters - 300) < 1)
        #expect(told[0].warning.beganAt == told[1].warning.beganAt)
    }

    @Test("the trip's end and a new plan end a departure, once")
    func endings() throws {
        var trip = ActiveTrip(Town.ride(.inProgress))
        #expect(warnings(trip, norths: way(off: 30, back: 0)).count == 1)
        trip.change(Town.ride(.completed, version: 2), at: Town.time(60))
        var end = try #require(trip.takeWarning())
        #expect(end.ending == .tripEnded)
        #expect(end.endedAt == Town.time(60))
        #expect(trip.takeWarning() == nil)

        trip = ActiveTrip(Town.ride(.inProgress))
        #expect(warnings(trip, norths: way(off: 30, back: 0)).count == 1)
        let route = Town.route([(0, 0), (0, 200), (3000, 200), (3000, 0)], meters: 3400, seconds: 340)
        trip.change(Town.ride(.inProgress, version: 2, route: route), at: Town.time(40))
        end = try #require(trip.takeWarning())
        #expect(end.ending == .replanned)
        #expect(trip.progress.deviation == nil)
        #expect(warnings(trip, norths: Array(repeating: 200, count: 40), from: 41).isEmpty)
    }

    @Test("a departure that was not told ends untold")
    func untold() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        #expect(warnings(trip, norths: way(off: 10, back: 0)).isEmpty)
        trip.change(Town.ride(.completed, version: 2), at: Town.time(60))
        #expect(trip.takeWarning() == nil)
    }

    @Test("a driver on the way to the pickup that the route does not cover departs from nothing")
    func approach() {
        #expect(warnings(ActiveTrip(Town.ride(.accepted)), norths: way(off: 60)).isEmpty)
    }

    @Test("a restored trip tells the same warnings as one that never stopped, wherever it stopped")
    func restored() throws {
        let norths = way(off: 30)
        let whole = warnings(ActiveTrip(Town.ride(.inProgress)), norths: norths).map(\.warning)
        for stop in norths.indices {
            let first = ActiveTrip(Town.ride(.inProgress))
            var told = warnings(first, norths: Array(norths[..<stop])).map(\.warning)
            let second = ActiveTrip(Town.ride(.inProgress))
            #expect(first.encoded.withUnsafeBytes { second.restoreProgress($0) })
            told += warnings(second, norths: Array(norths[stop...]), from: Double(stop)).map(\.warning)
            #expect(told == whole, "stopped at \(stop)")
        }
    }
}
