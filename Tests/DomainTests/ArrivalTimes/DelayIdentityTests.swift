import TestSupport
import Testing

@testable import Domain

/// A stop's delay is its published arrival minus its schedule, and its flag agrees with the delay.
@Suite struct DelayIdentityTests {
    /// Describes the inconsistency of a stop's delay; `nil` if it is consistent.
    private func contradiction(of stop: TripEta.Stop) -> String? {
        guard let delay = stop.delaySeconds else {
            return stop.delay == .unknown ? nil : "\(stop.delay) without a number"
        }
        guard let arrives = stop.arrivesAt else { return "a delay of \(delay) s without an arrival" }
        if let scheduled = stop.scheduledAt {
            let seconds = Int((Double(arrives.milliseconds - scheduled.milliseconds) / 1000).rounded())
            if seconds != delay { return "\(delay) s, but the arrival is \(seconds) s after the schedule" }
        }
        if delay > 120, stop.delay != .delayed { return "\(stop.delay) at \(delay) s" }
        if delay < -60, stop.delay != .early { return "\(stop.delay) at \(delay) s" }
        if stop.delay == .delayed, delay <= 0 { return "delayed at \(delay) s" }
        if stop.delay == .early, delay >= 0 { return "early at \(delay) s" }
        return stop.delay == .unknown ? "no flag at \(delay) s" : nil
    }

    @Test(
        "each stop's delay is its arrival minus the schedule, with a consistent flag, at slow to fast speeds",
        arguments: [0.6, 0.9, 1.0, 1.15, 1.6])
    func runs(speed: Double) {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        var checked = 0
        var flags: Set<TripEta.Delay> = []
        for _ in 0..<4 {
            let trip = ActiveTrip(Town.run(stops: 40, departure: -30), settings: ArrivalSettings())
            var along = Double.random(in: 0...400, using: &random)
            for step in 1...150 {
                // The plan is 500 m in 60 s, or 8.33 m/s; the vehicle is slow in every fifth interval of 15 steps.
                let factor = step / 15 % 5 == 4 ? 0.2 : speed
                along += 8.33 * 10 * factor * .random(in: 0.5...1.5, using: &random)
                let eta = trip.drive(along, at: Double(step) * 10)
                for stop in eta.stops {
                    if let what = contradiction(of: stop) {
                        Issue.record("seed \(seed), speed \(speed), step \(step), stop \(stop.id): \(what)")
                        return
                    }
                    checked += stop.delaySeconds == nil ? 0 : 1
                    flags.insert(stop.delay)
                }
            }
        }
        print("seed \(seed), speed \(speed): \(checked) delays, \(flags)")
        #expect(checked > 10_000)
    }

    @Test("a run on schedule is on time at all stops ahead, with arrivals published at most 30 s early")
    func onTime() {
        let trip = ActiveTrip(Town.run(stops: 40), settings: ArrivalSettings())
        var earliest = 0.0
        var flags: Set<TripEta.Delay> = []
        for step in 1...120 {
            let at = Double(step) * 10
            for stop in trip.drive(at * 500 / 60, at: at).stops where stop.status == .valid {
                let early =
                    stop.arrivesAt.flatMap { published in stop.scheduledAt.map { $0.seconds(since: published) } } ?? 999
                earliest = max(earliest, early)
                flags.insert(stop.delay)
            }
        }
        // Published arrivals are earlier than the median.
        #expect((20...30).contains(earliest))
        #expect(flags == [.onTime])
    }

    @Test("a run whose median arrival is 61 s early is flagged as early at all stops ahead")
    func early() {
        let trip = ActiveTrip(Town.run(stops: 40), settings: ArrivalSettings())
        let eta = trip.drive(5250, at: 630 - 61)
        for stop in eta.stops where stop.status == .valid {
            #expect(stop.delay == .early, "\(stop.id): \(stop.delaySeconds ?? 0) s")
            #expect((stop.delaySeconds ?? 0) <= -61)
        }
    }
}
