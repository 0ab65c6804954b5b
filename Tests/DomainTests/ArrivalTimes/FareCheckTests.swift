import Testing

@testable import Domain

@Suite("Fare checks at the end of a ride")
struct FareCheckTests {
    /// Returns the checks of a ride with these distances, by default completed and planned as 3 km.
    private func checks(
        driven: Double, snapped: Double, state: TripState = .completed, message: TripMessage = Town.ride(.completed)
    ) -> FareChecks {
        let settings = ArrivalSettings()
        let plan = TripPlan(message, settings: settings)
        var progress = TripProgress(state: state, version: 1, stopCount: plan.stops.count, at: Town.start)
        progress.drivenMeters = driven
        progress.snappedMeters = snapped
        return plan.fareChecks(of: progress, settings: settings)
    }

    /// Drives eastwards in 100 steps, alternately `meters` left and right of the route.
    private func weave(_ trip: ActiveTrip, from start: Double = 0, to end: Double, meters: Double, at begin: Double) {
        let (along, step) = ((end - start) / 100, meters / 100)
        let across = (step * step - along * along).squareRoot()
        for index in 0...100 {
            let side = (index.isMultiple(of: 2) ? -1 : 1) * across / 2
            _ = trip.drive(
                start + along * Double(index), side, heading: nil, at: begin + 5 * Double(index))
        }
    }

    private func end(_ trip: ActiveTrip, at seconds: Double) -> TripEta {
        trip.change(Town.ride(.completed, version: 9), at: Town.time(seconds))
        return trip.eta(at: Town.time(seconds))
    }

    @Test(
        "the distance is inflated above 1.3 times the distance along the route",
        arguments: [(3900.0.nextDown, false), (3900, false), (3900.0.nextUp, true)])
    func inflationRatio(driven: Double, expected: Bool) {
        #expect(checks(driven: driven, snapped: 3000).contains(.distanceInflation) == expected)
    }

    @Test(
        "the distance is inflated if it exceeds the distance along the route by more than 500 m",
        arguments: [(1499.9, false), (1500, false), (1500.1, true)])
    func inflationMeters(driven: Double, expected: Bool) {
        #expect(checks(driven: driven, snapped: 1000).contains(.distanceInflation) == expected)
    }

    @Test(
        "a long route exceeds 1.3 times the planned distance, independent of the distance along the route",
        arguments: [(3899.9, false), (3900.1, true)])
    func longRoute(driven: Double, expected: Bool) {
        #expect(checks(driven: driven, snapped: driven) == (expected ? [.longRoute] : []))
    }

    @Test("only completed rides with a route are checked")
    func unchecked() {
        #expect(checks(driven: 9000, snapped: 1000) == [.longRoute, .distanceInflation])
        #expect(checks(driven: 9000, snapped: 1000, state: .cancelled) == [])
        #expect(checks(driven: 9000, snapped: 1000, state: .inProgress) == [])
        #expect(checks(driven: 9000, snapped: 1000, message: Town.ride(.completed, route: nil)) == [])
        #expect(checks(driven: 9000, snapped: 1000, message: Town.run()) == [])
    }

    @Test(
        "positions alternately left and right of the route inflate the distance",
        arguments: [(3850, []), (3950, [.longRoute, .distanceInflation])] as [(Double, FareChecks)])
    func weaving(meters: Double, expected: FareChecks) {
        let trip = ActiveTrip(Town.ride(.inProgress))
        weave(trip, to: 3000, meters: meters, at: 0)
        let eta = end(trip, at: 600)
        #expect(abs((eta.drivenMeters ?? 0) - meters) < 5)
        #expect(abs((eta.snappedMeters ?? 0) - 3000) < 5)
        #expect(eta.fareChecks == expected)
    }

    @Test("a detour off the route is a long route but not inflation")
    func detour() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        let corners = [(0.0, 0.0), (1000, 0), (1000, 800), (2000, 800), (2000, 0), (3000, 0)]
        var at = 0.0
        for (start, stop) in zip(corners, corners.dropFirst()) {
            for step in 0..<20 {
                let part = Double(step) / 20
                _ = trip.drive(
                    start.0 + part * (stop.0 - start.0), start.1 + part * (stop.1 - start.1), heading: nil, at: at)
                at += 5
            }
        }
        _ = trip.drive(3000, heading: nil, at: at)
        let eta = end(trip, at: at + 5)
        #expect(abs((eta.drivenMeters ?? 0) - 4600) < 5)
        #expect(abs((eta.snappedMeters ?? 0) - 4600) < 200)
        #expect(eta.fareChecks == [.longRoute])
    }

    @Test("driving back along the route counts for both distances")
    func back() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        var at = 0.0
        let parts = [Array(stride(from: 0.0, to: 2500, by: 25)), Array(stride(from: 2500.0, to: 500, by: -25))]
        for east in parts.joined() + Array(stride(from: 500.0, through: 3000, by: 25)) {
            _ = trip.drive(east, heading: nil, at: at)
            at += 3
        }
        let eta = end(trip, at: at)
        #expect(abs((eta.drivenMeters ?? 0) - 7000) < 5)
        #expect(abs((eta.snappedMeters ?? 0) - 7000) < 300)
        #expect(eta.fareChecks == [.longRoute])
    }

    @Test("a jump along the route adds its length to both distances")
    func jump() {
        let trip = ActiveTrip(Town.ride(.inProgress))
        _ = trip.drive(0, at: 0)
        _ = trip.drive(100, at: 10)
        _ = trip.drive(2900, at: 12)
        _ = trip.drive(2920, at: 14)
        let eta = end(trip, at: 20)
        #expect(abs((eta.snappedMeters ?? 0) - (eta.drivenMeters ?? 0)) < 1)
    }

    @Test("there is no snapped distance before the pickup, while standing and without a route")
    func uncounted() {
        let trip = ActiveTrip(Town.ride(.accepted))
        _ = trip.drive(-2000, at: 0)
        _ = trip.drive(0, at: 200)
        trip.change(Town.ride(.arrived, version: 2), at: Town.time(210))
        trip.change(Town.ride(.inProgress, version: 3), at: Town.time(220))
        _ = trip.drive(1000, at: 330)
        for step in 1...20 { _ = trip.drive(1000, step % 2 == 0 ? 0 : 8, speed: 0.2, at: 330 + Double(step)) }
        #expect(abs((end(trip, at: 400).snappedMeters ?? 0) - 1000) < 1)
        let free = ActiveTrip(Town.ride(.inProgress, route: nil))
        _ = free.drive(0, at: 0)
        _ = free.drive(1000, at: 100)
        free.change(Town.ride(.completed, version: 2, route: nil), at: Town.time(200))
        #expect(free.eta(at: Town.time(200)).snappedMeters == nil)
    }

    @Test("a ride restored during the trip ends with the same distances")
    func restored() throws {
        let trip = ActiveTrip(Town.ride(.inProgress))
        weave(trip, to: 1500, meters: 2200, at: 0)
        let again = ActiveTrip(Town.ride(.inProgress))
        #expect(trip.encoded.withUnsafeBytes { again.restoreProgress($0) })
        _ = trip.eta(at: Town.time(600))
        _ = again.eta(at: Town.time(600))
        for one in [trip, again] { weave(one, from: 1500, to: 3000, meters: 2200, at: 600) }
        let (first, second) = (end(trip, at: 1200), end(again, at: 1200))
        #expect(first == second)
        #expect(first.fareChecks == [.longRoute, .distanceInflation])
    }
}
