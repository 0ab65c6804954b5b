import Testing

@testable import Domain

@Suite("Route deviation")
struct DeviationTests {
    /// Returns the warnings of a trip at `norths`, one position per second, each 10 m farther east.
    private func warnings(
        _ trip: ActiveTrip, norths: [Double], from start: Double = 0
    ) -> [(at: Double, warning: TripWarning)] {
        norths.enumerated().compactMap { index, north in
            let second = start + Double(index)
            _ = trip.drive(second * 10, north, at: second)
            return trip.popWarning().map { (second, $0) }
        }
    }

    /// Returns north coordinates: `first` on the route, `off` at `meters` north of it, `back` on the route.
    private func path(on first: Int = 5, off: Int, meters: Double = 200, back: Int = 40) -> [Double] {
        Array(repeating: 0, count: first) + Array(repeating: meters, count: off) + Array(repeating: 0, count: back)
    }

    @Test("a warning is raised 15 s after the trip goes off route, and ends 15 s after the vehicle's return")
    func beginsAndEnds() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let raised = warnings(trip, norths: path(off: 30))
        #expect(raised.count == 2)
        // The trip is off route from its third distant fix, at 7 s; the warning follows 15 s later.
        #expect(raised[0].at == 22)
        #expect(raised[0].warning.beganAt == Town.time(7))
        #expect(raised[0].warning.endedAt == nil)
        #expect(abs(raised[0].warning.greatestMeters - 200) < 1)
        // The vehicle is back on the route at 35 s, so the warning ends at 50 s.
        let end = try #require(raised.last)
        #expect(end.at == 50)
        #expect(end.warning.ending == .returned)
        #expect(end.warning.beganAt == Town.time(7))
        #expect(end.warning.endedAt == Town.time(35))
    }

    @Test("a deviation of at least 15 s raises a warning", arguments: [(17, 0), (18, 2), (19, 2)])
    func lasting(off: Int, count: Int) {
        // The deviation begins with the third distant fix, so 18 fixes last 15 s.
        #expect(warnings(ActiveTrip(Town.ride(.inProgress)), norths: path(off: off)).count == count)
    }

    @Test("a warning ends after 15 s on the route", arguments: [(15, 1), (16, 2), (17, 2)])
    func returning(back: Int, count: Int) {
        #expect(warnings(ActiveTrip(Town.ride(.inProgress)), norths: path(off: 30, back: back)).count == count)
    }

    @Test("a deviation continues, with its maximum distance, after a return of under 15 s")
    func flapping() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let norths = path(off: 25, meters: 150, back: 10) + path(on: 0, off: 25, meters: 300, back: 40)
        let raised = warnings(trip, norths: norths)
        #expect(raised.map(\.warning.ending) == [nil, .returned])
        #expect(abs(try #require(raised.last).warning.greatestMeters - 300) < 1)
        #expect(raised[0].warning.beganAt == raised[1].warning.beganAt)
    }

    @Test("the end of the trip or a new plan ends a warning once")
    func endings() throws {
        var trip = ActiveTrip(Town.ride(.inProgress))
        #expect(warnings(trip, norths: path(off: 30, back: 0)).count == 1)
        trip.change(Town.ride(.completed, version: 2), at: Town.time(60))
        var end = try #require(trip.popWarning())
        #expect(end.ending == .tripEnded)
        #expect(end.endedAt == Town.time(60))
        #expect(trip.popWarning() == nil)

        trip = ActiveTrip(Town.ride(.inProgress))
        #expect(warnings(trip, norths: path(off: 30, back: 0)).count == 1)
        let route = Town.route([(0, 0), (0, 200), (3000, 200), (3000, 0)], meters: 3400, seconds: 340)
        trip.change(Town.ride(.inProgress, version: 2, route: route), at: Town.time(40))
        end = try #require(trip.popWarning())
        #expect(end.ending == .replanned)
        #expect(trip.progress.deviation == nil)
        #expect(warnings(trip, norths: Array(repeating: 200, count: 40), from: 41).isEmpty)
    }

    @Test("a deviation of under 15 s ends without a warning")
    func short() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        #expect(warnings(trip, norths: path(off: 10, back: 0)).isEmpty)
        trip.change(Town.ride(.completed, version: 2), at: Town.time(60))
        #expect(trip.popWarning() == nil)
    }

    @Test("driving to the pickup raises no warning if the route begins at the pickup")
    func approach() {
        #expect(warnings(ActiveTrip(Town.ride(.accepted)), norths: path(off: 60)).isEmpty)
    }

    @Test("a trip restored at any point raises the same warnings as an uninterrupted trip")
    func restored() throws {
        let norths = path(off: 30)
        let whole = warnings(ActiveTrip(Town.ride(.inProgress)), norths: norths).map(\.warning)
        for stop in norths.indices {
            let first = ActiveTrip(Town.ride(.inProgress))
            var raised = warnings(first, norths: Array(norths[..<stop])).map(\.warning)
            let second = ActiveTrip(Town.ride(.inProgress))
            #expect(first.encoded.withUnsafeBytes { second.restoreProgress($0) })
            raised += warnings(second, norths: Array(norths[stop...]), from: Double(stop)).map(\.warning)
            #expect(raised == whole, "stopped at \(stop)")
        }
    }
}
