import TestSupport
import Testing

@testable import ArrivalTimes
@testable import Model

/// A reader of a message can check its delay: the number is the arrival told less the timetable, and the flag follows
/// from the number.
@Suite struct DelayIdentityTests {
    /// What a stop's delay contradicts, in words; `nil` when nothing.
    private func contradiction(of stop: TripEta.Stop) -> String? {
        guard let delay = stop.delaySeconds else {
            return stop.delay == .unknown ? nil : "\(stop.delay) without a number"
        }
        guard let arrives = stop.arrivesAt else { return "a delay of \(delay) s without an arrival" }
        if let scheduled = stop.scheduledAt {
            let seconds = Int((Double(arrives.milliseconds - scheduled.milliseconds) / 1000).rounded())
            if seconds != delay { return "\(delay) s, though the arrival is \(seconds) s after the timetable" }
        }
        if delay > 120, stop.delay != .delayed { return "\(stop.delay) at \(delay) s" }
        if delay < -60, stop.delay != .early { return "\(stop.delay) at \(delay) s" }
        if stop.delay == .delayed, delay <= 0 { return "delayed at \(delay) s" }
        if stop.delay == .early, delay >= 0 { return "early at \(delay) s" }
        return stop.delay == .unknown ? "no flag at \(delay) s" : nil
    }

    @Test(
        "however a run is driven, each stop's delay is its arrival less the timetable, and its flag agrees",
        arguments: [0.6, 0.9, 1.0, 1.15, 1.6])
    func runs(pace: Double) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var checked = 0
        var flags: Set<TripEta.Delay> = []
        for _ in 0..<4 {
            let trip = ActiveTrip(Town.run(stops: 40, departure: -30), settings: ArrivalSettings())
            var along = Double.random(in: 0...400, using: &random)
            for step in 1...150 {
                // The plan is 500 m in 60 s; now and then the vehicle stands, or makes up for it.
                let stretch = step / 15 % 5 == 4 ? 0.2 : pace
                along += 8.33 * 10 * stretch * .random(in: 0.5...1.5, using: &random)
                let eta = trip.drive(along, at: Double(step) * 10)
                for stop in eta.stops {
                    if let what = contradiction(of: stop) {
                        Issue.record("seed \(seed), pace \(pace), step \(step), stop \(stop.id): \(what)")
                        return
                    }
                    checked += stop.delaySeconds == nil ? 0 : 1
                    flags.insert(stop.delay)
                }
            }
        }
        print("seed \(seed), pace \(pace): \(checked) delays, \(flags)")
        #expect(checked > 10_000)
    }

    @Test("a run that keeps its timetable is on time at all its stops, and is told no more than 30 s before it")
    func onTime() {
        let trip = ActiveTrip(Town.run(stops: 40), settings: ArrivalSettings())
        var earliest = 0.0
        var flags: Set<TripEta.Delay> = []
        for step in 1...120 {
            let at = Double(step) * 10
            for stop in trip.drive(at * 500 / 60, at: at).stops where stop.status == .valid {
                let early = stop.arrivesAt.flatMap { told in stop.scheduledAt.map { $0.seconds(since: told) } } ?? 999
                earliest = max(earliest, early)
                flags.insert(stop.delay)
            }
        }
        // The headline does tell arrivals early.
        #expect((20...30).contains(earliest))
        #expect(flags == [.onTime])
    }

    @Test("a run that its median puts a minute and more before the timetable is told early, and marked")
    func early() {
        let trip = ActiveTrip(Town.run(stops: 40), settings: ArrivalSettings())
        let eta = trip.drive(5250, at: 630 - 61)
        for stop in eta.stops where stop.status == .valid {
            #expect(stop.delay == .early, "\(stop.id): \(stop.delaySeconds ?? 0) s")
            #expect((stop.delaySeconds ?? 0) <= -61)
        }
    }
}
