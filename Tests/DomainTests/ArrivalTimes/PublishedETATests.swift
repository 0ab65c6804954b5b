import Testing

@testable import Domain
@testable import Support

@Suite struct PublishedETATests {
    private func spread(_ low: Double, _ middle: Double, _ high: Double) -> ArrivalEstimator.Spread {
        ArrivalEstimator.Spread(low: low, middle: middle, high: high)
    }

    private func published(
        after before: Double?, low: Double, middle: Double, high: Double, at now: Double = 0
    ) -> Double {
        let estimator = ArrivalEstimator()
        return estimator.publishedArrival(
            before.map { Town.time($0) }, spread(low, middle, high), .transit, middleSeconds: middle - now,
            at: Town.time(now)
        ).seconds(since: Town.start)
    }

    @Test("the first published arrival is before the median by 30 % of the distance to the lower bound")
    func first() {
        #expect(published(after: nil, low: 500, middle: 600, high: 750) == 570)
    }

    @Test("a published arrival is at most 90 s before the median")
    func earliest() {
        #expect(published(after: nil, low: 200, middle: 600, high: 900) == 510)
        #expect(published(after: 509, low: 300, middle: 600, high: 900) == 510)
        #expect(published(after: 511, low: 300, middle: 600, high: 900) == 511)
    }

    @Test(
        "a published arrival inside the band is kept, one outside is moved to the nearest edge",
        arguments: [(539.0, 540.0), (540, 540), (541, 541), (602, 602), (603, 603), (604, 603), (700, 603)])
    func band(before: Double, expected: Double) {
        #expect(published(after: before, low: 500, middle: 600, high: 750) == expected)
    }

    @Test(
        "the band is interpolated in the last 400 s",
        arguments: [(0.0, 0.1, 0.05, 0.05), (200, 0.35, 0.035, 0.175), (400, 0.6, 0.02, 0.3), (401, 0.6, 0.02, 0.3)])
    func near(seconds: Double, early: Double, late: Double, first: Double) {
        let band = PublishedETASettings.transit.band(at: seconds)
        #expect(abs(band.earlyShare - early) < 1e-9)
        #expect(abs(band.lateShare - late) < 1e-9)
        #expect(abs(band.firstShare - first) < 1e-9)
    }

    @Test("arrivals of rides are published less early than those of runs")
    func kinds() {
        let estimator = ArrivalEstimator()
        func published(_ settings: PublishedETASettings) -> Double {
            estimator.publishedArrival(nil, spread(500, 600, 750), settings, middleSeconds: 600, at: Town.start)
                .seconds(since: Town.start)
        }
        #expect(published(.ride) == 590)
        #expect(published(.transit) == 570)
    }

    @Test("no published arrival is in the past")
    func past() {
        #expect(published(after: 90, low: 60, middle: 100, high: 160, at: 99) == 99)
    }

    @Test("small changes of the estimate do not change the published arrival")
    func steady() throws {
        let trip = ActiveTrip(Town.ride(.inProgress), settings: ArrivalSettings())
        var arrivals: Set<Timestamp> = []
        for step in 0..<20 {
            // Alternately 5 m ahead and behind.
            let along = Double(step) * 40 + (step % 2 == 0 ? 5 : -5)
            arrivals.insert(try #require(trip.drive(along, at: Double(step) * 4).stops[1].arrivesAt))
        }
        #expect(arrivals.count == 1)
    }

    @Test("a published arrival is in its interval, at most 5 % of the distance from the median to the upper bound")
    func within() throws {
        let trip = ActiveTrip(Town.ride(.inProgress), settings: ArrivalSettings())
        let middle = ActiveTrip(Town.ride(.inProgress))
        for step in 0...145 {
            let stop = trip.drive(Double(step) * 20, speed: 5, at: Double(step) * 4).stops[1]
            let seconds = try #require(stop.seconds)
            #expect(try #require(stop.minSeconds) <= seconds && seconds <= #require(stop.maxSeconds))
            let plain = middle.drive(Double(step) * 20, speed: 5, at: Double(step) * 4).stops[1]
            let above = try #require(plain.maxSeconds) - #require(plain.seconds)
            #expect(try seconds <= #require(plain.seconds) + above / 20 + 1)
        }
    }

    @Test("a punctual run is on time at every stop, although arrivals are published up to 30 s early")
    func delay() {
        let trip = ActiveTrip(Town.run(stops: 40), settings: ArrivalSettings())
        let eta = trip.drive(250, at: 30)
        #expect(eta.stops.dropFirst().allSatisfy { $0.delay == .onTime && (-30...0).contains($0.delaySeconds ?? 1) })
        #expect(eta.stops[39].seconds == 39 * 60 - 30 - 30)
    }

    @Test(
        "a published arrival is more than 30 s before the schedule only if the median is",
        arguments: [(540.0, 570.0), (600, 570), (601, 571), (620, 590), (630, 600), (640, 590), (659, 571), (700, 570)])
    func side(scheduled: Double, expected: Double) {
        let arrival = ArrivalEstimator().publishedArrival(
            nil, spread(500, 600, 750), .transit, middleSeconds: 600, scheduledAt: Town.time(scheduled), at: Town.start)
        #expect(arrival.seconds(since: Town.start) == expected)
    }

    @Test("settings with a band outside the interval are invalid")
    func problems() {
        for settings in [PublishedETASettings.ride, .transit, .middle] { #expect(settings.problems().isEmpty) }
        var broken = PublishedETASettings.ride
        broken.near.earlyShare = 1.1
        #expect(broken.problems().count == 1)
        broken = PublishedETASettings.ride
        broken.far.firstShare = broken.far.earlyShare + 0.1
        #expect(broken.problems().count == 1)
    }
}
