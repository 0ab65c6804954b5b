import Testing

@testable import ArrivalTimes

/// What counts of standing towards the pace of a road does not depend on how often a vehicle is heard.
@Suite struct StandingBudgetTests {
    /// Seconds that a ride teaches about the road where it stands for `seconds`, heard every `interval` seconds.
    private func learned(standing seconds: Double, every interval: Double) -> Double {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let memory = RoadSpeedTable()
        var parts: ContiguousArray<RoadSpeedTable.Part> = []
        for second in stride(from: 0.0, through: 40, by: interval) { _ = trip.drive(500 + 10 * second, at: second) }
        _ = trip.drive(900, at: 40)
        let count = Int((seconds / interval).rounded(.up))
        for step in 1...count {
            _ = trip.drive(900, speed: 0, at: 40 + min(seconds, Double(step) * interval))
            _ = trip.appendDrivenParts(for: memory, to: &parts)
        }
        return parts.filter { RouteCells.isCell($0.cell) }.reduce(0) { $0 + $1.seconds }
    }

    @Test("a break of ten minutes counts as one of a minute, heard ten times a second or once in two minutes")
    func pause() {
        for interval in [0.1, 1, 4, 30, 120] {
            #expect(abs(learned(standing: 600, every: interval) - 60) < 0.1, "every \(interval) s")
        }
    }

    @Test("standing for up to a minute counts in full", arguments: [(59.0, 59.0), (60, 60), (61, 60)])
    func limit(seconds: Double, counted: Double) {
        for interval in [0.1, 1, 120] {
            #expect(abs(learned(standing: seconds, every: interval) - counted) < 0.1, "every \(interval) s")
        }
    }

    @Test("driving on makes room for the next light, 40 m for a minute of it")
    func room() {
        var stood = StandingBudget()
        #expect(stood.add(meters: 0, seconds: 100) == 60)
        #expect(stood.add(meters: 0, seconds: 100) == 0)
        // 10 m at walking pace take 15 s: 14 s of them are given back.
        #expect(stood.add(meters: 10, seconds: 1) == 1)
        #expect(stood.add(meters: 0, seconds: 100) == 14)
        #expect(stood.add(meters: 100, seconds: 10) == 10)
        #expect(stood.add(meters: 0, seconds: 100) == 60)
        #expect(stood.seconds == StandingBudget.mostSeconds)
    }

    @Test("a stretch is counted alike whether it is told in one part or in many")
    func parts() {
        var whole = StandingBudget()
        var parts = StandingBudget()
        let one = whole.add(meters: 20, seconds: 200)
        let many = (0..<100).reduce(0) { sum, _ in sum + parts.add(meters: 0.2, seconds: 2) }
        #expect(abs(one - many) < 0.01 && abs(one - 90) < 1e-9)
    }
}
