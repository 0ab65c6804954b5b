import Testing

@testable import Domain

@Suite struct RoadSpeedTests {
    @Test("the ratio of actual to expected time is 1 without data, and it is bounded")
    func recent() {
        let settings = RecentTripSpeed.Settings(priorSeconds: 240, reachSeconds: 600)
        var recent = RecentTripSpeed()
        #expect(recent.ratio(settings) == 1)
        for _ in 0..<10_000 { recent.add(actual: 10, expected: 0, planned: 0, settings: settings) }
        #expect(recent.ratio(settings) > 1.5)
        #expect(recent.ratio(settings) <= settings.maximumRatio)
        for _ in 0..<1000 { recent.add(actual: 10, expected: 10, planned: 10, settings: settings) }
        #expect(abs(recent.ratio(settings) - 1) < 0.05)
    }

    @Test("the ratio applies fully nearby; far ahead, it adds less time than its reach")
    func stretch() {
        let settings = RecentTripSpeed.Settings(priorSeconds: 240, reachSeconds: 600)
        #expect(abs(RecentTripSpeed.stretch(1, ratio: 2, settings) - 2) < 0.01)
        #expect(RecentTripSpeed.stretch(600, ratio: 2, settings) == 900)
        #expect(RecentTripSpeed.stretch(100_000, ratio: 2, settings) < 100_600)
    }

    @Test("the spread is interpolated, and extrapolated beyond the table")
    func interval() {
        let table = ArrivalInterval(rows: [.init(0, below: 10, above: 20), .init(100, below: 30, above: 60)])
        #expect(table.spread(at: 0) == (10, 20))
        #expect(table.spread(at: 50) == (20, 40))
        #expect(table.spread(at: 100) == (30, 60))
        #expect(table.spread(at: 200) == (60, 120))
        #expect(table.problems().isEmpty)
        #expect(!ArrivalInterval(rows: []).problems().isEmpty)
    }

