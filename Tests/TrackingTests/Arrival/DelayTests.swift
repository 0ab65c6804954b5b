import TestSupport
import Testing

@testable import Tracking

@Suite struct DelayTests {
    private let settings = DelayJudge.Settings()

    @Test("a raised flag falls 30 s inside its threshold")
    func hysteresis() {
        func judge(_ seconds: Int, _ before: TripEta.Delay) -> TripEta.Delay {
            DelayJudge.judge(seconds, after: before, settings: settings)
        }
        #expect(judge(120, .onTime) == .onTime)
        #expect(judge(121, .onTime) == .delayed)
        #expect(judge(91, .delayed) == .delayed)
        #expect(judge(90, .delayed) == .onTime)
        #expect(judge(-60, .onTime) == .onTime)
        #expect(judge(-61, .onTime) == .early)
        #expect(judge(-31, .early) == .early)
        #expect(judge(-30, .early) == .onTime)
        #expect(judge(-61, .delayed) == .early)
        #expect(judge(121, .early) == .delayed)
        #expect(judge(100, .unknown) == .onTime)
    }

    @Test("without a scheduled time the first ETA promised is the measure")
    func promised() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let first = trip.drive(1000, at: 0)
        #expect(first.stops[1].delaySeconds == 0)
        let promised = try #require(first.stops[1].arrivesAt)
        let eta = trip.drive(1010, at: 100)
        let arrival = try #require(eta.stops[1].arrivesAt)
        #expect(eta.stops[1].delaySeconds == Int(arrival.seconds(since: promised).rounded()))
        #expect((eta.stops[1].delaySeconds ?? 0) > 90)
    }

    @Test("nothing is promised before the ride is accepted")
    func requested() {
        let trip = ActiveTrip(Town.ride(.requested))
        let eta = trip.drive(-1000, at: 0)
        #expect(eta.stops[0].status == .valid)
        #expect(eta.stops[0].delay == .unknown)
        #expect(eta.stops[0].delaySeconds == nil)
    }

    @Test("a scheduled pickup is measured against its schedule")
    func scheduled() {
        let trip = ActiveTrip(Town.ride(.accepted, pickupAt: 100))
        let eta = trip.drive(-2000, at: 0)
        let seconds = eta.stops[0].seconds ?? 0
        #expect(eta.stops[0].delaySeconds == seconds - 100)
        #expect(eta.stops[0].delay == .delayed)
    }

    @Test("a flag that fell is raised again only after 60 s")
    func hold() {
        let trip = ActiveTrip(Town.run())
        #expect(trip.drive(250, at: 155).stops[5].delay == .delayed)
        // 400 m in ten seconds make up for 48 s of the timetable.
        #expect(trip.drive(650, speed: 40, at: 165).stops[5].delay == .onTime)
        let waiting = trip.drive(650, speed: 0, heading: nil, at: 210)
        #expect((waiting.stops[5].delaySeconds ?? 0) > 120)
        #expect(waiting.stops[5].delay == .onTime)
        #expect(trip.drive(650, speed: 0, heading: nil, at: 225).stops[5].delay == .delayed)
    }

    @Test("the flag does not flip back within 60 s, however the ETA swings")
    func noFlapping() {
        let seed: UInt64 = 77
        var random = SeededGenerator(seed: seed)
        let trip = ActiveTrip(Town.run(stops: 40, departure: -60))
        var along = 250.0
        var flags: [(at: Double, flag: TripEta.Delay)] = []
        var flips = 0
        for step in 1...200 {
            let at = Double(step) * 10
            along += .random(in: 0...150, using: &random)
            let flag = trip.drive(along, at: at).stops[39].delay
            if let last = flags.last, last.flag != flag {
                if flags.count > 1 { #expect(at - last.at >= 60, "seed \(seed)") }
                flips += 1
                flags.append((at, flag))
            } else if flags.isEmpty {
                flags.append((at, flag))
            }
        }
        #expect(flips > 0, "the swings must reach the thresholds")
    }
}
