import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection
@testable import Support

/// What excuses a jump: the time, the accuracies, and that a receiver has just begun; and nothing beyond.
@Suite struct JumpExcuseTests {
    /// Accuracies of 5 m: in 31 s any vehicle gets 55.6 × 32 + 20 = 1,799 m; one that was not heard 300 m more.
    private static func reach(_ seconds: Double, accuracies: Double = 10) -> Double {
        55.6 * (seconds + 1) + 2 * accuracies
    }

    @Test("100 km every 31 s are never accepted", arguments: [0, 1, 20])
    func everyGap(fixesBefore: Int) {
        let driver = TestDriver()
        driver.drive(for: fixesBefore)
        if fixesBefore == 0 { driver.send(0, at: -1) }
        let begin = Double(max(0, fixesBefore - 1))
        let judgements = (1...20).map { driver.send(Double($0) * 100_000, at: begin + 31 * Double($0)) }
        #expect(judgements.allSatisfy { $0.verdict == .rejected && $0.reasons.contains(.teleportation) })
        #expect(judgements.contains { $0.risk > 0.2 })
    }

    @Test(
        "after a gap of any length a fix is accepted up to 200 km/h and a cold start, and rejected beyond",
        arguments: [10.5, 20, 31, 120, 299], [(-5.0, true), (5, false)])
    func gap(seconds: Double, limit: (beyond: Double, accepted: Bool)) {
        let driver = TestDriver()
        driver.drive(for: 20)
        let judgement = driver.send(190 + Self.reach(seconds) + 300 + limit.beyond, at: 19 + seconds)
        #expect((judgement.verdict == .accepted) == limit.accepted)
        if limit.accepted {
            #expect(judgement.reasons.isEmpty && judgement.risk < 0.05)
        } else {
            #expect(!judgement.reasons.isDisjoint(with: [.teleportation, .impossibleSpeed]) && judgement.risk > 0.2)
        }
    }

    @Test("30 km in 20 s are a teleportation; a driver who stays there is believed again, and the risk is raised")
    func farInAGap() {
        let driver = TestDriver()
        driver.drive(for: 20)
        let judgements = (0..<6).map { driver.send(30_000 + Double($0) * 10, at: 39 + Double($0)) }
        #expect(judgements.map(\.verdict) == [.rejected, .rejected, .rejected, .accepted, .accepted, .accepted])
        #expect(judgements[0].reasons == [.teleportation] && judgements[3].reasons.contains(.relocated))
        #expect(judgements.allSatisfy { $0.risk > 0.2 })
    }

    @Test(
        "at a session's second to fifth fix, too: 3 km at the fourth are rejected",
        arguments: [2, 3, 4, 5], [(425.0, true), (437, false), (3000, false)])
    func firstFixes(number: Int, step: (meters: Double, accepted: Bool)) {
        let driver = TestDriver()
        for index in 1..<number { driver.send(Double(index), at: Double(index)) }
        // In a second 131.2 m, and 300 m of a cold start.
        let judgement = driver.send(Double(number - 1) + step.meters, at: Double(number))
        #expect((judgement.verdict == .accepted) == step.accepted)
        #expect(step.accepted ? judgement.risk < 0.05 : judgement.risk > 0.2)
    }