    private func cells(_ corners: [(Double, Double)], _ kind: TripMessage.Kind = .transit) throws -> RouteCells {
        RouteCells(geometry: try #require(RouteGeometry(points: Town.line(corners))), kind: kind)
    }

    @Test("cells cover the whole route; the opposite direction and rides have other cells")
    func routeCells() throws {
        let out = try cells([(0, 0), (2000, 0)])
        var meters = 0.0
        var keys: Set<UInt64> = []
        out.forEach(from: 0, to: 2000) { key, part in
            meters += part
            keys.insert(key)
        }
        #expect(abs(meters - 2000) < 1)
        #expect((8...14).contains(keys.count))
        try cells([(2000, 0), (0, 0)]).forEach(from: 0, to: 2000) { key, _ in #expect(!keys.contains(key)) }
        try cells([(0, 0), (2000, 0)], .ride).forEach(from: 0, to: 2000) { key, _ in #expect(!keys.contains(key)) }
    }

    @Test("standing time counts although noise moves the vehicle back")
    func standingSeconds() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        var seconds = 0.0
        for step in 0...50 {
            _ = trip.drive(1000 + (step % 2 == 0 ? 8 : -8), speed: 0.2, at: Double(step) * 2)
            seconds += trip.drivenStretch?.seconds ?? 0
        }
        #expect(seconds == 100)
    }

    @Test("speeds are learned per road and direction")
    func learning() throws {
        var table = RoadSpeedTable()
        let out = try cells([(0, 0), (2000, 0)])
        let back = try cells([(2000, 0), (0, 0)])
        for pass in 0..<20 {
            for step in 0..<20 {
                table.observe(
                    out, from: Double(step) * 100, to: Double(step + 1) * 100, seconds: 20,
                    at: Town.time(Double(pass) * 600 + Double(step) * 20))
            }
        }
        let now = Town.time(12_000)
        let learned = table.expected(out, from: 0, to: 2000, planned: 200, at: now)
        #expect(learned > 330 && learned < 400, "observed 400 s, planned 200 s")
        // The sum over cells is rounded.
        #expect(abs(table.expected(back, from: 0, to: 2000, planned: 200, at: now) - 200) < 1e-9)
        #expect(table.expected(out, from: 500, to: 500, planned: 3, at: now) == 3)
    }

    /// Returns a table with twenty passes of 2 km at 16:00 UTC, 400 s each.
    private func learnedTable(_ cells: RouteCells) -> RoadSpeedTable {
        var table = RoadSpeedTable()
        for pass in 0..<20 { table.observe(cells, from: 0, to: 2000, seconds: 400, at: Town.time(Double(pass) * 10)) }
        return table
    }

    @Test("a learned speed applies to other hours, days later", arguments: [1.0, 3, 10])
    func allHours(days: Double) throws {
        let road = try cells([(0, 0), (2000, 0)])
        let table = learnedTable(road)
        // 07:00 UTC, fifteen hours later.
        let now = Town.time(days * 86_400 + 15 * 3600)
        let learned = table.expected(road, from: 0, to: 2000, planned: 200, at: now)
        #expect(learned > 350 && learned < 400, "\(learned)")
    }

    @Test("a timetable has more weight than the plan of a ride")
    func timetable() throws {
        let road = try cells([(0, 0), (2000, 0)])
        let table = learnedTable(road)
        let now = Town.time(86_400)
        let ride = table.expected(road, from: 0, to: 2000, planned: 200, at: now)
        let run = table.expected(road, from: 0, to: 2000, planned: 200, hasTimetable: true, at: now)
        #expect(run < ride)
        #expect(run > 200 && ride < 400)
    }

    @Test("keys of cells differ from those of legs and histogram bins in all quadrants")
    func keys() throws {
        for (latitude, longitude) in [(52.0, 13.0), (-33.9, 18.4), (-22.9, -43.2), (37.8, -122.4)] {
            let points = (0..<10).map { Coordinate(latitude: latitude, longitude: longitude + 0.001 * Double($0)) }
            let road = RouteCells(geometry: try #require(RouteGeometry(points: points)), kind: .ride)
            road.forEach(from: 0, to: road.lengthMeters) { key, _ in #expect(RouteCells.isCell(key)) }
        }
        let plan = TripPlan(Town.run(stops: 40), settings: ArrivalSettings())
        #expect(plan.legKeys.allSatisfy { !RouteCells.isCell($0) })
        #expect(!RouteCells.isCell(plan.classKey))
        #expect((0..<35).allSatisfy { !RouteCells.isCell(SpreadHistogram.key(plan.classKey, row: 1, bin: $0)) })
    }

    @Test("standing counts towards road speed, implausible steps do not")
    func standing() throws {
        var table = RoadSpeedTable()
        let out = try cells([(0, 0), (2000, 0)])
        for pass in 0..<50 {
            table.observe(out, from: 0, to: 100, seconds: 10, at: Town.time(Double(pass) * 100))
            table.observe(out, from: 100, to: 100, seconds: 30, at: Town.time(Double(pass) * 100 + 30))
            table.observe(out, from: 100, to: 2000, seconds: 10, at: Town.time(Double(pass) * 100 + 40))
        }
        let learned = table.expected(out, from: 0, to: 100, planned: 10, at: Town.time(5000))
        #expect(learned > 25)
        #expect(abs(table.expected(out, from: 1500, to: 1600, planned: 10, at: Town.time(5000)) - 10) < 1e-9)
    }

    @Test("the table stays within its capacity and is restored from its entries")
    func bounds() throws {
        var settings = RoadSpeedTable.Settings()
        settings.capacity = 64
        var table = RoadSpeedTable(settings: settings)
        let long = try cells([(0, 0), (60_000, 0)])
        table.observe(long, from: 0, to: 60_000, seconds: 6000, at: Town.start)
        #expect(table.allEntries.count <= 64)
        #expect(table.allEntries.count > 40)
        var restored = RoadSpeedTable(settings: settings)
        for entry in table.allEntries { restored.restore(entry) }
        let now = Town.time(60)
        #expect(
            restored.expected(long, from: 0, to: 60_000, planned: 9000, at: now)
                == table.expected(long, from: 0, to: 60_000, planned: 9000, at: now))
    }

    @Test("expectations are updated every five minutes")
    func updates() {
        var table = RoadSpeedTable()
        let observed = ActiveTrip(Town.run(departure: nil))
        for step in 0...300 {
            _ = observed.drive(Double(step) * 10, speed: 5, at: Double(step) * 2)
            observed.recordSpeeds(in: &table)
        }
        let trip = ActiveTrip(Town.run(departure: nil))
        _ = trip.drive(100, at: 1000)
        let planned = trip.eta(at: Town.time(1000)).stops[6].seconds ?? 0
        trip.updateExpectations(from: table, at: Town.time(1000))
        let learned = trip.eta(at: Town.time(1000)).stops[6].seconds ?? 0
        #expect(learned > planned)
        let before = trip.progress.expectedSeconds
        trip.updateExpectations(from: RoadSpeedTable(), at: Town.time(1299))
        #expect(trip.progress.expectedSeconds == before)
        trip.updateExpectations(from: RoadSpeedTable(), at: Town.time(1300))
        #expect(trip.progress.expectedSeconds != before)
    }

    @Test("leg times include the dwell and are shared between routes")
    func legs() throws {
        var table = RoadSpeedTable()
        // Observed: 30 s at each stop and 50 s to the next. The default speed and dwell, 7 m/s and 15 s, give 86 s.
        for run in 0..<40 {
            let start = Double(run) * 900
            var message = Town.run(departure: nil)
            message.tripID = "run \(run)"
            let trip = ActiveTrip(message)
            for step in 0...560 where step % 5 == 0 {
                let (leg, within) = (Double(step / 80), Double(step % 80))
                let along = min(3000, leg * 500 + max(0, within - 30) * 10)
                _ = trip.drive(along, speed: within < 30 ? 0 : 10, at: start + Double(step))
                trip.recordSpeeds(in: &table)
            }
        }
        var message = Town.run(departure: nil)
        message.routeID = "another"
        let trip = ActiveTrip(message)
        let now = Town.time(36_000)
        _ = trip.drive(250, at: 36_000)
        trip.updateExpectations(from: table, at: now)
        for leg in 2..<6 {
            let whole = Double(trip.progress.expectedSeconds[leg]) + trip.plan.dwellSeconds[leg - 1]
            // Closer to the observed time than to the default.
            #expect((72.0...83).contains(whole), "leg \(leg): \(whole)")
        }
    }

    @Test("rides without a planned time are estimated from earlier rides")
    func unplanned() {
        var table = RoadSpeedTable()
        let route = Town.route([(0, 0), (3000, 0)])
        for ride in 0..<40 {
            let trip = ActiveTrip(Town.ride(.inProgress, route: route))
            for step in 0...75 {
                _ = trip.drive(Double(step) * 40, at: Double(ride) * 400 + Double(step) * 4)
                trip.recordSpeeds(in: &table)
            }
        }
        // This route is elsewhere, on roads without learned speeds.
        let away = Town.route([(0, 9000), (3000, 9000)])
        let trip = ActiveTrip(Town.ride(.inProgress, route: away))
        let now = Town.time(16_400)
        trip.updateExpectations(from: table, at: now)
        let expected = trip.progress.expectedSeconds.reduce(0, +)
        #expect(expected > 300 && expected < 360, "observed 300 s, 429 s at the default speed")
        let planned = ActiveTrip(
            Town.ride(.inProgress, route: Town.route([(0, 9000), (3000, 9000)], seconds: 450)))
        planned.updateExpectations(from: table, at: now)
        #expect(abs(planned.progress.expectedSeconds.reduce(0, +) - 450) < 2)
    }

    @Test("default settings are valid, invalid ones are reported")
    func settings() {
        #expect(ArrivalSettings().problems().isEmpty)
        #expect(BroadcastSettings().problems().isEmpty)
        #expect(RoadSpeedTable.Settings().problems().isEmpty)
        var broken = ArrivalSettings()
        broken.detourFactor = 0.9
        broken.unavailableSeconds = 60
        broken.matching.backingMeters = 200
        #expect(broken.problems().count == 3)
    }
}
