import Testing

@testable import Domain

/// Positions shown to riders, on a street that leads east.
@Suite struct RouteFusionTests {
    private let fusion = RouteFusion()

    /// Returns a ride in progress after `fixes` fixes, one per second, `north` metres north of the street.
    private func trip(
        fixes: Int = 5, north: Double, accuracy: Double, heading: Double? = 90, speed: Double = 10,
        settings: ArrivalSettings = ArrivalSettings()
    ) -> ActiveTrip {
        let trip = ActiveTrip(
            Town.ride(.inProgress), estimator: ArrivalEstimator(settings: settings), at: Town.start)
        for step in 0..<fixes {
            var position = Town.position(
                200 + speed * Double(step), north, speed: speed, heading: heading, at: Double(step))
            position.accuracyMeters = accuracy
            trip.update(
                position: position, isHalted: false, confidence: .low, occupancyPercent: nil,
                at: Town.time(Double(step)))
        }
        return trip
    }

    /// Returns the metres by which the shown position is north of the street.
    private func shownNorth(_ trip: ActiveTrip) throws -> Double {
        let position = try #require(trip.progress.publishedPosition)
        return Town.plane.point(of: position.coordinate).north
    }

    @Test("a position with an error of up to 5 m per axis is shown as measured")
    func known() throws {
        let limit = fusion.knownMeters * RouteFusion.radiusPerSigma
        #expect(fusion.share(accuracyMeters: limit - 0.01, variance: 64) == 0)
        #expect(abs(fusion.share(accuracyMeters: limit, variance: 64)) < 1e-12)
        let share = fusion.share(accuracyMeters: limit + 0.01, variance: 64)
        #expect(share > 0 && share < 0.01)
        let trip = trip(north: 20, accuracy: limit - 0.01)
        #expect(trip.progress.shown == nil && trip.progress.publishedPosition == trip.progress.position)
    }

    @Test("an inaccurate position is moved towards its street and becomes more accurate")
    func poor() throws {
        let trip = trip(north: 20, accuracy: 30)
        let (published, measured) = (
            try #require(trip.progress.publishedPosition), try #require(trip.progress.position)
        )
        #expect((1...5).contains(try shownNorth(trip)))
        let (shown, own) = (Town.plane.point(of: published.coordinate), Town.plane.point(of: measured.coordinate))
        #expect(abs(shown.east - own.east) < 0.1)
        #expect(published.accuracyMeters < 26 && published.accuracyMeters > 15)
        #expect(published.headingDegrees == measured.headingDegrees && published.fixedAt == measured.fixedAt)
        #expect(trip.eta(at: Town.time(5)).position == published)
    }

    @Test("a position is moved half way if its variance above the known 25 m² equals the route's")
    func half() {
        let accuracy = (25.0 + 64).squareRoot() * RouteFusion.radiusPerSigma
        #expect(abs(fusion.share(accuracyMeters: accuracy, variance: 64) - 0.5) < 1e-12)
        #expect(fusion.share(accuracyMeters: 1e6, variance: 64) < 1)
    }

    @Test("a vehicle across, against or off its street is shown as measured")
    func elsewhere() {
        for heading in [0.0, 180, 270] {
            #expect(trip(north: 10, accuracy: 30, heading: heading).progress.shown == nil, "\(heading)°")
        }
        #expect(trip(north: 62, accuracy: 30).progress.shown == nil)
        #expect(trip(north: 58, accuracy: 30).progress.shown != nil)
        #expect(trip(north: 10, accuracy: 30, heading: nil).progress.shown != nil, "without a heading")
    }

    @Test("below 4 m/s, the heading is not used", arguments: [3.9, 4.0, 4.1])
    func slow(speed: Double) {
        #expect((trip(north: 10, accuracy: 30, heading: 0, speed: speed).progress.shown != nil) == (speed < 4))
    }

    @Test("a constant offset from the street is learned")
    func parallelStreet() throws {
        let early = try shownNorth(trip(fixes: 2, north: 25, accuracy: 12))
        let late = try shownNorth(trip(fixes: 200, north: 25, accuracy: 12))
        #expect(early < 20 && late > 22, "\(early) m and \(late) m")
    }

    @Test("accurate positions update the learned error without being moved")
    func knownWell() {
        let trip = trip(fixes: 200, north: 25, accuracy: 5)
        #expect(trip.progress.shown == nil && trip.progress.routeVariance > 500)
        #expect(!fusion.isPoor(accuracyMeters: fusion.knownMeters * RouteFusion.radiusPerSigma - 0.01))
        #expect(fusion.isPoor(accuracyMeters: fusion.knownMeters * RouteFusion.radiusPerSigma + 0.01))
    }

    @Test("standing does not update the learned error")
    func standing() {
        let trip = trip(fixes: 100, north: 25, accuracy: 12, heading: nil, speed: 0)
        #expect(trip.progress.routeVariance == fusion.initialVariance)
        #expect(trip.progress.shown != nil)
    }

    @Test("the learned error has a minimum of 3 m")
    func least() {
        var variance = fusion.initialVariance
        for _ in 0..<2000 { fusion.learn(&variance, distanceMeters: 0, accuracyMeters: 30) }
        #expect(abs(variance - 9) < 0.01)
    }

    @Test("driven distance does not depend on the fusion")
    func fare() {
        var settings = ArrivalSettings()
        let fused = trip(fixes: 50, north: 20, accuracy: 30, settings: settings)
        settings.fusion.knownMeters = 1000
        let measured = trip(fixes: 50, north: 20, accuracy: 30, settings: settings)
        #expect(fused.progress.shown != nil && measured.progress.shown == nil)
        #expect(fused.progress.drivenMeters == measured.progress.drivenMeters && fused.progress.drivenMeters > 400)
        #expect(fused.progress.match == measured.progress.match)
    }

    @Test("a new route resets the learned error")
    func replanned() {
        let trip = trip(fixes: 100, north: 25, accuracy: 12)
        #expect(trip.progress.routeVariance > 200)
        var next = Town.ride(.inProgress, version: 2, route: Town.route([(0, 40), (3000, 40)]))
        next.changedAt = Town.time(100)
        trip.change(next, at: Town.time(100))
        #expect(trip.progress.routeVariance == fusion.initialVariance && trip.progress.shown == nil)
    }

    @Test("invalid settings are reported")
    func problems() {
        #expect(fusion.problems().isEmpty)
        var broken = fusion
        (broken.mapErrorMeters, broken.knownMeters, broken.learningShare) = (0, -1, 1.5)
        broken.headingSpeedMetersPerSecond = -1
        #expect(broken.problems().count == 4)
        var settings = ArrivalSettings()
        settings.fusion = broken
        #expect(settings.problems().count == 4)
    }
}
