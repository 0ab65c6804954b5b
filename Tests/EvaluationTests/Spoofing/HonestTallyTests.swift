import Testing

@testable import Domain
@testable import Evaluation
@testable import Support

struct HonestTallyTests {
    private static let start = Timestamp(milliseconds: 1_750_000_000_000)

    /// Makes a trace with a fix at each of these seconds, `meters` apart.
    private func trace(at seconds: [Double], meters: Double = 0) -> ReceivedTrace {
        var trace = ReceivedTrace(name: "t", origin: "o")
        let plane = TangentPlane(origin: Coordinate(latitude: 48, longitude: 11))
        for (index, second) in seconds.enumerated() {
            var fix = Fix(coordinate: plane.coordinate(of: .init(east: Double(index) * meters, north: 0)))
            fix.deviceAt = Self.start.advanced(bySeconds: second)
            trace.append(fix, receivedAt: Self.start.advanced(bySeconds: second))
        }
        return trace
    }

    private func outcomes(_ trace: ReceivedTrace, rejected: Set<Int> = [], risk: [Int: Float] = [:]) -> [FixOutcome] {
        trace.fixes.indices.map { index in
            FixOutcome(
                at: trace.measuredAt(index), isRejected: rejected.contains(index),
                reasons: rejected.contains(index) ? .teleportation : [], warned: [], risk: risk[index] ?? 0.02)
        }
    }

    @Test("rejections because of network, clock, GNSS conditions or the driver's risk are not evidence of spoofing")
    func spoofReasons() {
        for (code, reason) in Reasons.all {
            let outcome = FixOutcome(at: Self.start, isRejected: true, reasons: reason, warned: [], risk: 0)
            let others: Reasons = [
                .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .relocated, .gnssDisturbance, .suspect, .flagged,
            ]
            #expect(outcome.isRejectedAsSpoofed == !others.contains(reason), "\(code)")
        }
    }

    @Test("a fix rejected because of the clock is lost, but not rejected as spoofed")
    func clockSkew() {
        let outcome = FixOutcome(at: Self.start, isRejected: true, reasons: .clockSkew, warned: [], risk: 0)
        #expect(outcome.isLost && !outcome.isRejectedAsSpoofed)
        let late = FixOutcome(at: Self.start, isRejected: false, reasons: .clockSkew, warned: [], risk: 0)
        #expect(!late.isLost)
    }

    @Test("losses are counted by driver over all traces, including CLOCK_SKEW")
    func lossesByDriver() throws {
        var tally = HonestTally()
        for (driver, rejected) in [("a", Set([1, 2])), ("a", [0]), ("b", [])] {
            var trace = trace(at: [0, 1, 2, 3])
            trace.driver = driver
            var outcomes = outcomes(trace, rejected: rejected)
            for index in rejected where index > 0 { outcomes[index].reasons = .clockSkew }
            tally.add(trace, outcomes, [false, false, false, false])
        }
        let row = SpoofingReport.Honest("r", tally)
        #expect(row.drivers == 2 && row.losingDrivers == 1)
        #expect(row.counts.rejectedFixes == 3 && row.counts.clockSkewFixes == 2)
        let loss = try #require(row.losses.first)
        #expect(row.losses.count == 1 && loss.driver == "a" && loss.fixes == 8)
        #expect(loss.rejectedFixes == 3 && loss.clockSkewFixes == 2 && loss.rejectedShare == 0.375)
        #expect(row.counts.rejections == ["CLOCK_SKEW": 2, "TELEPORTATION": 1])
    }

    @Test("alarms within 60 s after a gap of more than 10 s are counted separately", arguments: [(10.0, 0), (10.1, 1)])
    func gaps(gap: Double, expected: Int) {
        let trace = trace(at: [0, 1, 1 + gap, 2 + gap])
        var tally = HonestTally()
        tally.add(trace, outcomes(trace, rejected: [3]), [false, false, false, false])
        #expect(tally.counts.rejectedFixes == 1)
        #expect(tally.counts.withinMinuteOfGap.rejections == expected)
    }

