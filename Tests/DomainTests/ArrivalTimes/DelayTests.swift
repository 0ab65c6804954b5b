import TestSupport
import Testing

@testable import Domain
@testable import Support

@Suite struct DelayTests {
    private let settings = DelayClassifier.Settings()

    @Test("a flag is cleared 30 s inside its threshold")
    func hysteresis() {
        func classify(_ seconds: Int, _ before: TripEta.Delay) -> TripEta.Delay {
            DelayClassifier.classify(seconds, after: before, settings: settings)
        }
        #expect(classify(120, .onTime) == .onTime)
        #expect(classify(121, .onTime) == .delayed)
        #expect(classify(91, .delayed) == .delayed)
        #expect(classify(90, .delayed) == .onTime)
        #expect(classify(-60, .onTime) == .onTime)
        #expect(classify(-61, .onTime) == .early)
        #expect(classify(-31, .early) == .early)
        #expect(classify(-30, .early) == .onTime)
        #expect(classify(-61, .delayed) == .early)
        #expect(classify(121, .early) == .delayed)
        #expect(classify(100, .unknown) == .onTime)
    }

    @Test("delayed and early agree with any delay of their sign, on time agrees within the thresholds")
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
        "delays are rounded to whole seconds, halves away from zero",
        arguments: [(499, 0), (500, 1), (1499, 1), (1500, 2), (-499, 0), (-500, -1), (-1499, -1), (-1500, -2)])
    func rounding(milliseconds: Int64, seconds: Int) {
        let arrival = Timestamp(milliseconds: Town.start.milliseconds + milliseconds)
        #expect(DelayClassifier.seconds(of: arrival, since: Town.start) == seconds)
    }

    @Test("without a scheduled time the delay is relative to the first published arrival")
    func firstPublished() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let first = trip.drive(1000, at: 0)
        #expect(first.stops[1].delaySeconds == 0)
        let published = try #require(first.stops[1].arrivesAt)
        let eta = trip.drive(1010, at: 100)
        let arrival = try #require(eta.stops[1].arrivesAt)
        #expect(eta.stops[1].delaySeconds == Int(arrival.seconds(since: published).rounded()))
        #expect((eta.stops[1].delaySeconds ?? 0) > 90)
    }

    @Test("there is no delay before the ride is accepted")
    func requested() {
        let trip = ActiveTrip(Town.ride(.requested))
        let eta = trip.drive(-1000, at: 0)
        #expect(eta.stops[0].status == .valid)
        #expect(eta.stops[0].delay == .unknown)
        #expect(eta.stops[0].delaySeconds == nil)
    }

    @Test("the delay of a scheduled pickup is relative to its schedule")
    func scheduled() {
        let trip = ActiveTrip(Town.ride(.accepted, pickupAt: 100))
        let eta = trip.drive(-2000, at: 0)
        let seconds = eta.stops[0].seconds ?? 0
        #expect(eta.stops[0].delaySeconds == seconds - 100)
        #expect(eta.stops[0].delay == .delayed)
    }

    @Test("a changed flag is kept for 60 s, and the arrival is moved to the flag's threshold")
    func keepsFlag() {
        let trip = ActiveTrip(Town.run())
        #expect(trip.drive(250, at: 155).stops[5].delay == .delayed)
        // 400 m in ten seconds, planned as 48 s, reduce the delay from 125 s to 87 s.
        #expect(trip.drive(650, speed: 40, at: 165).stops[5].delay == .onTime)
        let waiting = trip.drive(650, speed: 0, heading: nil, at: 210).stops[5]
        #expect(waiting.delaySeconds == 120)
        #expect(waiting.arrivesAt == waiting.scheduledAt?.advanced(bySeconds: 120))
        #expect(waiting.delay == .onTime)
        let late = trip.drive(650, speed: 0, heading: nil, at: 225).stops[5]
        #expect((late.delaySeconds ?? 0) > 120)
        #expect(late.delay == .delayed)
    }

    @Test("an arrival is moved by at most three minutes to agree with its flag")
    func nearest() {
        func nearest(_ seconds: Double, _ flag: TripEta.Delay) -> Double? {
            DelayClassifier.nearest(to: Town.time(seconds), matching: flag, since: Town.start, settings: settings)
                .map { $0.seconds(since: Town.start) }
        }
        #expect(nearest(120.4, .onTime) == 120.4)
        #expect(nearest(121, .onTime) == 120)
        #expect(nearest(300, .onTime) == 120)
        #expect(nearest(300.001, .onTime) == nil)
        #expect(nearest(-60.4, .onTime) == -60.4)
        #expect(nearest(-61, .onTime) == -60)
        #expect(nearest(-240, .onTime) == -60)
        #expect(nearest(-240.001, .onTime) == nil)
        #expect(nearest(0, .delayed) == 1)
        #expect(nearest(-179, .delayed) == 1)
        #expect(nearest(-180, .delayed) == nil)
        #expect(nearest(500, .delayed) == 500)
        #expect(nearest(0, .early) == -1)
        #expect(nearest(179, .early) == -1)
        #expect(nearest(180, .early) == nil)
        #expect(nearest(0, .unknown) == nil)
    }

    @Test("the flag does not change again within 60 s when the ETA alternates")
    func noFlapping() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let trip = ActiveTrip(Town.run(stops: 40))
        var last: (at: Double, flag: TripEta.Delay)?
        var flips = 0
        for step in 1...200 {
            let at = Double(step) * 10
            // Alternately early and late, with noise.
            let late = Double(step % 40 < 20 ? 95 : -45) + .random(in: -25...25, using: &random)
            let flag = trip.drive((at - late) * 500 / 60, at: at).stops[39].delay
            guard last?.flag != flag else { continue }
            if let last, flips > 0 { #expect(at - last.at >= 60, "seed \(seed), step \(step)") }
            flips += last == nil ? 0 : 1
            last = (at, flag)
        }
        print("seed \(seed): \(flips) changes of the flag")
        #expect(flips > 1, "seed \(seed): the delays must reach the thresholds")
    }
}
