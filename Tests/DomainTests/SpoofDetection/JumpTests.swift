import TestSupport
import Testing

@testable import Domain

@Suite struct JumpTests {
    /// With accuracies of 5 m, the reach of one second is 55.6 × 2 + 2 × 10 = 131.2 m.
    @Test(
        "a step within the reach is accepted, a longer step is rejected", arguments: [(131.0, true), (131.5, false)])
    func reach(meters: Double, accepted: Bool) {
        let driver = TestDriver()
        driver.drive(for: 20)
        let result = driver.send(190 + meters, at: 20)
        #expect((result.verdict == .accepted) == accepted)
        if !accepted { #expect(result.reasons == [.impossibleSpeed] && result.estimate == nil) }
    }

    @Test(
        "a step over a kilometre is a teleportation, with its distance and time in the warning",
        arguments: [(999.0, false), (1001, true)])
    func teleportation(meters: Double, isTeleportation: Bool) throws {
        let driver = TestDriver()
        driver.drive(for: 20)
        let result = driver.send(190 + meters, at: 20)
        let expected: Reasons = isTeleportation ? .teleportation : .impossibleSpeed
        #expect(result.reasons == expected)
        let warning = try #require(result.warnings.first)
        #expect(warning.reason == expected && warning.action == .reject)
        #expect(abs(try #require(warning.evidence.distanceMeters) - meters) < 1)
        #expect(warning.evidence.seconds == 1)
    }

    @Test("a missing accuracy is assumed to be 15 m", arguments: [(170.0, true), (172, false)])
    func unknownAccuracy(meters: Double, accepted: Bool) {
        let driver = TestDriver()
        driver.template.accuracyMeters = nil
        driver.drive(for: 20)
        #expect((driver.send(190 + meters, at: 20).verdict == .accepted) == accepted)
    }

    @Test("one outlier is rejected, and the next good fix is accepted without reason codes")
    func outlier() {
        let driver = TestDriver()
        driver.drive(for: 20)
        #expect(driver.send(5000, at: 20).verdict == .rejected)
        let next = driver.send(210, at: 21)
        #expect(next.verdict == .accepted && next.reasons.isEmpty && next.risk < 0.5)
    }

    @Test("a jump that three more fixes confirm is accepted as a relocation, and the risk stays raised")
    func relocation() throws {
        let driver = TestDriver()
        driver.drive(for: 20)
        let results = (0..<6).map { driver.send(9000 + Double($0) * 10, at: 20 + Double($0)) }
        #expect(results.map(\.verdict) == [.rejected, .rejected, .rejected, .accepted, .accepted, .accepted])
        #expect(results[3].reasons.contains(.relocated))
        #expect(results[3].risk >= 0.7)
        let estimate = try #require(results[3].estimate)
        #expect(abs(driver.plane.point(of: estimate.coordinate).east - 9030) < 1)
        #expect(!results[4].reasons.contains(.relocated))
    }

    @Test("fixes that disagree confirm no jump")
    func disagreement() {
        let driver = TestDriver()
        driver.drive(for: 20)
        for (index, east) in [9000.0, -9000, 9000, -9000, 9000, -9000].enumerated() {
            #expect(driver.send(east, at: 20 + Double(index)).verdict == .rejected)
        }
        #expect(driver.send(260, at: 26).verdict == .accepted)
    }

    @Test("an immediately repeated position does not confirm a jump")
    func staleConfirmation() {
        let driver = TestDriver()
        driver.drive(for: 20)
        for index in 0..<6 { #expect(driver.send(9000, at: 20 + Double(index) / 10).verdict == .rejected) }
    }

    @Test("a jump that becomes reachable is a relocation, whose little evidence is kept for a quarter of an hour")
    func reachable() {
        let driver = TestDriver()
        driver.drive(for: 20)
        #expect(driver.send(350, at: 20).verdict == .rejected)
        let result = driver.send(360, at: 21.5)
        #expect(result.verdict == .accepted && result.reasons == [.relocated])
        #expect((0.1...0.2).contains(result.risk))
        // The evidence is kept for a quarter of an hour, rounded to minutes.
        for second in stride(from: 25.0, to: 895, by: 5) { #expect(driver.send(360, at: second).risk > 0.1) }
        for second in stride(from: 895.0, to: 1500, by: 5) { driver.send(360, at: second) }
        #expect(driver.send(360, at: 1500).risk < 0.12)
    }

    @Test("a new session far away is a jump, also if two devices alternate; a reachable session is not a jump")
    func sessions() {
        let driver = TestDriver()
        driver.template.sessionHash = 1
        for second in 0..<20 { driver.send(Double(second) * 10, at: Double(second), sequence: Int64(second)) }
        driver.template.sessionHash = 2
        // The reach of a second, 131.2 m, and 300 m of a cold start.
        let near = driver.send(190 + 430, at: 20, sequence: 0)
        #expect(near.verdict == .accepted && near.reasons.isEmpty && near.risk < 0.05)
        for second in 21..<40 { driver.send(620 + Double(second), at: Double(second), sequence: Int64(second)) }
        driver.template.sessionHash = 3
        #expect(driver.send(30_000, at: 40, sequence: 0).reasons.contains(.teleportation))
        driver.template.sessionHash = 2
        #expect(driver.send(660, at: 41, sequence: 41).verdict == .accepted)
        driver.template.sessionHash = 3
        #expect(driver.send(30_000, at: 42, sequence: 2).verdict == .rejected)
    }

    @Test("180 km/h is accepted without reason codes")
    func motorway() {
        let driver = TestDriver()
        for second in 0..<120 { #expect(driver.send(Double(second) * 50, at: Double(second)).reasons.isEmpty) }
    }

    @Test("timestamps with errors of up to 0.9 s give no reason code")
    func jitter() {
        let seed: UInt64 = 12
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        var last = 0.0
        for second in 0..<1800 {
            last = max(last + 0.001, Double(second) + Double.random(in: -0.9...0.9, using: &random))
            driver.template.speedMetersPerSecond = 36
            let result = driver.send(Double(second) * 36, at: last)
            #expect(result.verdict == .accepted && result.reasons.isEmpty, "seed \(seed), second \(second)")
        }
    }

    @Test("a position repeated for over 10 s counts as a gap for the reach of the next position")
    func staleRepeats() {
        let driver = TestDriver()
        driver.drive(for: 20)
        for index in 1...110 { #expect(driver.send(190, at: 19 + Double(index) / 10).verdict == .accepted) }
        #expect(driver.send(900, at: 30.1).verdict == .accepted)
    }

    /// From standstill, with accuracies of 5 m, the reach is 3 m/s² × (seconds + 1)² + 20 m: 95 m in 4 s.
    @Test(
        "from four seconds on, a distance that requires more than 6 m/s² throughout is a jump",
        arguments: [(4.0, 94.0, true), (4, 96, false), (3.9, 110, true), (8, 262, true), (8, 264, false)])
    func acceleration(seconds: Double, meters: Double, accepted: Bool) {
        let driver = TestDriver()
        driver.template.speedMetersPerSecond = 0
        for second in 0..<20 { driver.send(0, at: Double(second)) }
        let result = driver.send(meters, at: 19 + seconds)
        #expect((result.verdict == .accepted) == accepted)
        if !accepted { #expect(result.reasons == [.kinematicAnomaly]) }
    }

    @Test("an unreachable relocation keeps the risk raised, below the release threshold")
    func staysRaised() {
        let driver = TestDriver()
        driver.drive(for: 20)
        for second in 20..<24 { driver.send(9000 + Double(second) * 10, at: Double(second)) }
        var risk = 1.0
        for second in 24..<800 { risk = driver.send(9000 + Double(second) * 10, at: Double(second)).risk }
        #expect(risk > 0.25 && risk < 0.3)
    }

    @Test("a jump after a halt is rejected, but adds little evidence")
    func standing() {
        let driver = TestDriver()
        for second in 0..<10 { driver.send(Double(second) * 3, at: Double(second)) }
        for second in 10..<60 { driver.send(27, at: Double(second)) }
        let results = (60..<70).map { driver.send(600 + Double($0), at: Double($0)) }
        #expect(results.prefix(3).allSatisfy { $0.verdict == .rejected })
        #expect(results.suffix(6).allSatisfy { $0.verdict == .accepted && $0.risk < 0.5 })
    }
}
