import TestSupport
import Testing

@testable import ArrivalTimes
@testable import Model
@testable import Runtime
@testable import Support

@Suite struct DelayTests {
    private let settings = DelayClassifier.Settings()

    @Test("a raised flag falls 30 s inside its threshold")
    func hysteresis() {
        func judge(_ seconds: Int, _ before: TripEta.Delay) -> TripEta.Delay {
            DelayClassifier.judge(seconds, after: before, settings: settings)
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

    @Test("a message may say a flag beyond its threshold, and until it has fallen on the same side of the timetable")
    func agreement() {
        func flags(_ seconds: Int) -> [TripEta.Delay] {
            TripEta.Delay.allCases.filter { DelayClassifier.agrees($0, with: seconds, settings: settings) }
        }
        #expect(flags(121) == [.delayed])
        #expect(flags(120) == [.onTime, .delayed])
        #expect(flags(1) == [.onTime, .delayed])
        #expect(flags(0) == [.onTime])
        #expect(flags(-1) == [.early, .onTime])
        #expect(flags(-60) == [.early, .onTime])
        #expect(flags(-61) == [.early])
    }

    @Test(
        "seconds of delay are rounded to the nearest, halves away from zero",
        arguments: [(499, 0), (500, 1), (1499, 1), (1500, 2), (-499, 0), (-500, -1), (-1499, -1), (-1500, -2)])
    func rounding(milliseconds: Int64, seconds: Int) {
        let arrival = Timestamp(milliseconds: Town.noon.milliseconds + milliseconds)
        #expect(DelayClassifier.seconds(of: arrival, since: Town.noon) == seconds)
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

    @Test("a flag that fell is raised again only after 60 s; until then no arrival beyond the threshold is told")
    func hold() {
        let trip = ActiveTrip(Town.run())
        #expect(trip.drive(250, at: 155).stops[5].delay == .delayed)
        // 400 m in ten seconds make up for 48 s of the timetable.
        #expect(trip.drive(650, speed: 40, at: 165).stops[5].delay == .onTime)
        let waiting = trip.drive(650, speed: 0, heading: nil, at: 210).stops[5]
        #expect(waiting.delaySeconds == 120)
        #expect(waiting.arrivesAt == waiting.scheduledAt?.advanced(bySeconds: 120))
        #expect(waiting.delay == .onTime)
        let late = trip.drive(650, speed: 0, heading: nil, at: 225).stops[5]
        #expect((late.delaySeconds ?? 0) > 120)
        #expect(late.delay == .delayed)
    }

    @Test("an arrival is kept beside its flag for a minute, by three minutes at most")
    func nearest() {
        func kept(_ seconds: Double, _ flag: TripEta.Delay) -> Double? {
            DelayClassifier.nearest(to: Town.time(seconds), beside: flag, since: Town.noon, settings: settings)
                .map { $0.seconds(since: Town.noon) }
        }
        #expect(kept(120.4, .onTime) == 120.4)
        #expect(kept(121, .onTime) == 120)
        #expect(kept(300, .onTime) == 120)
        #expect(kept(300.001, .onTime) == nil)
        #expect(kept(-60.4, .onTime) == -60.4)
        #expect(kept(-61, .onTime) == -60)
        #expect(kept(-240, .onTime) == -60)
        #expect(kept(-240.001, .onTime) == nil)
        #expect(kept(0, .delayed) == 1)
        #expect(kept(-179, .delayed) == 1)
        #expect(kept(-180, .delayed) == nil)
        #expect(kept(500, .delayed) == 500)
        #expect(kept(0, .early) == -1)
        #expect(kept(179, .early) == -1)
        #expect(kept(180, .early) == nil)
        #expect(kept(0, .unknown) == nil)
    }

    @Test("the flag does not flip back within 60 s, however the ETA swings")
    func noFlapping() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let trip = ActiveTrip(Town.run(stops: 40))
        var last: (at: Double, flag: TripEta.Delay)?
        var flips = 0
        for step in 1...200 {
            let at = Double(step) * 10
            // Early and late by turns, and never steadily.
            let late = Double(step % 40 < 20 ? 95 : -45) + .random(in: -25...25, using: &random)
            let flag = trip.drive((at - late) * 500 / 60, at: at).stops[39].delay
            guard last?.flag != flag else { continue }
            if let last, flips > 0 { #expect(at - last.at >= 60, "seed \(seed), step \(step)") }
            flips += last == nil ? 0 : 1
            last = (at, flag)
        }
        print("seed \(seed): \(flips) changes of the flag")
        #expect(flips > 1, "seed \(seed): the swings must reach the thresholds")
    }
}
