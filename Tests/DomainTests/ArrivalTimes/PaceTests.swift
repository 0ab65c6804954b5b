import Testing

@testable import ArrivalTimes
@testable import Model
@testable import RiderUpdates
@testable import Runtime

@Suite struct PaceTests {
    @Test("without evidence the pace is as expected, and a jam is bounded")
    func recent() {
        let settings = RecentTripSpeed.Settings(priorSeconds: 240, reachSeconds: 600)
        var pace = RecentTripSpeed()
        #expect(pace.ratio(settings) == 1)
        for _ in 0..<10_000 { pace.add(actual: 10, expected: 0, planned: 0, settings: settings) }
        #expect(pace.ratio(settings) > 1.5)
        #expect(pace.ratio(settings) <= settings.maximumRatio)
        for _ in 0..<1000 { pace.add(actual: 10, expected: 10, planned: 10, settings: settings) }
        #expect(abs(pace.ratio(settings) - 1) < 0.05)
    }

    @Test("the recent pace counts in full close by and no more than its reach in all")
    func stretch() {
        let settings = RecentTripSpeed.Settings(priorSeconds: 240, reachSeconds: 600)
        #expect(abs(RecentTripSpeed.stretch(1, ratio: 2, settings) - 2) < 0.01)
        #expect(RecentTripSpeed.stretch(600, ratio: 2, settings) == 900)
        #expect(RecentTripSpeed.stretch(100_000, ratio: 2, settings) < 100_600)
    }

    @Test("the spread is read off the table by straight lines, and grows beyond it")
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

    @Test("cells cover the whole route, and the way back has others")
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

