import Testing

@testable import Domain

@Suite struct RideArrivalTests {
    @Test("before the first fix, stops have no times")
    func noFix() {
        let eta = ActiveTrip(Town.ride(.accepted)).eta(at: Town.time(5))
        #expect(eta.stops.map(\.status) == [.unavailable, .unavailable])
        #expect(eta.position == nil)
        #expect(eta.nextStopID == "pickup")
        #expect(eta.lastStopID == "dropoff")
        #expect(eta.change?.previousState == nil)
        #expect(eta.change?.routePolyline == "as sent")
        #expect(!eta.isStale)
    }

    @Test("a change of the trip is in one record only")
    func changeOnce() {
        let trip = ActiveTrip(Town.ride(.accepted))
        #expect(trip.eta(at: Town.time(1)).change != nil)
        #expect(trip.drive(-2000, at: 2).change == nil)
        trip.change(Town.ride(.arrived, version: 2), at: Town.time(3))
        let eta = trip.eta(at: Town.time(3))
        #expect(eta.change?.previousState == .accepted)
        #expect(eta.change?.routePolyline == nil)
        #expect(eta.state == .arrived)
        #expect(eta.version == 2)
    }

    @Test("on the way to a pickup outside the route, the distance is straight × 1.4, and the trip is not off route")
    func approach() {
        let trip = ActiveTrip(Town.ride(.accepted))
        var eta = trip.eta(at: Town.time(0))
        for step in 0..<10 { eta = trip.drive(-1000, 1000 - Double(step), at: Double(step)) }
        #expect(!eta.isOffRoute)
        let straight = Geodesy.distanceMeters(from: Town.place(-1000, 991), to: Town.place(0, 0))
        let pickup = eta.stops[0]
        let dropoff = eta.stops[1]
        #expect(abs((pickup.distanceMeters ?? 0) - 1.4 * straight) < 1)
        #expect(abs((dropoff.distanceMeters ?? 0) - 1.4 * straight - 3000) < 2)
        // 10 m/s by the plan and a minute at the pickup; the driver's recent speed changes the ETA slightly.
        #expect(abs((pickup.seconds ?? 0) - 197) < 20)
        #expect(abs((dropoff.seconds ?? 0) - (pickup.seconds ?? 0) - 360) < 20)
    }

    @Test("on the way to the pickup, driving on the route's street is not matched to the route")
    func approachOnRoute() {
        let trip = ActiveTrip(Town.ride(.accepted))
        var eta = trip.eta(at: Town.time(0))
        for step in 0..<50 { eta = trip.drive(1000 - Double(step) * 10, heading: 270, at: Double(step)) }
        #expect(eta.nextStopID == "pickup")
        #expect(abs((eta.stops[0].distanceMeters ?? 0) - 1.4 * 510) < 2)
        #expect(eta.stops[0].status == .valid)
    }

    @Test("a route that includes the approach is matched before the pickup")
    func routeWithApproach() {
        let route = Town.route([(-2000, 0), (0, 0), (3000, 0)], meters: 5000, seconds: 500)
        let trip = ActiveTrip(Town.ride(.accepted, route: route))
        var eta = trip.drive(-1500, at: 0)
        #expect(abs((eta.stops[0].distanceMeters ?? 0) - 1500) < 2)
        #expect(abs((eta.progressMeters ?? 0) - 500) < 2)
        for step in 1...4 { eta = trip.drive(-1500, Double(step) * 100, heading: 0, at: Double(step) * 10) }
        #expect(eta.isOffRoute)
        let straight = Geodesy.distanceMeters(from: Town.place(-1500, 400), to: Town.place(0, 0))
        #expect(abs((eta.stops[0].distanceMeters ?? 0) - 1.4 * straight) < 1)
    }

