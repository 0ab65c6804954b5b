import TestSupport
import Testing

@testable import Domain
@testable import Support

/// Distances that time, accuracies and a cold start allow.
@Suite struct JumpAllowanceTests {
    /// Returns the reach in metres without a cold start: in 31 s, with accuracies of 5 m, 55.6 × 32 + 20 = 1,799.
    private static func reach(_ seconds: Double, accuracies: Double = 10) -> Double {
        55.6 * (seconds + 1) + 2 * accuracies
    }

    @Test("100 km every 31 s are never accepted", arguments: [0, 1, 20])
    func everyGap(fixesBefore: Int) {
        let driver = TestDriver()
        driver.drive(for: fixesBefore)
        if fixesBefore == 0 { driver.send(0, at: -1) }
        let begin = Double(max(0, fixesBefore - 1))
        let results = (1...20).map { driver.send(Double($0) * 100_000, at: begin + 31 * Double($0)) }
        #expect(results.allSatisfy { $0.verdict == .rejected && $0.reasons.contains(.teleportation) })
        #expect(results.contains { $0.risk > 0.2 })
    }

    @Test(
        "after a gap, a fix is accepted up to the distance of 200 km/h plus 300 m of a cold start",
        arguments: [10.5, 20, 31, 120, 299], [(-5.0, true), (5, false)])
    func gap(seconds: Double, limit: (beyond: Double, accepted: Bool)) {
        let driver = TestDriver()
        driver.drive(for: 20)
        let result = driver.send(190 + Self.reach(seconds) + 300 + limit.beyond, at: 19 + seconds)
        #expect((result.verdict == .accepted) == limit.accepted)
        if limit.accepted {
            #expect(result.reasons.isEmpty && result.risk < 0.05)
        } else {
            #expect(!result.reasons.isDisjoint(with: [.teleportation, .impossibleSpeed]) && result.risk > 0.2)
        }
    }

    @Test("30 km in 20 s are a teleportation; a driver who stays there is accepted again, with a raised risk")
    func farInAGap() {
        let driver = TestDriver()
        driver.drive(for: 20)
        let results = (0..<6).map { driver.send(30_000 + Double($0) * 10, at: 39 + Double($0)) }
        #expect(results.map(\.verdict) == [.rejected, .rejected, .rejected, .accepted, .accepted, .accepted])
        #expect(results[0].reasons == [.teleportation] && results[3].reasons.contains(.relocated))
        #expect(results.allSatisfy { $0.risk > 0.2 })
    }

    @Test(
        "the cold-start allowance also applies to the second to fifth fix of a session",
        arguments: [2, 3, 4, 5], [(425.0, true), (437, false), (3000, false)])
    func firstFixes(number: Int, step: (meters: Double, accepted: Bool)) {
        let driver = TestDriver()
        for index in 1..<number { driver.send(Double(index), at: Double(index)) }
        // 131.2 m in a second, and 300 m of a cold start.
        let result = driver.send(Double(number - 1) + step.meters, at: Double(number))
        #expect((result.verdict == .accepted) == step.accepted)
        #expect(step.accepted ? result.risk < 0.05 : result.risk > 0.2)
    }

    @Test(
        "accuracies over 50 m also count twice",
        arguments: [(60.0, -5.0, true), (60, 5, false), (100, -5, true), (100, 5, false)], [true, false])
    func coarse(_ limit: (accuracy: Double, beyond: Double, accepted: Bool), coarseFirst: Bool) {
        let driver = TestDriver()
        driver.drive(for: 20)
        driver.template.accuracyMeters = coarseFirst ? limit.accuracy : 5
        driver.send(200, at: 20)
        driver.template.accuracyMeters = coarseFirst ? 5 : limit.accuracy
        let reach = Self.reach(1, accuracies: 5 + limit.accuracy)
        #expect((driver.send(200 + reach + limit.beyond, at: 21).verdict == .accepted) == limit.accepted)
    }

    @Test("a vehicle that was in a tunnel for five minutes is accepted at the exit", arguments: [20.0, 55])
    func tunnel(speed: Double) {
        let driver = TestDriver()
        for second in 0..<60 { driver.send(Double(second) * speed, at: Double(second)) }
        for second in 359..<420 {
            let result = driver.send(Double(second) * speed, at: Double(second))
            #expect(result.verdict == .accepted && result.reasons.isEmpty && result.risk < 0.05)
        }
    }

    @Test("a receiver that is off by 300 m after a tunnel and settles within seconds gives no evidence")
    func tunnelExit() {
        let driver = TestDriver()
        for second in 0..<60 { driver.send(Double(second) * 20, at: Double(second)) }
        for (index, off) in [300.0, 260, 220, 190, 160, 140, 120, 100, 80, 60, 40, 20, 0, 0, 0].enumerated() {
            let second = 359 + index
            let result = driver.send(Double(second) * 20, off, at: Double(second))
            #expect(result.verdict == .accepted && result.reasons.isEmpty && result.risk < 0.1)
        }
    }

