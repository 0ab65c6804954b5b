import Testing

@testable import Domain
@testable import Support

@Suite struct ArrivalDetectorTests {
    private func arrives(distance: Double, speed: Double, seconds: Double) -> Bool {
        var detector = ArrivalDetector()
        let start = Timestamp(milliseconds: 1_000_000)
        for time in [start, start.advanced(bySeconds: seconds / 2), start.advanced(bySeconds: seconds)] {
            detector.update(
                distanceMeters: distance, speedMetersPerSecond: speed, at: time, settings: ArrivalDetector.Settings())
        }
        return detector.hasArrived
    }

    @Test("an arrival requires a distance of at most 40 m", arguments: [(39.9, true), (40.0, true), (40.1, false)])
    func radius(distance: Double, expected: Bool) {
        #expect(arrives(distance: distance, speed: 0.3, seconds: 12) == expected)
    }

    @Test("an arrival requires a speed below 2 m/s", arguments: [(1.9, true), (2.0, false), (2.1, false)])
    func speed(speed: Double, expected: Bool) {
        #expect(arrives(distance: 10, speed: speed, seconds: 12) == expected)
    }

    @Test("an arrival requires at least 10 s near the stop", arguments: [(9.9, false), (10.0, true), (10.1, true)])
    func dwell(seconds: Double, expected: Bool) {
        #expect(arrives(distance: 10, speed: 0.3, seconds: seconds) == expected)
    }

    @Test("driving on restarts the minimum duration")
    func interrupted() {
        var detector = ArrivalDetector()
        let settings = ArrivalDetector.Settings()
        let start = Timestamp(milliseconds: 0)
        detector.update(distanceMeters: 10, speedMetersPerSecond: 0, at: start, settings: settings)
        detector.update(
            distanceMeters: 10, speedMetersPerSecond: 5, at: start.advanced(bySeconds: 6), settings: settings)
        detector.update(
            distanceMeters: 10, speedMetersPerSecond: 0, at: start.advanced(bySeconds: 8), settings: settings)
        detector.update(
            distanceMeters: 10, speedMetersPerSecond: 0, at: start.advanced(bySeconds: 12), settings: settings)
        #expect(!detector.hasArrived)
    }
}
