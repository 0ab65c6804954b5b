import TestSupport
import Testing

@testable import Domain

/// Learned errors of estimates.
@Suite struct SpreadTests {
    private static let trips: UInt64 = 1 << 63 | 77
    private static let rowCount = ArrivalInterval.transit.rows.count

    private func observe(_ units: [Double], row: Int, in table: inout RoadSpeedTable) {
        for error in units {
            for part in SpreadHistogram.parts(
                of: Self.trips, row: row, rowCount: Self.rowCount, units: error)
            {
                table.add(part, at: Town.start)
            }
        }
    }

    private func spreads(_ table: RoadSpeedTable) -> [LearnedSpread] {
        var spreads: [LearnedSpread] = []
        table.spreads(of: Self.trips, rowCount: Self.rowCount, at: Town.start, into: &spreads)
        return spreads
    }

    @Test("without observations the spread is that of the table")
    func nothing() {
        for spread in spreads(RoadSpeedTable()) {
            #expect(
                abs(spread.low + 1) < 1e-6 && abs(spread.middle) < 1e-6 && abs(spread.high - 1) < 1e-6)
        }
        #expect(abs(SpreadHistogram.table.shares.reduce(0, +) - 1) < 1e-12)
        #expect(SpreadHistogram.table.shares.allSatisfy { $0 >= 0 })
    }

    @Test(
        "a bin of errors includes its lower edge",
        arguments: [
            (-100.0, 0), (-14, 0), (-9.001, 0), (-9, 1), (-0.001, 16), (0, 17), (0.1499, 17), (0.15, 18),
            (50, 33),
        ])
    func bins(units: Double, bin: Int) {
        #expect(SpreadHistogram.bin(of: units) == bin)
    }

    @Test("an error is converted to units of the spread on its side")
    func units() {
        let table = ArrivalInterval(rows: [
            .init(0, below: 10, above: 20), .init(100, below: 30, above: 60),
        ])
        #expect(table.units(of: -15, at: 0) == -1.5)
        #expect(table.units(of: 15, at: 0) == 0.75)
        #expect(table.units(of: 60, at: 100) == 1)
        #expect(table.units(of: -45, at: 50) == -2.25)
    }

    @Test(
        "an ETA belongs to the nearest row",
        arguments: [(0.0, 0), (45, 0), (45.1, 1), (180, 1), (181, 2), (9000, 7)])
    func nearest(eta: Double, row: Int) {
        #expect(ArrivalInterval.transit.row(nearestTo: eta) == row)
    }

    @Test("early arrivals move the median; late arrivals move it only with the lower bound")
    func bias() {
        var early = RoadSpeedTable()
        observe(Array(repeating: -0.75, count: 400), row: 3, in: &early)
        let middle = spreads(early)[3].middle
        #expect(middle < -0.62 && middle > -0.8)
        // Three of ten errors are early, seven are late.
        let errors = (0..<400).map { $0 % 10 < 3 ? -0.5 : 0.75 }
        var late = RoadSpeedTable()
        observe(errors, row: 3, in: &late)
        #expect(spreads(late)[3].middle == 0 && spreads(late)[3].high > 0.7)
        // The median stays within the interval.
        var always = RoadSpeedTable()
        observe(Array(repeating: 0.75, count: 400), row: 3, in: &always)
        #expect(spreads(always)[3].middle == spreads(always)[3].low && spreads(always)[3].low > 0.6)
        // Errors of one row also move the median of other rows, but less.
        #expect(spreads(early)[5].middle < -0.3)
    }

    @Test("intervals are wider at the beginning of a ride but not of a run", arguments: [(0.0, 1.5), (300, 1.25)])
    func young(drivenSeconds: Double, widening: Double) {
        let estimator = ArrivalEstimator()
        for (message, expected) in [(Town.ride(.inProgress), widening), (Town.run(), 1)] {
            let trip = ActiveTrip(message)
            trip.progress.recentSpeed = RecentTripSpeed(
                actualSeconds: drivenSeconds, expectedSeconds: 0, plannedSeconds: 0)
            #expect(estimator.widening(trip.progress, trip.plan) == expected)
        }
    }

    @Test("the arrivals of one trip change the interval's bounds more than its median")
    func cautious() {
        var table = RoadSpeedTable()
        observe(Array(repeating: -1.6, count: 20), row: 3, in: &table)
        var bold = RoadSpeedTable.Settings()
        bold.middlePriorArrivals = bold.spreadPriorArrivals
        var quick = RoadSpeedTable(settings: bold)
        observe(Array(repeating: -1.6, count: 20), row: 3, in: &quick)
        #expect(spreads(table)[5].low < -1 && spreads(table)[5].low == spreads(quick)[5].low)
        #expect(spreads(table)[5].middle > spreads(quick)[5].middle * 0.8)
        #expect(spreads(table)[5].middle < 0)
    }

    @Test(
        "too narrow and too wide intervals converge to 80 % coverage",
        arguments: [0.25, 0.5, 1, 2, 4], [1, 2, 3] as [UInt64])
    func coverage(scale: Double, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func error() -> Double {
            // Triangular distribution within ±2 times `scale`: as many early as late.
            (Double.random(in: -1...1, using: &random) + Double.random(in: -1...1, using: &random))
                * scale
        }
        var table = RoadSpeedTable()
        observe((0..<300).map { _ in error() }, row: 4, in: &table)
        let learned = spreads(table)[4]
        let low = Double(learned.low)
        let high = Double(learned.high)
        let covered = (0..<4000).count { _ in (low...high).contains(error()) }
        #expect((0.74...0.86).contains(Double(covered) / 4000), "seed \(seed), scale \(scale)")
    }

    @Test("learned intervals are interpolated between rows and extrapolated beyond the table")
    func between() {
        let table = ArrivalInterval(rows: [
            .init(0, below: 10, above: 20), .init(100, below: 30, above: 60),
        ])
        let learned = [
            LearnedSpread(low: -1, middle: 0, high: 1), LearnedSpread(low: -2, middle: 0.5, high: 2),
        ]
        let spread = table.spread(at: 50, learned: learned)
        #expect(spread == (-35, 15, 70))
        #expect(table.spread(at: 200, learned: learned) == (-120, 60, 240))
    }

    @Test("trips that meet their estimates narrow the intervals")
    func narrower() throws {
        var table = RoadSpeedTable()
        for run in 0..<12 {
            let trip = ActiveTrip(Town.run(stops: 20, departure: Double(run) * 1200))
            for step in 0...1150 where step % 5 == 0 {
                let at = Double(run) * 1200 + Double(step)
                _ = trip.drive(min(9500, Double(step) * 500 / 60), at: at)
                trip.recordSpeeds(in: &table)
            }
        }
        let trip = ActiveTrip(Town.run(stops: 20, departure: 14_400))
        _ = trip.drive(250, at: 14_430)
        let before = trip.eta(at: Town.time(14_430)).stops[10]
        trip.updateExpectations(from: table, at: Town.time(14_430))
        let after = trip.eta(at: Town.time(14_430)).stops[10]
        let widths = try [before, after].map { try #require($0.maxSeconds) - #require($0.minSeconds) }
        #expect(widths[1] * 2 < widths[0])
        #expect(table.allEntries.count < 2000)
        #expect(trip.progress.spreads.count == Self.rowCount)
    }

    @Test("at most 24 estimates are recorded at any tested reporting interval", arguments: [1.0, 5, 30, 120])
    func probes(interval: Double) {
        let trip = ActiveTrip(Town.run(stops: 40))
        var most = 0
        for at in stride(from: 30, through: 2200, by: interval) {
            _ = trip.drive(at * 500 / 60, at: at)
            most = max(most, trip.progress.probes.count)
        }
        #expect(most > 3 && most <= 24)
    }

    @Test("the arrival of a ride at its last stop is observed before its state changes")
    func rideEnd() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        var errors: [ObservedError] = []
        for step in 0...75 {
            _ = trip.drive(min(2995, Double(step) * 40), at: Double(step) * 4)
            errors += trip.observedErrors
        }
        #expect(errors.count >= 4)
        #expect(errors.allSatisfy { abs($0.lateSeconds) < 10 })
        #expect(trip.progress.probes.count <= 1, "at most an estimate recorded at the end")
    }
}