    @Test(
        "accuracies over 50 m are allowed for twice, and excuse nothing beyond",
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

    @Test("a vehicle that was in a tunnel for five minutes is believed where it comes out", arguments: [20.0, 55])
    func tunnel(speed: Double) {
        let driver = TestDriver()
        for second in 0..<60 { driver.send(Double(second) * speed, at: Double(second)) }
        for second in 359..<420 {
            let judgement = driver.send(Double(second) * speed, at: Double(second))
            #expect(judgement.verdict == .accepted && judgement.reasons.isEmpty && judgement.risk < 0.05)
        }
    }

    @Test("behind a tunnel a receiver may be off by 300 m at first, and come back within seconds")
    func tunnelExit() {
        let driver = TestDriver()
        for second in 0..<60 { driver.send(Double(second) * 20, at: Double(second)) }
        for (index, off) in [300.0, 260, 220, 190, 160, 140, 120, 100, 80, 60, 40, 20, 0, 0, 0].enumerated() {
            let second = 359 + index
            let judgement = driver.send(Double(second) * 20, off, at: Double(second))
            #expect(judgement.verdict == .accepted && judgement.reasons.isEmpty && judgement.risk < 0.1)
        }
    }

    @Test("a cell tower's fix before the satellites' first one makes no jump", arguments: [1000.0, 2000])
    func cellTower(accuracy: Double) {
        let driver = TestDriver()
        driver.template.accuracyMeters = accuracy
        #expect(driver.send(accuracy * 1.5, at: 0).reasons == [.lowAccuracy])
        driver.template.accuracyMeters = 5
        for second in 1..<30 {
            let judgement = driver.send(Double(second) * 10, at: Double(second))
            #expect(judgement.verdict == .accepted && judgement.reasons.isEmpty && judgement.risk < 0.13)
        }
    }

    @Test("a first fix that was wrong costs three fixes, and makes no suspect")
    func wrongFirstFix() {
        let driver = TestDriver()
        driver.send(20_000, at: 0)
        let judgements = (1..<60).map { driver.send(Double($0) * 10, at: Double($0)) }
        #expect(judgements.prefix(3).allSatisfy { $0.verdict == .rejected })
        #expect(judgements.dropFirst(3).allSatisfy { $0.verdict == .accepted })
        #expect(judgements.allSatisfy { $0.risk < 0.4 && $0.reasons.isDisjoint(with: [.suspect, .flagged]) })
    }

    @Test("one wrong fix behind a gap is rejected, and the next one goes on as ever")
    func strayBehindGap() {
        let driver = TestDriver()
        driver.drive(for: 60)
        #expect(driver.send(20_000, at: 100).verdict == .rejected)
        for second in 101..<160 {
            let judgement = driver.send(Double(second) * 10, at: Double(second))
            #expect(judgement.verdict == .accepted && judgement.risk < 0.3)
        }
    }
}

/// Speeds that go on: every fix is within reach of the one before, but not of where the vehicle was.
@Suite struct SteadySpeedTests {
    /// Drives 20 fixes at 198 km/h, then steadily at another speed; answers what became of the fixes from then on.
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
        "no steady speed over 200 km/h goes unnoticed, though every step is within reach",
        arguments: [205.0, 210, 230, 396], [1.0, 4, 9, 15, 31])
    func sustained(kilometersPerHour: Double, interval: Double) {
        let judgements = drive(kilometersPerHour, every: interval, for: 590)
        let reasons: Reasons = [.impossibleSpeed, .teleportation]
        #expect(judgements.contains { $0.verdict == .rejected && !$0.reasons.isDisjoint(with: reasons) })
        // Behind gaps it counts as poor reception does.
        #expect(judgements.contains { $0.risk > (interval > 10 ? 0.2 : 0.5) })
    }

    @Test("at a fix a second such a driver is flagged", arguments: [205.0, 210, 396])
    func flagged(kilometersPerHour: Double) {
        #expect(drive(kilometersPerHour, every: 1, for: 300).contains { $0.isFlagged })
    }

    @Test("a steady 199 km/h is nothing remarkable, for ten minutes or an hour", arguments: [1.0, 4, 9, 15, 31])
    func allowed(interval: Double) {
        for judgement in drive(199, every: interval, for: 3600) {
            #expect(judgement.verdict == .accepted && judgement.reasons.isEmpty)
        }
    }

    @Test("jitter, noise and bends of a fast drive accuse no driver", arguments: 1...10)
    func noisy(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let driver = TestDriver()
        var last = 0.0
        for second in 0..<1200 {
            last = max(last + 0.001, Double(second) + Double.random(in: -0.4...0.4, using: &random))
            driver.template.accuracyMeters = Double.random(in: 4...12, using: &random)
            let north = 2000 * Elementary.sin(Double(second) / 120)
            let judgement = driver.send(
                Double(second) * 45 + 6 * random.normal(), north + 6 * random.normal(), at: last)
            #expect(
                judgement.verdict == .accepted && !judgement.reasons.contains(.impossibleSpeed),
                "seed \(seed), second \(second)")
        }
    }

    @Test("a state restored while a vehicle is too fast notices it at the same fix")
    func restored() throws {
        let driver = TestDriver()
        let other = TestDriver()
        for second in 0..<120 {
            let fix = driver.fix(Double(second) * 57, at: Double(second))
            let bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
                $1 = other.state.encode(into: UnsafeMutableRawBufferPointer($0))
            }
            other.state = try #require(bytes.withUnsafeBytes { DriverState(decoding: $0) })
            #expect(driver.judge(fix).verdict == other.judge(fix).verdict)
            #expect(driver.state == other.state, "second \(second)")
        }
    }
}
