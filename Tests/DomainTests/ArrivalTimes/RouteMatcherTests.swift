import TestSupport
import Testing

@testable import Domain

@Suite struct RouteMatcherTests {
    private let matcher = RouteMatcher()
    private let street: RouteGeometry

    init() throws { street = try #require(RouteGeometry(points: Town.line([(0, 0), (5000, 0)]))) }

    private func feed(_ match: inout RouteMatch, _ fix: TripEta.Position, on geometry: RouteGeometry) -> Bool {
        matcher.update(&match, with: fix, on: geometry, allowed: 0...geometry.lengthMeters)
    }

    @Test("progress follows the vehicle, and noise does not decrease it")
    func followsMonotonously() {
        var match = RouteMatch()
        var before = 0.0
        for step in 0..<200 {
            let noise = step % 2 == 0 ? 12.0 : -12.0
            #expect(
                feed(&match, Town.position(Double(step) * 10 + noise, noise, heading: 90, at: Double(step)), on: street)
            )
            let along = match.alongMeters ?? -1
            #expect(along >= before)
            before = along
        }
        #expect(abs(before - 1990) < 25)
    }

    /// Simulates ten minutes at 1,000 m, with a noise of 10 m (one standard deviation).
    /// - Returns: the mean progress of the last five minutes, and the last progress.
    private func standing(speed: Double, everySeconds: Double, seed: UInt64) -> (mean: Double, last: Double) {
        var generator = SeededGenerator(seed: seed)
        var match = RouteMatch()
        var sum = 0.0
        let count = Int(600 / everySeconds)
        for step in 0...count {
            let noise = generator.normal() * 10
            let at = Double(step) * everySeconds
            _ = feed(&match, Town.position(1000 + noise, 0, speed: speed, heading: 90, at: at), on: street)
            if step > count / 2 { sum += match.alongMeters ?? 0 }
        }
        return (sum / Double(count - count / 2), match.alongMeters ?? 0)
    }

    @Test("noise does not increase the progress of a standing vehicle", arguments: [1.0, 5, 30], [UInt64(1), 2, 3])
    func standingNoise(everySeconds: Double, seed: UInt64) {
        let mean = standing(speed: 0.2, everySeconds: everySeconds, seed: seed).mean
        #expect(abs(mean - 1000) < 8, "seed \(seed): \(mean)")
    }

    @Test("below the standing speed, progress is a mean of fixes; at or above that speed, it only increases")
    func standingSpeed() {
        let limit = matcher.settings.standingSpeedMetersPerSecond
        #expect(standing(speed: limit.nextDown, everySeconds: 1, seed: 4).last < 1010)
        #expect(standing(speed: limit, everySeconds: 1, seed: 4).last > 1020)
    }

    @Test("a vehicle that stops between two fixes is matched at its new position at once")
    func standsAtOnce() {
        var match = RouteMatch()
        _ = feed(&match, Town.position(1000, 0, speed: 10, heading: 90, at: 0), on: street)
        _ = feed(&match, Town.position(1200, 0, speed: 0, heading: 90, at: 30), on: street)
        #expect(abs((match.alongMeters ?? 0) - 1200) < 1)
    }

    @Test(
        "three fixes more than 60 m away make the trip off route; nearer fixes do not",
        arguments: [(59.0, false), (62.0, true)])
    func offRoute(distance: Double, expected: Bool) {
        var match = RouteMatch()
        _ = feed(&match, Town.position(1000, 0, heading: 90, at: 0), on: street)
        for step in 1...3 {
            #expect(!match.isOffRoute)
            _ = feed(
                &match, Town.position(1000 + Double(step) * 10, distance, heading: 90, at: Double(step)), on: street)
        }
        #expect(match.isOffRoute == expected)
        #expect(abs((match.distanceMeters ?? 0) - distance) < 0.5)
    }

    @Test("a vehicle exactly at the distance limit is on the route")
    func exactLimit() throws {
        var settings = MatchingSettings()
        var match = RouteMatch()
        _ = feed(&match, Town.position(1000, 60, heading: 90, at: 0), on: street)
        settings.offRouteMeters = try #require(match.distanceMeters)
        match = RouteMatch()
        let range = 0...street.lengthMeters
        let fix = Town.position(1000, 60, heading: 90, at: 0)
        #expect(RouteMatcher(settings: settings).update(&match, with: fix, on: street, allowed: range))
        settings.offRouteMeters = settings.offRouteMeters.nextDown
        match = RouteMatch()
        #expect(!RouteMatcher(settings: settings).update(&match, with: fix, on: street, allowed: range))
    }

    @Test("two distant fixes do not make the trip off route, and a fix on the route restarts the count")
    func interrupted() {
        var match = RouteMatch()
        for (step, north) in [0.0, 90, 90, 0, 90, 90].enumerated() {
            _ = feed(&match, Town.position(1000 + Double(step) * 10, north, heading: 90, at: Double(step)), on: street)
        }
        #expect(!match.isOffRoute)
    }

    @Test("a vehicle is back on the route when it drives along the route, not when it crosses the route")
    func back() {
        var match = RouteMatch()
        _ = feed(&match, Town.position(1000, 0, heading: 90, at: 0), on: street)
        for step in 1...3 {
            _ = feed(&match, Town.position(1000, Double(step) * 100, heading: 0, at: Double(step) * 10), on: street)
        }
        #expect(match.isOffRoute)
        #expect(!feed(&match, Town.position(1500, 10, heading: 180, at: 60), on: street))
        #expect(match.isOffRoute)
        #expect(feed(&match, Town.position(1600, 5, heading: 90, at: 70), on: street))
        #expect(!match.isOffRoute)
        #expect(abs((match.alongMeters ?? 0) - 1600) < 1)
    }