    @Test("the seconds of a vehicle that stands count, although its place falls back by noise")
    func standingSeconds() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        var seconds = 0.0
        for step in 0...50 {
            _ = trip.drive(1000 + (step % 2 == 0 ? 8 : -8), speed: 0.2, at: Double(step) * 2)
            seconds += trip.drivenStretch?.seconds ?? 0
        }
        #expect(seconds == 100)
    }

    @Test("what vehicles took is learned, for the road and the direction they drove it")
    func learning() throws {
        var memory = RoadSpeedTable()
        let out = try cells([(0, 0), (2000, 0)])
        let back = try cells([(2000, 0), (0, 0)])
        for pass in 0..<20 {
            for step in 0..<20 {
                memory.observe(
                    out, from: Double(step) * 100, to: Double(step + 1) * 100, seconds: 20,
                    at: Town.time(Double(pass) * 600 + Double(step) * 20))
            }
        }
        let now = Town.time(12_000)
        let learned = memory.expected(out, from: 0, to: 2000, planned: 200, at: now)
        #expect(learned > 330 && learned < 400, "400 s is what they took, 200 s the plan")
        // Summed cell by cell, hence the rounding.
        #expect(abs(memory.expected(back, from: 0, to: 2000, planned: 200, at: now) - 200) < 1e-9)
        #expect(memory.expected(out, from: 500, to: 500, planned: 3, at: now) == 3)
    }

    /// Twenty passes of 2 km at noon, of 400 s each.
    private func taught(_ cells: RouteCells) -> RoadSpeedTable {
        var memory = RoadSpeedTable()
        for pass in 0..<20 { memory.observe(cells, from: 0, to: 2000, seconds: 400, at: Town.time(Double(pass) * 10)) }
        return memory
    }

    @Test("a road is known at hours that it was not driven at, days later", arguments: [1.0, 3, 10])
    func allHours(days: Double) throws {
        let road = try cells([(0, 0), (2000, 0)])
        let memory = taught(road)
        // Three in the morning, fifteen hours after noon.
        let now = Town.time(days * 86_400 + 15 * 3600)
        let learned = memory.expected(road, from: 0, to: 2000, planned: 200, at: now)
        #expect(learned > 350 && learned < 400, "\(learned)")
    }

    @Test("a timetable is given up for what was driven later than the plan of a ride")
    func timetable() throws {
        let road = try cells([(0, 0), (2000, 0)])
        let memory = taught(road)
        let now = Town.time(86_400)
        let ride = memory.expected(road, from: 0, to: 2000, planned: 200, at: now)
        let run = memory.expected(road, from: 0, to: 2000, planned: 200, hasTimetable: true, at: now)
        #expect(run < ride)
        #expect(run > 200 && ride < 400)
    }

    @Test("cells are told from legs and from counts of arrivals, in all four quarters of the world")
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

    @Test("standing belongs to the road's pace, and what no vehicle can do does not")
    func standing() throws {
        var memory = RoadSpeedTable()
        let out = try cells([(0, 0), (2000, 0)])
        for pass in 0..<50 {
            memory.observe(out, from: 0, to: 100, seconds: 10, at: Town.time(Double(pass) * 100))
            memory.observe(out, from: 100, to: 100, seconds: 30, at: Town.time(Double(pass) * 100 + 30))
            memory.observe(out, from: 100, to: 2000, seconds: 10, at: Town.time(Double(pass) * 100 + 40))
        }
        let learned = memory.expected(out, from: 0, to: 100, planned: 10, at: Town.time(5000))
        #expect(learned > 25)
        #expect(abs(memory.expected(out, from: 1500, to: 1600, planned: 10, at: Town.time(5000)) - 10) < 1e-9)
    }

    @Test("the memory stays within its bounds, and is restored from its entries")
    func bounds() throws {
        var settings = RoadSpeedTable.Settings()
        settings.capacity = 64
        var memory = RoadSpeedTable(settings: settings)
        let long = try cells([(0, 0), (60_000, 0)])
        memory.observe(long, from: 0, to: 60_000, seconds: 6000, at: Town.noon)
        #expect(memory.allEntries.count <= 64)
        #expect(memory.allEntries.count > 40)
        var restored = RoadSpeedTable(settings: settings)
        for entry in memory.allEntries { restored.restore(entry) }
        let now = Town.time(60)
        #expect(
            restored.expected(long, from: 0, to: 60_000, planned: 9000, at: now)
                == memory.expected(long, from: 0, to: 60_000, planned: 9000, at: now))
    }

    @Test("learned paces are taken over every five minutes and kept between")
    func takenOver() {
        var memory = RoadSpeedTable()
        let teacher = ActiveTrip(Town.run(departure: nil))
        for step in 0...300 {
            _ = teacher.drive(Double(step) * 10, speed: 5, at: Double(step) * 2)
            teacher.teachPaces(to: &memory)
        }
        let trip = ActiveTrip(Town.run(departure: nil))
        _ = trip.drive(100, at: 1000)
        let planned = trip.eta(at: Town.time(1000)).stops[6].seconds ?? 0
        trip.learnPaces(from: memory, at: Town.time(1000))
        let learned = trip.eta(at: Town.time(1000)).stops[6].seconds ?? 0
        #expect(learned > planned)
        let before = trip.progress.expectedSeconds
        trip.learnPaces(from: RoadSpeedTable(), at: Town.time(1299))
        #expect(trip.progress.expectedSeconds == before)
        trip.learnPaces(from: RoadSpeedTable(), at: Town.time(1300))
        #expect(trip.progress.expectedSeconds != before)
    }

    @Test("what a run takes from stop to stop is learned with its dwelling, whatever route drives it")
    func legs() throws {
        var memory = RoadSpeedTable()
        // 30 s at each stop and 50 s to the next: 80 s where the plan of 10 m/s and 15 s expects 65.
        for run in 0..<40 {
            let start = Double(run) * 900
            var message = Town.run(departure: nil)
            message.tripID = "run \(run)"
            let trip = ActiveTrip(message)
            for step in 0...560 where step % 5 == 0 {
                let (leg, within) = (Double(step / 80), Double(step % 80))
                let along = min(3000, leg * 500 + max(0, within - 30) * 10)
                _ = trip.drive(along, speed: within < 30 ? 0 : 10, at: start + Double(step))
                trip.teachPaces(to: &memory)
            }
        }
        var message = Town.run(departure: nil)
        message.routeID = "another"
        let trip = ActiveTrip(message)
        let now = Town.time(36_000)
        _ = trip.drive(250, at: 36_000)
        trip.learnPaces(from: memory, at: now)
        for leg in 2..<6 {
            let whole = Double(trip.progress.expectedSeconds[leg]) + trip.plan.dwellSeconds[leg - 1]
            #expect(abs(whole - 80) < 8, "leg \(leg): \(whole)")
        }
    }

    @Test("rides without a planned time are expected to be as fast as those before them")
    func unplanned() {
        var memory = RoadSpeedTable()
        let route = Town.route([(0, 0), (3000, 0)])
        for ride in 0..<40 {
            let trip = ActiveTrip(Town.ride(.inProgress, route: route))
            for step in 0...75 {
                _ = trip.drive(Double(step) * 40, at: Double(ride) * 400 + Double(step) * 4)
                trip.teachPaces(to: &memory)
            }
        }
        // Elsewhere, where no road is known.
        let away = Town.route([(0, 9000), (3000, 9000)])
        let trip = ActiveTrip(Town.ride(.inProgress, route: away))
        let now = Town.time(16_400)
        trip.learnPaces(from: memory, at: now)
        let expected = trip.progress.expectedSeconds.reduce(0, +)
        #expect(expected > 300 && expected < 360, "300 s is what they took, 429 s the default speed")
        let planned = ActiveTrip(
            Town.ride(.inProgress, route: Town.route([(0, 9000), (3000, 9000)], seconds: 450)))
        planned.learnPaces(from: memory, at: now)
        #expect(abs(planned.progress.expectedSeconds.reduce(0, +) - 450) < 2)
    }

    @Test("the settings given are usable, and broken ones are told")
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