    @Test("a coarse network position does not make the first GNSS fix a jump", arguments: [1000.0, 2000])
    func cellTower(accuracy: Double) {
        let driver = TestDriver()
        driver.template.accuracyMeters = accuracy
        #expect(driver.send(accuracy * 1.5, at: 0).reasons == [.lowAccuracy])
        driver.template.accuracyMeters = 5
        for second in 1..<30 {
            let result = driver.send(Double(second) * 10, at: Double(second))
            #expect(result.verdict == .accepted && result.reasons.isEmpty && result.risk < 0.13)
        }
    }

    @Test("after a wrong first fix, three fixes are rejected, and the driver is not a suspect")
    func wrongFirstFix() {
        let driver = TestDriver()
        driver.send(20_000, at: 0)
        let results = (1..<60).map { driver.send(Double($0) * 10, at: Double($0)) }
        #expect(results.prefix(3).allSatisfy { $0.verdict == .rejected })
        #expect(results.dropFirst(3).allSatisfy { $0.verdict == .accepted })
        #expect(results.allSatisfy { $0.risk < 0.4 && $0.reasons.isDisjoint(with: [.suspect, .flagged]) })
    }

    @Test("one wrong fix after a gap is rejected, and the next one is accepted")
    func strayAfterGap() {
        let driver = TestDriver()
        driver.drive(for: 60)
        #expect(driver.send(20_000, at: 100).verdict == .rejected)
        for second in 101..<160 {
            let result = driver.send(Double(second) * 10, at: Double(second))
            #expect(result.verdict == .accepted && result.risk < 0.3)
        }
    }
}

/// Sustained speeds, at which each fix may be reachable from the previous fix but not from earlier fixes.
@Suite struct SteadySpeedTests {
    /// Sends 21 fixes at 198 km/h; returns the results of driving on at another constant speed.
    private func drive(_ kilometersPerHour: Double, every interval: Double, for seconds: Double) -> [VerdictResult] {
        let driver = TestDriver()
        (driver.template.speedMetersPerSecond, driver.template.headingDegrees) = (55, 90)
        for index in -20...0 { driver.send(55 * interval * Double(index), at: 700 + interval * Double(index)) }
        let count = Int(seconds / interval)
        return (1...count).map { index in
            let elapsed = Double(index) * interval
            driver.template.speedMetersPerSecond = kilometersPerHour / 3.6
            return driver.send(kilometersPerHour / 3.6 * elapsed, at: 700 + elapsed)
        }
    }

    @Test(
        "sustained speeds from 205 to 396 km/h are detected at any tested interval",
        arguments: [205.0, 210, 230, 396], [1.0, 4, 9, 15, 31])
    func sustained(kilometersPerHour: Double, interval: Double) {
        let results = drive(kilometersPerHour, every: interval, for: 590)
        let reasons: Reasons = [.impossibleSpeed, .teleportation]
        #expect(results.contains { $0.verdict == .rejected && !$0.reasons.isDisjoint(with: reasons) })
        // After gaps, the evidence is ambiguous.
        #expect(results.contains { $0.risk > (interval > 10 ? 0.2 : 0.5) })
    }

    @Test("at one fix a second, a driver over 200 km/h is flagged", arguments: [205.0, 210, 396])
    func flagged(kilometersPerHour: Double) {
        #expect(drive(kilometersPerHour, every: 1, for: 300).contains { $0.isFlagged })
    }

    @Test(
        "a sustained 199 km/h is accepted without reason codes for an hour", arguments: [1.0, 4, 9, 15, 31])
    func allowed(interval: Double) {
        for result in drive(199, every: interval, for: 3600) {
            #expect(result.verdict == .accepted && result.reasons.isEmpty)
        }
    }

    @Test("a fast drive with jitter, noise and bends is accepted", arguments: 1...10)
    func noisy(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let driver = TestDriver()
        var last = 0.0
        for second in 0..<1200 {
            last = max(last + 0.001, Double(second) + Double.random(in: -0.4...0.4, using: &random))
            driver.template.accuracyMeters = Double.random(in: 4...12, using: &random)
            let north = 2000 * Elementary.sin(Double(second) / 120)
            let result = driver.send(
                Double(second) * 45 + 6 * random.normal(), north + 6 * random.normal(), at: last)
            #expect(
                result.verdict == .accepted && !result.reasons.contains(.impossibleSpeed),
                "seed \(seed), second \(second)")
        }
    }

    @Test("a state restored during overspeed gives the same results")
    func restored() throws {
        let driver = TestDriver()
        let other = TestDriver()
        for second in 0..<120 {
            let fix = driver.fix(Double(second) * 57, at: Double(second))
            let bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
                $1 = other.state.encode(into: UnsafeMutableRawBufferPointer($0))
            }
            other.state = try #require(bytes.withUnsafeBytes { DriverState(decoding: $0) })
            #expect(driver.evaluate(fix).verdict == other.evaluate(fix).verdict)
            #expect(driver.state == other.state, "second \(second)")
        }
    }
}
