import Testing

@testable import Domain

@Suite struct RunArrivalTests {
    @Test("a stop is passed when the vehicle is over 20 m beyond it; its arrival is then the passing time")
    func passing() {
        let trip = ActiveTrip(Town.run())
        var eta = trip.drive(0, at: 0)
        #expect(eta.nextStopID == "s0")
        eta = trip.drive(450, at: 60)
        #expect(eta.nextStopID == "s1")
        eta = trip.drive(515, at: 66)
        #expect(eta.nextStopID == "s1", "within 20 m a stop is not passed yet")
        eta = trip.drive(550, at: 70)
        #expect(eta.nextStopID == "s2")
        #expect(eta.passedStopID == "s1")
        #expect(eta.stops[1].status == .passed)
        #expect(eta.stops[1].seconds == -1)
        #expect(eta.stops[1].arrivesAt == eta.passedAt)
    }

    @Test("after a relocation ahead, all stops in between are passed")
    func skipped() {
        let trip = ActiveTrip(Town.run())
        _ = trip.drive(600, at: 60)
        _ = trip.drive(2200, at: 65)
        let eta = trip.drive(2250, at: 70)
        #expect(eta.nextStopID == "s5")
        #expect(eta.stops.prefix(5).allSatisfy { $0.status == .passed && $0.arrivesAt != nil })
    }

    @Test("a stop is ahead again after the vehicle moved back behind the stop")
    func movedBack() {
        let trip = ActiveTrip(Town.run())
        _ = trip.drive(1100, at: 60)
        var eta = trip.drive(1110, at: 61)
        #expect(eta.nextStopID == "s3")
        for step in 1...5 { eta = trip.drive(900, speed: 1, heading: nil, at: 61 + Double(step) * 5) }
        #expect(eta.nextStopID == "s2")
        #expect(eta.stops[2].status == .valid)
    }

    @Test("all stops are passed at the end of the line")
    func terminus() {
        let trip = ActiveTrip(Town.run())
        var eta = trip.drive(0, at: 0)
        for step in 1...60 { eta = trip.drive(min(2990, Double(step) * 50), at: Double(step) * 5) }
        #expect(eta.stops.allSatisfy { $0.status == .passed && $0.seconds == -1 })
        #expect(eta.nextStopID == nil)
        #expect(eta.passedStopID == "s6")
    }

    @Test("the timetable determines the time between stops")
    func timetable() {
        let trip = ActiveTrip(Town.run())
        let eta = trip.drive(250, at: 30)
        #expect(eta.stops.dropFirst().map { $0.seconds ?? 0 } == [30, 90, 150, 210, 270, 330])
        #expect(eta.stops.dropFirst().allSatisfy { $0.delay == .onTime && $0.delaySeconds == 0 })
    }

    @Test("120 s late is on time and 121 s is delayed", arguments: [(119.0, false), (120.0, false), (121.0, true)])
    func delayed(late: Double, expected: Bool) {
        let eta = ActiveTrip(Town.run()).drive(250, at: 30 + late)
        #expect(eta.stops[3].delaySeconds == Int(late))
        #expect(eta.stops[3].delay == (expected ? .delayed : .onTime))
    }

    @Test("60 s early is on time and 61 s is early", arguments: [(59.0, false), (60.0, false), (61.0, true)])
    func early(early: Double, expected: Bool) {
        let eta = ActiveTrip(Town.run()).drive(1250, at: 150 - early)
        #expect(eta.stops[4].delaySeconds == -Int(early))
        #expect(eta.stops[4].delay == (expected ? .early : .onTime))
    }

    @Test("ETAs of a vehicle at its first stop count from the scheduled departure")
    func departure() {
        let trip = ActiveTrip(Town.run(departure: 600))
        let eta = trip.drive(0, speed: 0, heading: nil, at: 0)
        #expect(eta.stops[0].seconds == 600)
        #expect(eta.stops[1].seconds == 660)
        #expect(eta.stops.allSatisfy { $0.delay == .onTime })
        #expect(!eta.isOffRoute)
    }

    @Test("movement at the terminus before the departure is not progress")
    func layover() {
        let trip = ActiveTrip(Town.run(departure: 600))
        var eta = trip.drive(630, at: 0)
        for step in 1...5 { eta = trip.drive(630, 200, speed: 0, at: Double(step) * 30) }
        #expect(eta.nextStopID == "s0")
        #expect(eta.stops[1].seconds == 660 - 150)
        #expect(!eta.isOffRoute)
        eta = trip.drive(0, at: 590)
        eta = trip.drive(600, at: 660)
        #expect(eta.nextStopID == "s2")
    }

    @Test("without a route, a stop is passed when the vehicle leaves it, misses it or is at a later stop")
    func withoutRoute() {
        let trip = ActiveTrip(Town.run(departure: nil, route: false))
        #expect(trip.drive(10, at: 0).nextStopID == "s0")
        #expect(trip.drive(100, at: 10).nextStopID == "s1")
        #expect(trip.drive(1010, at: 100).nextStopID == "s2")
        #expect(trip.drive(1200, at: 120).nextStopID == "s3")
        // Misses s3 by 150 m on the way to s4.
        #expect(trip.drive(1500, 150, at: 150).nextStopID == "s3")
        #expect(trip.drive(1900, 100, at: 190).nextStopID == "s4")
        #expect(trip.drive(2995, at: 300).nextStopID == nil)
    }

    @Test("forty stops have ascending ETAs")
    func fortyStops() {
        let trip = ActiveTrip(Town.run(stops: 40, departure: nil))
        let eta = trip.drive(0, at: 0)
        #expect(eta.stops.count == 40)
        let seconds = eta.stops.compactMap(\.seconds)
        #expect(seconds.count == 40)
        #expect(zip(seconds, seconds.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test("stops without scheduled times share the time between their neighbours")
    func timepoints() {
        var message = Town.run()
        for index in [1, 2, 4, 5] { message.stops[index].scheduledAt = nil }
        let eta = ActiveTrip(message).drive(250, at: 30)
        #expect(eta.stops.dropFirst().map { $0.seconds ?? 0 } == [30, 90, 150, 210, 270, 330])
    }
}
