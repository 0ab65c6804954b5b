import Testing

@testable import Domain

/// Expected times of a leg with different road speeds.
@Suite struct LegPieceTests {
    private let route = Town.route([(0, 0), (8000, 0)], meters: 8000, seconds: 800)

    /// Returns a table with twenty passes of 4 km at 20 m/s and 4 km at 5 m/s: 1,000 s, planned as 800 s.
    private func learnedTable() -> RoadSpeedTable {
        var table = RoadSpeedTable()
        guard let geometry = RouteGeometry(points: route.points) else { return table }
        let road = RouteCells(geometry: geometry, kind: .ride)
        for pass in 0..<20 {
            let start = Double(pass) * 1200
            table.observe(road, from: 0, to: 4000, seconds: 200, at: Town.time(start + 200))
            table.observe(road, from: 4000, to: 8000, seconds: 800, at: Town.time(start + 1000))
        }
        return table
    }

    private func ride(to east: Double) -> TripMessage {
        var message = Town.ride(.inProgress, route: route)
        message.stops[1].coordinate = Town.place(east, 0)
        return message
    }

    @Test("the remaining distance is estimated by the road speeds ahead, not by the mean of the leg")
    func remaining() throws {
        let table = learnedTable()
        let now = 30_000.0
        let trip = ActiveTrip(ride(to: 8000))
        trip.updateExpectations(from: table, at: Town.time(now))
        let start = try #require(trip.drive(10, at: now).stops[1].seconds)
        #expect((900...1010).contains(start), "\(start) s")
        let middle = ActiveTrip(ride(to: 8000))
        middle.updateExpectations(from: table, at: Town.time(now))
        // 800 s remain; half of the leg would be 500 s.
        let left = try #require(middle.drive(4000, at: now).stops[1].seconds)
        #expect((730...810).contains(left), "\(left) s")
    }

    @Test("a vehicle at the learned speeds has a ratio of actual to expected time of 1")
    func ratio() {
        let trip = ActiveTrip(ride(to: 8000))
        trip.updateExpectations(from: learnedTable(), at: Town.time(30_000))
        for step in 0...40 { _ = trip.drive(Double(step) * 80, speed: 20, at: 30_000 + Double(step) * 4) }
        let ratio = trip.progress.recentSpeed.actualSeconds / trip.progress.recentSpeed.expectedSeconds
        #expect(abs(ratio - 1) < 0.1, "\(ratio)")
    }

    @Test("pieces add up to their leg; legs shorter than two pieces are not divided")
    func sums() {
        let trip = ActiveTrip(ride(to: 8000))
        trip.updateExpectations(from: learnedTable(), at: Town.time(30_000))
        let plan = trip.plan
        let leg = Double(trip.progress.expectedSeconds[1])
        #expect(abs(Double(trip.progress.pieceSeconds.reduce(0, +)) - leg) < 0.01)
        #expect(abs(trip.estimator.driveSeconds(1, from: 0, to: 8000, trip.progress, plan) - leg) < 0.01)
        let parts = stride(from: 0.0, to: 8000, by: 130).map {
            trip.estimator.driveSeconds(1, from: $0, to: min(8000, $0 + 130), trip.progress, plan)
        }
        #expect(abs(parts.reduce(0, +) - leg) < 0.01)
        #expect(LegPieces(legMeters: [0, 999, 1000, 1001]).starts == [0, 0, 0, 2, 4])
        #expect(LegPieces(legMeters: [320_000]).count == 32)
        #expect(LegPieces(legMeters: [.infinity, 0]).count == 0)
    }

    @Test("pieces are restored; without pieces, half a leg has half its time")
    func coding() throws {
        let trip = ActiveTrip(ride(to: 8000))
        trip.updateExpectations(from: learnedTable(), at: Town.time(30_000))
        _ = trip.drive(3000, at: 30_000)
        let restored = ActiveTrip(ride(to: 8000))
        #expect(trip.encoded.withUnsafeBytes { restored.restoreProgress($0) })
        #expect(restored.progress.pieceSeconds == trip.progress.pieceSeconds)
        #expect(restored.encoded == trip.encoded)
        restored.progress.pieceSeconds = []
        let leg = Double(restored.progress.expectedSeconds[1])
        let half = restored.estimator.driveSeconds(1, from: 4000, to: 8000, restored.progress, restored.plan)
        #expect(abs(half - leg / 2) < 0.01)
    }
}
