import Testing

@testable import ArrivalTimes
@testable import Support

/// Which of the possible arrivals is told.
@Suite struct HeadlineTests {
    private func spread(_ low: Double, _ middle: Double, _ high: Double) -> ArrivalEstimator.Spread {
        ArrivalEstimator.Spread(low: low, middle: middle, high: high)
    }

    private func told(
        after before: Double?, low: Double, middle: Double, high: Double, at now: Double = 0
    ) -> Double {
        let estimator = ArrivalEstimator()
        return estimator.headline(
            before.map { Town.time($0) }, spread(low, middle, high), .transit, middleSeconds: middle - now,
            at: Town.time(now)
        ).seconds(since: Town.noon)
    }

    @Test("the first time told lies before the middle, by its share of the way to the lower bound")
    func first() {
        #expect(told(after: nil, low: 500, middle: 600, high: 750) == 570)
    }

    @Test("however little is known, a time told lies at most 90 s before the middle")
    func earliest() {
        #expect(told(after: nil, low: 200, middle: 600, high: 900) == 510)
        #expect(told(after: 509, low: 300, middle: 600, high: 900) == 510)
        #expect(told(after: 511, low: 300, middle: 600, high: 900) == 511)
    }

    @Test(
        "a time told stands within the band and else moves to its edge",
        arguments: [(539.0, 540.0), (540, 540), (541, 541), (602, 602), (603, 603), (604, 603), (700, 603)])
    func band(before: Double, expected: Double) {
        #expect(told(after: before, low: 500, middle: 600, high: 750) == expected)
    }

    @Test(
        "the band comes closer to the middle in the last 400 s",
        arguments: [(0.0, 0.1, 0.05, 0.05), (200, 0.35, 0.035, 0.175), (400, 0.6, 0.02, 0.3), (401, 0.6, 0.02, 0.3)])
    func near(seconds: Double, early: Double, late: Double, first: Double) {
        let band = PublishedETASettings.transit.band(at: seconds)
        #expect(abs(band.earlyShare - early) < 1e-9)
        #expect(abs(band.lateShare - late) < 1e-9)
        #expect(abs(band.firstShare - first) < 1e-9)
    }

    @Test("a ride, which waits for its rider, is told less early than a run")
    func kinds() {
        let estimator = ArrivalEstimator()
        func told(_ headline: PublishedETASettings) -> Double {
            estimator.headline(nil, spread(500, 600, 750), headline, middleSeconds: 600, at: Town.noon)
                .seconds(since: Town.noon)
        }
        #expect(told(.ride) == 590)
        #expect(told(.transit) == 570)
    }

    @Test("no time told lies in the past")
    func past() {
        #expect(told(after: 90, low: 60, middle: 100, high: 160, at: 99) == 99)
    }

    @Test("small swings of what is expected change nothing that is told")
    func steady() throws {
        let trip = ActiveTrip(Town.ride(.inProgress), settings: ArrivalSettings())
        var told: Set<Timestamp> = []
        for step in 0..<20 {
            // Ten metres ahead or behind every time.
            let along = Double(step) * 40 + (step % 2 == 0 ? 5 : -5)
            told.insert(try #require(trip.drive(along, at: Double(step) * 4).stops[1].arrivesAt))
        }
        #expect(told.count == 1)
    }

    @Test("what is told lies within its interval, and before the middle, all the way")
    func within() throws {
        let trip = ActiveTrip(Town.ride(.inProgress), settings: ArrivalSettings())
        let middle = ActiveTrip(Town.ride(.inProgress))
        for step in 0...145 {
            let stop = trip.drive(Double(step) * 20, speed: 5, at: Double(step) * 4).stops[1]
            let seconds = try #require(stop.seconds)
            #expect(try #require(stop.minSeconds) <= seconds && seconds <= #require(stop.maxSeconds))
            let plain = middle.drive(Double(step) * 20, speed: 5, at: Double(step) * 4).stops[1]
            // A twentieth of the way to the upper bound is the most that it may lie behind.
            let above = try #require(plain.maxSeconds) - #require(plain.seconds)
            #expect(try seconds <= #require(plain.seconds) + above / 20 + 1)
        }
    }

    @Test("a run on time is on time at every stop, however early the time told")
    func delay() {
        let trip = ActiveTrip(Town.run(stops: 40), settings: ArrivalSettings())
        let eta = trip.drive(250, at: 30)
        #expect(eta.stops.dropFirst().allSatisfy { $0.delay == .onTime && (-30...0).contains($0.delaySeconds ?? 1) })
        #expect(eta.stops[39].seconds == 39 * 60 - 30 - 30)
    }

    @Test(
        "a time told lies no further before the middle than that is from 30 s before the timetable",
        arguments: [(540.0, 570.0), (600, 570), (601, 571), (620, 590), (630, 600), (640, 590), (659, 571), (700, 570)])
    func side(scheduled: Double, expected: Double) {
        let told = ArrivalEstimator().headline(
            nil, spread(500, 600, 750), .transit, middleSeconds: 600, scheduledAt: Town.time(scheduled), at: Town.noon)
        #expect(told.seconds(since: Town.noon) == expected)
    }

    @Test("a headline outside its interval is a mistake in the settings")
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