    @Test("after the pickup the distance to the dropoff is along the route")
    func onTheWay() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let eta = trip.drive(1000, at: 0)
        #expect(eta.stops[0].status == .passed)
        #expect(eta.stops[0].seconds == -1)
        #expect(eta.nextStopID == "dropoff")
        #expect(eta.passedStopID == "pickup")
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - 2000) < 2)
        #expect(abs((eta.stops[1].seconds ?? 0) - 200) <= 1)
        #expect((eta.stops[1].minSeconds ?? 0) < 200)
        #expect((eta.stops[1].maxSeconds ?? 0) > 200)
    }

    @Test("the dwell at the pickup counts down to zero")
    func waiting() {
        let trip = ActiveTrip(Town.ride(.arrived))
        #expect(abs((trip.drive(0, speed: 0, heading: nil, at: 0).stops[1].seconds ?? 0) - 360) <= 1)
        #expect(abs((trip.drive(0, speed: 0, heading: nil, at: 40).stops[1].seconds ?? 0) - 320) <= 1)
        #expect(abs((trip.drive(0, speed: 0, heading: nil, at: 200).stops[1].seconds ?? 0) - 300) <= 1)
    }

    @Test("off the route the distance is straight × 1.4 until the vehicle is back")
    func offRoute() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1000, at: 0)
        var eta = trip.drive(1000, 100, heading: 0, at: 10)
        #expect(!eta.isOffRoute)
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - 2000) < 2, "one fix is not enough")
        eta = trip.drive(1000, 200, heading: 0, at: 20)
        eta = trip.drive(1000, 300, heading: 0, at: 30)
        #expect(eta.isOffRoute)
        #expect(abs((eta.offRouteMeters ?? 0) - 300) < 1)
        let straight = Geodesy.distanceMeters(from: Town.place(1000, 300), to: Town.place(3000, 0))
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - 1.4 * straight) < 1)
        eta = trip.drive(1600, 0, at: 60)
        #expect(!eta.isOffRoute)
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - 1400) < 2)
    }

    @Test("without a route the distance is straight × 1.4")
    func withoutRoute() {
        let trip = ActiveTrip(Town.ride(.inProgress, route: nil))
        let eta = trip.drive(1000, at: 0)
        #expect(!eta.isOffRoute)
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - 2800) < 2)
        #expect(abs((eta.stops[1].seconds ?? 0) - 400) <= 1)
    }

    @Test("an ETA is at least the driving time at the maximum speed")
    func fastest() {
        let route = Town.route([(0, 0), (3000, 0)], meters: 3000, seconds: 76)
        let trip = ActiveTrip(Town.ride(.inProgress, route: route))
        for step in 0..<30 {
            let eta = trip.drive(Double(step) * 60, speed: 60, at: Double(step))
            let meters = eta.stops[1].distanceMeters ?? 0
            #expect((eta.stops[1].seconds ?? 0) >= Int((meters / 40).rounded(.down)))
            #expect((eta.stops[1].minSeconds ?? 0) >= Int((meters / 40).rounded(.down)) - 1)
        }
    }

    @Test("ETAs are valid up to two hours, inclusive", arguments: [(7199.9, true), (7200.0, true), (7201.0, false)])
    func horizon(seconds: Double, isValid: Bool) throws {
        let route = Town.route([(0, 0), (3000, 0)], seconds: seconds)
        let trip = ActiveTrip(Town.ride(.inProgress, route: route))
        let length = try #require(trip.plan.geometry).lengthMeters
        let eta = trip.drive(0, at: 0)
        // The planned seconds are spread over the geometry's length, so the remaining time is exactly the plan.
        #expect(eta.progressMeters == 0)
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - length) < 1e-6)
        #expect(eta.stops[1].status == (isValid ? .valid : .unavailable))
        #expect((eta.stops[1].seconds == nil) == !isValid)
    }

    @Test("without fixes ETAs count down, are stale above 120 s and unavailable above 10 minutes")
    func stale() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let first = trip.drive(0, at: 0)
        let start = first.stops[1].seconds ?? 0
        var eta = trip.eta(at: Town.time(60))
        #expect(eta.stops[1].seconds == start - 60)
        #expect(eta.stops[1].arrivesAt == first.stops[1].arrivesAt)
        eta = trip.eta(at: Town.time(120))
        #expect(!eta.isStale)
        #expect(eta.stops[1].seconds == start - 120)
        eta = trip.eta(at: Town.time(120.001))
        #expect(eta.isStale)
        #expect(eta.stops[1].status == .valid)
        #expect(eta.stops[1].seconds == start - 120)
        #expect(eta.stops[1].arrivesAt == first.stops[1].arrivesAt)
        #expect(eta.stops[1].confidence == .low)
        eta = trip.eta(at: Town.time(600))
        #expect(eta.isStale)
        #expect(eta.stops[1].status == .valid)
        #expect(eta.stops[1].seconds == max(0, start - 600))
        eta = trip.eta(at: Town.time(600.001))
        #expect(eta.isStale)
        #expect(eta.stops[1].status == .unavailable)
        #expect(eta.stops[1].seconds == nil)
        #expect(eta.stops[1].arrivesAt == nil)
        eta = trip.drive(1000, at: 610)
        #expect(!eta.isStale)
        #expect(eta.stops[1].status == .valid)
    }

    @Test("an ETA does not fall below zero")
    func neverPast() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(2900, at: 0)
        let eta = trip.eta(at: Town.time(60))
        #expect(eta.stops[1].seconds == 0)
        #expect(eta.stops[1].minSeconds == 0)
        #expect(eta.stops[1].arrivesAt == Town.time(60))
    }

    @Test("a fix from the future is not newer than its receipt")
    func futureFix() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        trip.update(
            position: Town.position(0, 0, heading: 90, at: 50), isHalted: false, confidence: .high,
            occupancyPercent: nil, at: Town.time(0))
        #expect(trip.eta(at: Town.time(121)).isStale)
    }

    @Test("arrival is detected at the pickup and at the dropoff only")
    func detectedArrival() {
        let trip = ActiveTrip(Town.ride(.accepted))
        #expect(trip.drive(0, 30, speed: 0.5, at: 0).detectedArrivalStopID == nil)
        #expect(trip.drive(0, 30, speed: 0.5, at: 10).detectedArrivalStopID == "pickup")
        trip.change(Town.ride(.arrived, version: 2), at: Town.time(11))
        #expect(trip.drive(0, 30, speed: 0.5, at: 30).detectedArrivalStopID == nil)
        trip.change(Town.ride(.inProgress, version: 3), at: Town.time(31))
        #expect(trip.drive(0, 30, speed: 0.5, at: 45).detectedArrivalStopID == nil)
        _ = trip.drive(2990, speed: 1, at: 400)
        #expect(trip.drive(2990, speed: 0, at: 411).detectedArrivalStopID == "dropoff")
        #expect(trip.drive(2990, speed: 5, at: 415).detectedArrivalStopID == nil)
    }

    @Test("a halt is 60 s under 0.5 m/s away from stops", arguments: [(59.0, false), (60.0, true), (61.0, true)])
    func halted(seconds: Double, expected: Bool) {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1500, at: -10)
        _ = trip.drive(1510, speed: 0.4, at: 0)
        #expect(trip.drive(1510, speed: 0.4, at: seconds).isHalted == expected)
        #expect(!trip.drive(1510, speed: 0.5, at: seconds + 1).isHalted)
    }

    @Test("standing at a stop is not a halt")
    func standingAtStop() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(2960, speed: 0, at: 0)
        #expect(!trip.drive(2960, speed: 0, at: 100).isHalted)
    }

    @Test(
        "a ride of more than 1.3 times the planned distance is a long route",
        arguments: [(3890.0, false), (3910.0, true), (5000.0, true)])
    func longRoute(driven: Double, expected: Bool) {
        let trip = ActiveTrip(Town.ride(.inProgress))
        for step in 0...100 { _ = trip.drive(0, driven * Double(step) / 100, heading: 0, at: Double(step) * 5) }
        trip.change(Town.ride(.completed, version: 2), at: Town.time(600))
        let eta = trip.eta(at: Town.time(600))
        #expect(abs((eta.drivenMeters ?? 0) - driven) < 2)
        #expect(abs((eta.plannedMeters ?? 0) - 3000) < 1)
        #expect(eta.fareChecks.contains(.longRoute) == expected)
    }

    @Test("a short ride is a long route only from 500 m above the plan", arguments: [(490.0, false), (510.0, true)])
    func shortLongRoute(extra: Double, expected: Bool) {
        let route = Town.route([(0, 0), (3000, 0)], meters: 200)
        let trip = ActiveTrip(Town.ride(.inProgress, route: route))
        for step in 0...100 { _ = trip.drive(0, (200 + extra) * Double(step) / 100, heading: 0, at: Double(step)) }
        trip.change(Town.ride(.completed, version: 2, route: route), at: Town.time(600))
        #expect(trip.eta(at: Town.time(600)).fareChecks.contains(.longRoute) == expected)
    }

    @Test("distance before the pickup and while standing does not count")
    func drivenMeters() {
        let trip = ActiveTrip(Town.ride(.accepted))
        _ = trip.drive(-2000, at: 0)
        _ = trip.drive(0, at: 200)
        trip.change(Town.ride(.arrived, version: 2), at: Town.time(210))
        trip.change(Town.ride(.inProgress, version: 3), at: Town.time(220))
        _ = trip.drive(1000, at: 330)
        for step in 1...20 { _ = trip.drive(1000, step % 2 == 0 ? 0 : 8, speed: 0.2, at: 330 + Double(step)) }
        trip.change(Town.ride(.completed, version: 4), at: Town.time(400))
        #expect(abs((trip.eta(at: Town.time(400)).drivenMeters ?? 0) - 1000) < 1)
    }

    @Test("a completed trip has passed every stop, and a cancelled one has no times")
    func ended() {
        var trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(2900, at: 0)
        trip.change(Town.ride(.completed, version: 2), at: Town.time(30))
        var eta = trip.eta(at: Town.time(30))
        #expect(eta.stops.map(\.status) == [.passed, .passed])
        #expect(eta.nextStopID == nil)
        #expect(trip.punctuate(at: Town.time(300)) == nil)
        trip = ActiveTrip(Town.ride(.accepted))
        _ = trip.drive(-500, at: 0)
        trip.change(Town.ride(.cancelled, version: 2), at: Town.time(30))
        eta = trip.eta(at: Town.time(30))
        #expect(eta.stops.map(\.status) == [.unavailable, .unavailable])
    }

    @Test("slow driving raises the ETA, with severe traffic; driving as planned is light traffic")
    func jam() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        var eta = trip.drive(0, at: 0)
        #expect(eta.traffic == .unknown)
        for step in 1...60 { eta = trip.drive(Double(step) * 10, speed: 2, at: Double(step) * 5) }
        #expect(eta.traffic == .severe)
        #expect((eta.stops[1].seconds ?? 0) > 280, "240 s by the plan")
        let free = ActiveTrip(Town.ride(.inProgress))
        for step in 0...120 { eta = free.drive(Double(step) * 10, speed: 10, at: Double(step)) }
        #expect(eta.traffic == .light)
    }

    @Test("the ETA of a chained ride counts from the end of the previous ride")
    func chained() throws {
        let current = ActiveTrip(Town.ride(.inProgress))
        let arrival = try #require(current.drive(1000, at: 0).stops[1].seconds)
        var message = Town.ride(.accepted, route: nil)
        message.tripID = "next"
        message.queuePosition = 1
        message.stops[0].coordinate = Town.place(3000, 500)
        let next = ActiveTrip(message)
        next.update(
            position: Town.position(1000, 0, heading: 90, at: 0), isHalted: false, confidence: .high,
            occupancyPercent: nil, at: Town.time(0))
        next.chain(after: current)
        var eta = next.eta(at: Town.time(0))
        #expect(abs((eta.stops[0].seconds ?? 0) - arrival - 30 - 100) <= 2)
        #expect(abs((eta.stops[0].distanceMeters ?? 0) - 2700) < 3)
        next.chain(after: nil)
        eta = next.eta(at: Town.time(0))
        #expect((eta.stops[0].distanceMeters ?? 0) > 2800)
    }

    @Test("a new route is matched at the vehicle's position")
    func reroute() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(1000, at: 0)
        let detour = Town.route([(0, 0), (1000, 0), (1000, 500), (3000, 500), (3000, 0)], meters: 4000, seconds: 400)
        var message = Town.ride(.inProgress, version: 2, route: detour)
        message.route?.polyline = "another"
        trip.change(message, at: Town.time(1))
        let eta = trip.eta(at: Town.time(1))
        #expect(eta.change?.routePolyline == "another")
        #expect(abs((eta.stops[1].distanceMeters ?? 0) - 3000) < 2)
    }
}
