import TestSupport
import Testing

@testable import Domain

/// A latitude or a longitude of exactly 0 is valid; both together mean a device without a position.
@Suite struct ZeroCoordinateTests {
    /// Returns the results of 200 fixes at 9 m/s along the meridian or the parallel.
    private static func results(
        from origin: Coordinate, alongMeridian: Bool, noiseMeters: Double, interval: Double
    ) -> [VerdictResult] {
        var random = SeededGenerator(seed: 91)
        let driver = TestDriver()
        driver.plane = TangentPlane(origin: origin)
        driver.template.speedMetersPerSecond = 9
        driver.template.headingDegrees = alongMeridian ? 0 : 90
        return stride(from: 0, to: 200 * interval, by: interval).map { second in
            let (along, across) = (9 * second + noiseMeters * random.normal(), noiseMeters * random.normal())
            return alongMeridian ? driver.send(across, along, at: second) : driver.send(along, across, at: second)
        }
    }

    @Test(
        "a vehicle on the prime meridian or on the equator is accepted from its first fix on",
        arguments: [0.0, 2])
    func onZero(noiseMeters: Double) {
        for interval in [1.0, 5, 30] {
            for (origin, alongMeridian) in [
                (Coordinate(latitude: 51.4, longitude: 0), true), (Coordinate(latitude: -5.5, longitude: 0), true),
                (Coordinate(latitude: 0, longitude: 36.8), false), (Coordinate(latitude: 0, longitude: -78.5), false),
            ] {
                let results = Self.results(
                    from: origin, alongMeridian: alongMeridian, noiseMeters: noiseMeters, interval: interval)
                #expect(results.allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 }, "\(origin) \(interval)")
            }
        }
    }

    @Test("only (0, 0) is rejected", arguments: [(0.0, 0.0, false), (0, 1e-7, true), (-1e-7, 0, true)])
    func nullIsland(latitude: Double, longitude: Double, isValid: Bool) {
        let driver = TestDriver()
        var fix = driver.fix(0, at: 0)
        fix.coordinate = Coordinate(latitude: latitude, longitude: longitude)
        let result = driver.evaluate(fix)
        #expect((result.verdict == .accepted) == isValid)
        #expect(result.reasons.contains(.nullIsland) != isValid)
    }
}
