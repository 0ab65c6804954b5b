import Testing

@testable import Domain

@Suite struct QualityTests {
    @Test(
        "a fix with an accuracy of up to 100 m is used, a less accurate fix is not",
        arguments: [(99.9, true), (100, true), (100.1, false)])
    func limit(accuracy: Double, used: Bool) {
        let driver = TestDriver()
        driver.template.accuracyMeters = accuracy
        let result = driver.send(0, at: 0)
        #expect((result.verdict == .accepted) == used)
        #expect(result.reasons.contains(.lowAccuracy) != used)
        #expect((result.estimate != nil) == used)
    }

    @Test(
        "a position that the device marks invalid is rejected and does not change the position",
        arguments: [0.0, 1200])
    func invalidPosition(north: Double) {
        for isUnlimited in [true, false] {
            let driver = isUnlimited ? TestDriver() : TestDriver(TrackingSettings())
            for second in 0..<6 { driver.send(Double(second) * 300, at: Double(second) * 30) }
            let before = driver.state
            var fix = driver.fix(1800, north, at: 180)
            fix.accuracyMeters = nil
            fix.hasInvalidPosition = true
            let result = driver.evaluate(fix)
            #expect(result.verdict == .rejected && result.reasons == .lowAccuracy)
            #expect(result.estimate == nil && result.risk < 0.02)
            #expect(driver.state.lastAccepted == before.lastAccepted && driver.state.motion == before.motion)
            #expect(driver.send(2100, at: 210).verdict != .rejected)
        }
    }

    @Test("a negative accuracy marks an invalid position; 0 and no accuracy do not", arguments: [-1, -0.001, 0, nil])
    func negativeAccuracy(accuracy: Double?) {
        let driver = TestDriver()
        driver.template.accuracyMeters = accuracy
        let result = driver.send(0, at: 0)
        #expect((result.verdict == .accepted) == (accuracy.map { $0 >= 0 } ?? true))
    }

    @Test("a fix with 90 m accuracy weighs less than one with 5 m")
    func weight() {
        func shift(accuracy: Double) -> Double {
            let driver = TestDriver()
            driver.drive(for: 30)
            driver.template.accuracyMeters = accuracy
            let result = driver.send(300, 6, at: 30)
            return result.estimate.map { driver.plane.point(of: $0.coordinate).north } ?? .infinity
        }
        #expect(shift(accuracy: 90) < shift(accuracy: 5) / 5)
    }

    @Test("(0, 0) is rejected, and its sequence does not count as lost")
    func nullIsland() {
        let driver = TestDriver()
        driver.send(0, at: 0, sequence: 1)
        var fix = driver.fix(0, at: 1, sequence: 2)
        fix.coordinate = Coordinate(latitude: 0, longitude: 0)
        let result = driver.evaluate(fix)
        #expect(result.verdict == .rejected && result.reasons == [.nullIsland])
        #expect(driver.send(20, at: 2, sequence: 3).lostFixes == 0)
    }

    @Test("a position near (0, 0) is accepted")
    func nearNullIsland() {
        let driver = TestDriver()
        var fix = driver.fix(0, at: 0)
        fix.coordinate = Coordinate(latitude: 0, longitude: 0.00001)
        #expect(driver.evaluate(fix).verdict == .accepted)
    }

    @Test("invalid numbers do not trap; invalid coordinates are rejected")
    func invalidNumbers() {
        let numbers = [Double.nan, .infinity, -.infinity, -1, 1e300, 0]
        let driver = TestDriver()
        driver.drive(for: 10)
        for (index, number) in numbers.enumerated() {
            var fix = driver.fix(100, at: 10 + Double(index))
            fix.accuracyMeters = number
            fix.speedMetersPerSecond = number
            fix.headingDegrees = number
            fix.altitudeMeters = number
            let estimate = driver.evaluate(fix).estimate
            #expect(estimate.map { $0.coordinate.latitude.isFinite && $0.accuracyMeters.isFinite } ?? true)
        }
        for number in [Double.nan, .infinity, 1e300, 90.001] {
            var fix = driver.fix(100, at: 20)
            fix.coordinate = Coordinate(latitude: number, longitude: 0)
            #expect(driver.evaluate(fix).verdict == .rejected)
        }
    }
}