    @Test("alarms within 60 s after a tunnel are counted separately", arguments: [(60.0, 1), (60.1, 0)])
    func tunnels(after: Double, expected: Int) {
        var trace = trace(at: [0, 5, 5 + after])
        trace.signalReturns = [Self.start.advanced(bySeconds: 5)]
        var tally = HonestTally()
        tally.add(trace, outcomes(trace, risk: [2: 0.8]), [false, false, false])
        #expect(tally.counts.withinMinuteOfTunnelOrColdStart.suspects == expected)
        #expect(tally.counts.suspectOnsets == 1 && tally.falseAlarms.count == 1)
    }

    @Test("a risk that stays high is counted once")
    func onsets() {
        let trace = trace(at: [0, 1, 2, 3, 4])
        var tally = HonestTally()
        let outcomes = outcomes(trace, risk: [1: 0.75, 2: 0.9, 4: 0.7])
        tally.add(trace, outcomes, Array(repeating: false, count: 5))
        #expect(tally.counts.suspectOnsets == 2 && tally.counts.suspectTraces == 1 && tally.counts.flaggedTraces == 0)
    }

    @Test("rejecting a receiver's glitch is not a false alarm")
    func glitches() {
        var trace = trace(at: [0, 1, 2])
        trace.glitches = [1]
        var tally = HonestTally()
        tally.add(trace, outcomes(trace, rejected: [1, 2]), [false, false, false])
        #expect(tally.counts.rejectedFixes == 2 && tally.counts.rejectedGoodFixes == 1)
    }

    @Test("windows are 10 s long and keep the highest risk")
    func windows() {
        let trace = trace(at: [0, 9.9, 10, 30])
        var scores = WindowScores()
        scores.add(outcomes(trace, risk: [1: 0.5, 2: 0.3]), [false, false, true, false], in: 0..<4)
        #expect(scores.windows.map(\.risk) == [0.5, 0.3, 0.02])
        #expect(scores.windows.map(\.isBaselineHit) == [false, true, false])
        // Windows are counted from the onset.
        var later = WindowScores()
        later.add(outcomes(trace, risk: [1: 0.5, 2: 0.3]), [false, false, true, false], in: 0..<4, onset: 9.9)
        #expect(later.windows.map(\.risk) == [0.5, 0.02])
    }

    @Test("the baseline's speed rule matches above 200 km/h", arguments: [(55.4, false), (55.8, true)])
    func baselineSpeed(speed: Double, matches: Bool) {
        #expect(BaselineRules.hits(trace(at: [0, 1], meters: speed)).contains(true) == matches)
    }

    @Test("the baseline's teleportation rule matches above 1 km in under 5 s")
    func baselineTeleportation() {
        #expect(BaselineRules.hits(trace(at: [0, 4.9], meters: 1001)) == [false, true])
        #expect(BaselineRules.hits(trace(at: [0, 20], meters: 1100)) == [false, false])
    }

    @Test("the baseline's accuracy rule matches at the tenth equal accuracy of a moving vehicle, and at accuracy 0")
    func baselineAccuracy() {
        var trace = trace(at: Array(stride(from: 0, to: 12, by: 1)), meters: 10)
        for index in trace.fixes.indices { trace.fixes[index].accuracyMeters = 5 }
        #expect(BaselineRules.hits(trace).firstIndex(of: true) == 9)
        var parked = self.trace(at: Array(stride(from: 0, to: 12, by: 1)))
        for index in parked.fixes.indices { parked.fixes[index].accuracyMeters = 5 }
        #expect(!BaselineRules.hits(parked).contains(true))
        parked.fixes[3].hasZeroAccuracy = true
        #expect(BaselineRules.hits(parked).firstIndex(of: true) == 3)
    }

    @Test("several traces are evaluated together, with results in the order of the traces")
    func merging() {
        var run = EvaluatedRun()
        let first = trace(at: [0, 10, 20], meters: 20)
        let second = trace(at: [5, 15], meters: 20)
        let outcomes = run.evaluate([first, second])
        #expect(outcomes.map(\.count) == [3, 2])
        #expect(
            outcomes[1].map(\.at) == [
                first.measuredAt(0).advanced(bySeconds: 5), first.measuredAt(0).advanced(bySeconds: 15),
            ])
    }
}