    @Test("a vehicle that returns to the route far behind its last match is matched at its first fix there")
    func backBehind() {
        var match = RouteMatch()
        _ = feed(&match, Town.position(2000, 0, heading: 90, at: 0), on: street)
        for step in 1...3 { _ = feed(&match, Town.position(1700, 200, heading: 270, at: Double(step) * 5), on: street) }
        #expect(match.isOffRoute)
        var crossing = match
        #expect(
            !feed(&crossing, Town.position(1400, 10, heading: 180, at: 20), on: street), "crossing is not driving along"
        )
        #expect(crossing.isOffRoute)
        #expect(feed(&match, Town.position(1400, 5, heading: 90, at: 20), on: street))
        #expect(!match.isOffRoute)
        #expect(abs((match.alongMeters ?? 0) - 1400) < 1)
    }

    @Test("continuity and heading distinguish the two passes of an out-and-back street")
    func outAndBack() throws {
        let geometry = try #require(RouteGeometry(points: Town.line([(0, 0), (1000, 0), (0, 0)])))
        var match = RouteMatch()
        for step in 0...198 {
            let along = Double(step) * 10
            let east = along <= 1000 ? along : 2000 - along
            let heading = along < 1000 ? 90.0 : 270.0
            _ = feed(&match, Town.position(east, 3, heading: heading, at: Double(step)), on: geometry)
            #expect(abs((match.alongMeters ?? -1) - along) < 25, "at \(along)")
        }
        // Without earlier fixes, only the heading determines the pass.
        match = RouteMatch()
        _ = feed(&match, Town.position(400, 3, heading: 270, at: 0), on: geometry)
        #expect(abs((match.alongMeters ?? -1) - 1600) < 1)
        match = RouteMatch()
        _ = feed(&match, Town.position(400, 3, heading: nil, at: 0), on: geometry)
        #expect(abs((match.alongMeters ?? -1) - 400) < 1, "without a heading the earlier pass is matched")
    }

    @Test("a route that crosses itself is matched through the crossing")
    func crossing() throws {
        let geometry = try #require(
            RouteGeometry(points: Town.line([(0, 0), (1000, 0), (1000, 500), (500, 500), (500, -500)])))
        var match = RouteMatch()
        var along = 0.0
        while along < 2990 {
            let point = geometry.coordinate(at: along)
            let ahead = geometry.coordinate(at: along + 1)
            let heading = Geodesy.bearingDegrees(from: point, to: ahead)
            let fix = TripEta.Position(
                coordinate: point, headingDegrees: heading, speedMetersPerSecond: 10, accuracyMeters: 5,
                fixedAt: Town.time(along / 10))
            #expect(feed(&match, fix, on: geometry))
            #expect(abs((match.alongMeters ?? -1) - along) < 15, "at \(along)")
            along += 10
        }
    }

    @Test("a vehicle that reappears farther along the route is matched with its second fix")
    func reappears() {
        var match = RouteMatch()
        _ = feed(&match, Town.position(500, 0, heading: 90, at: 0), on: street)
        #expect(!feed(&match, Town.position(3000, 0, heading: 90, at: 5), on: street))
        #expect(abs((match.alongMeters ?? 0) - 500) < 1)
        #expect(feed(&match, Town.position(3050, 0, heading: 90, at: 10), on: street))
        #expect(abs((match.alongMeters ?? 0) - 3050) < 1)
    }

    @Test("after a gap, a reachable position is matched at once")
    func silence() {
        var match = RouteMatch()
        _ = feed(&match, Town.position(500, 0, heading: 90, at: 0), on: street)
        #expect(feed(&match, Town.position(3500, 0, heading: 90, at: 120), on: street))
        #expect(abs((match.alongMeters ?? 0) - 3500) < 1)
    }

    @Test("reversing up to 50 m does not reduce progress; three fixes farther back do")
    func backing() {
        var match = RouteMatch()
        _ = feed(&match, Town.position(1000, 0, heading: 90, at: 0), on: street)
        #expect(feed(&match, Town.position(960, 0, speed: 1, at: 5), on: street))
        #expect(abs((match.alongMeters ?? 0) - 1000) < 1)
        for (step, east) in [940.0, 920, 900].enumerated() {
            #expect(abs((match.alongMeters ?? 0) - 1000) < 1)
            #expect(feed(&match, Town.position(east, 0, speed: 1, at: 10 + Double(step) * 5), on: street))
        }
        #expect(abs((match.alongMeters ?? 0) - 900) < 1)
    }

    @Test("a vehicle that skips the far end of an out-and-back street is matched on the second pass")
    func shortTurn() throws {
        let geometry = try #require(RouteGeometry(points: Town.line([(0, 0), (3000, 0), (0, 0)])))
        var match = RouteMatch()
        for step in 0...100 {
            _ = feed(&match, Town.position(Double(step) * 10, 0, heading: 90, at: Double(step)), on: geometry)
        }
        for step in 1...20 {
            let east = 1000 - Double(step) * 10
            _ = feed(&match, Town.position(east, 0, heading: 270, at: 100 + Double(step)), on: geometry)
        }
        #expect(abs((match.alongMeters ?? 0) - 5200) < 30)
    }

    @Test("matches stay within the allowed part of the route")
    func permitted() {
        var match = RouteMatch()
        _ = matcher.update(&match, with: Town.position(2000, 0, heading: 90, at: 0), on: street, allowed: 0...1990)
        #expect((match.alongMeters ?? .infinity) <= 1990)
    }
}
