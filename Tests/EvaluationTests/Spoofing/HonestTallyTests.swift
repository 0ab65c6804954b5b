import Testing

@testable import Domain
@testable import Evaluation
@testable import Support

struct HonestTallyTests {
    private static let start = Timestamp(milliseconds: 1_750_000_000_000)

    /// Returns a trace with a fix at each of these seconds, `meters` apart.
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
                reasons: rejected.contains(index) ? .teleportation : [], risk: risk[index] ?? 0.02)
        }
    }

    @Test("rejections because of network, clock, GNSS conditions or the driver's risk are not evidence of spoofing")
    func spoofReasons() {
        for (code, reason) in Reasons.all {
            let outcome = FixOutcome(at: Self.start, isRejected: true, reasons: reason, risk: 0)
            let others: Reasons = [
                .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .relocated, .gnssDisturbance, .suspect, .flagged,
            ]
            #expect(outcome.isRejectedAsSpoofed == !others.contains(reason), "\(code)")
        }
    }

    @Test("a fix rejected because of the clock is lost, but not rejected as spoofed")
    func clockSkew() {
        let outcome = FixOutcome(at: Self.start, isRejected: true, reasons: .clockSkew, risk: 0)
        #expect(outcome.isLost && !outcome.isRejectedAsSpoofed)
        let late = FixOutcome(at: Self.start, isRejected: false, reasons: .clockSkew, risk: 0)
        #expect(!late.isLost)
    }

    @Test("rejected fixes, including CLOCK_SKEW, are counted over all traces, and drivers once")
    func losses() throws {
        var tally = HonestTally(name: "r")
        for (driver, rejected) in [("a", Set([1, 2])), ("a", [0]), ("b", [])] {
            var trace = trace(at: [0, 1, 2, 3])
            trace.driver = driver
            var outcomes = outcomes(trace, rejected: rejected)
            for index in rejected where index > 0 { outcomes[index].reasons = .clockSkew }
            tally.add(trace, outcomes, [false, false, false, false])
        }
        #expect(tally.traces == 3 && tally.drivers == 2 && tally.fixes == 12)
        #expect(tally.rejectedFixes == 3 && tally.rejectedShare == 0.25)
    }

    @Test("a trace with a high risk is counted once")
    func suspects() {
        let trace = trace(at: [0, 1, 2, 3, 4])
        var tally = HonestTally(name: "r")
        let outcomes = outcomes(trace, risk: [1: 0.75, 2: 0.9, 4: 0.7])
        tally.add(trace, outcomes, Array(repeating: false, count: 5))
        #expect(tally.suspectTraces == 1 && tally.flaggedTraces == 0 && tally.highestRisk == 0.9)
    }

    @Test("windows are 10 s long and keep the highest risk")
    func windows() {
        let trace = trace(at: [0, 9.9, 10, 30])
        let scored = outcomes(trace, risk: [1: 0.5, 2: 0.3])
        let windows = MatchedWindows.windows(of: scored, [false, false, true, false], in: 0..<4)
        #expect(windows.map(\.risk) == [0.5, 0.3, 0.02])
        #expect(windows.map(\.isBaselineHit) == [false, true, false])
        // Windows are counted from the onset.
        let later = MatchedWindows.windows(of: scored, [false, false, true, false], in: 0..<4, onset: 9.9)
        #expect(later.map(\.risk) == [0.5, 0.02])
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
