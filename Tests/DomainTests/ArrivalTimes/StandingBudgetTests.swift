import Testing

@testable import Domain

/// Standing time that counts towards road speed is independent of the reporting interval.
@Suite struct StandingBudgetTests {
    /// Returns the seconds recorded for the road during a halt, with one report every `interval` seconds.
    private func recorded(standing seconds: Double, every interval: Double) -> Double {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let table = RoadSpeedTable()
        var parts: ContiguousArray<RoadSpeedTable.Part> = []
        for second in stride(from: 0.0, through: 40, by: interval) { _ = trip.drive(500 + 10 * second, at: second) }
        _ = trip.drive(900, at: 40)
        let count = Int((seconds / interval).rounded(.up))
        for step in 1...count {
            _ = trip.drive(900, speed: 0, at: 40 + min(seconds, Double(step) * interval))
            _ = trip.appendObservedParts(for: table, to: &parts)
        }
        return parts.filter { RouteCells.isCell($0.cell) }.reduce(0) { $0 + $1.seconds }
    }

    @Test("ten minutes of standing count as one minute, for reporting intervals from 0.1 s to two minutes")
    func pause() {
        for interval in [0.1, 1, 4, 30, 120] {
            #expect(abs(recorded(standing: 600, every: interval) - 60) < 0.1, "every \(interval) s")
        }
    }

    @Test("standing for up to a minute counts in full", arguments: [(59.0, 59.0), (60, 60), (61, 60)])
    func limit(seconds: Double, counted: Double) {
        for interval in [0.1, 1, 120] {
            #expect(abs(recorded(standing: seconds, every: interval) - counted) < 0.1, "every \(interval) s")
        }
    }

    @Test("driving refills the budget of counted standing time")
    func refill() {
        var budget = StandingBudget()
        #expect(budget.add(meters: 0, seconds: 100) == 60)
        #expect(budget.add(meters: 0, seconds: 100) == 0)
        // Walking 10 m would last 15 s, so driving it in 1 s refills 14 s.
        #expect(budget.add(meters: 10, seconds: 1) == 1)
        #expect(budget.add(meters: 0, seconds: 100) == 14)
        #expect(budget.add(meters: 100, seconds: 10) == 10)
        #expect(budget.add(meters: 0, seconds: 100) == 60)
        #expect(budget.seconds == StandingBudget.limitSeconds)
    }

    @Test("one report and many reports of a stretch count alike")
    func parts() {
        var whole = StandingBudget()
        var parts = StandingBudget()
        let one = whole.add(meters: 20, seconds: 200)
        let many = (0..<100).reduce(0) { sum, _ in sum + parts.add(meters: 0.2, seconds: 2) }
        #expect(abs(one - many) < 0.01 && abs(one - 90) < 1e-9)
    }
}
