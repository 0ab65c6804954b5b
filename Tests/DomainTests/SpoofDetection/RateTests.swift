import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection

@Suite struct RateTests {
    @Test("five fixes at once pass, the sixth is throttled and moves nothing")
    func burst() {
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = true
        let verdicts = (0..<6).map { driver.judge(driver.fix(0, at: Double($0) / 100), receivedAt: 0).verdict }
        #expect(verdicts == [.accepted, .accepted, .accepted, .accepted, .accepted, .throttled])
        let judgement = driver.judge(driver.fix(0, at: 0.1), receivedAt: 0)
        #expect(judgement.reasons == [.rateLimited] && judgement.estimate == nil)
    }

    @Test(
        "a fix that names no trip is judged beyond the rate off a trip too: throttled, with the estimate it would have")
    func heldBack() throws {
        let driver = TestDriver(TrackingSettings())
        let unlimited = TestDriver()
        var accepted = 0
        for second in stride(from: 0.0, to: 300, by: 3) {
            let judgement = driver.send(8 * second, at: second)
            let expected = unlimited.send(8 * second, at: second)
            let isAccepted = judgement.verdict == .accepted
            accepted += isAccepted ? 1 : 0
            #expect(judgement.verdict == (isAccepted ? .accepted : .throttled))
            #expect(judgement.reasons == (isAccepted ? [] : [.rateLimited]))
            #expect(judgement.warnings.isEmpty)
            let (one, other) = (try #require(judgement.estimate), try #require(expected.estimate))
            #expect(one.coordinate == other.coordinate && one.accuracyMeters == other.accuracyMeters)
        }
        // What may come at once, and one in thirty seconds.
        #expect(accepted == 5 + 9)
    }

    @Test("a fix that is not believed is rejected, beyond the rate off a trip or not")
    func rejectedBeyondRate() {
        let driver = TestDriver(TrackingSettings())
        for second in 0..<6 { driver.send(8 * Double(second), at: Double(second)) }
        driver.template.isMock = true
        let judgement = driver.send(48, at: 6)
        #expect(judgement.verdict == .rejected && judgement.reasons == [.mockLocation] && judgement.estimate == nil)
    }

    @Test("fixes that name their trip take nothing of the rate off a trip")
    func separateBuckets() {
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = true
        for second in 0..<60 { #expect(driver.send(0, at: Double(second)).verdict == .accepted) }
        driver.template.isOnTrip = false
        for second in 60..<65 { #expect(driver.send(0, at: Double(second)).verdict == .accepted) }
        #expect(driver.send(0, at: 65).verdict == .throttled)
    }

    @Test("more than a fix a second is warned of when it starts, and is not judged", arguments: [true, false])
    func warning(isOnTrip: Bool) {
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = isOnTrip
        var warnings: [LocationWarning] = []
        var refused = 0
        for index in 0..<200 {
            let judgement = driver.send(Double(index) / 4, at: Double(index) / 4)
            warnings += judgement.warnings
            if judgement.estimate == nil {
                refused += 1
                #expect(judgement.verdict == .throttled && judgement.reasons == [.rateLimited])
            }
        }
        #expect((140...150).contains(refused))
        #expect(warnings.map(\.reason) == [.rateLimited] && warnings.map(\.action) == [LocationWarning.Action.none])
        // It starts again after it has been over for a minute.
        warnings = (0..<100).flatMap { driver.send(50, at: 51 + Double($0)).warnings }
        #expect(warnings.map(\.reason) == [.rateLimited] && warnings.map(\.action) == [.resolved])
        warnings = []
        for index in 0..<40 { warnings += driver.send(50, at: 151 + Double(index) / 4).warnings }
        #expect(warnings.map(\.reason) == [.rateLimited])
    }

    @Test("on a trip a token comes back in a second, off it in thirty", arguments: [(true, 1.0), (false, 30)])
    func refill(isOnTrip: Bool, seconds: Double) {
        for (wait, expected) in [(seconds - 0.1, Verdict.throttled), (seconds, .accepted), (seconds + 0.1, .accepted)] {
            let driver = TestDriver(TrackingSettings())
            driver.template.isOnTrip = isOnTrip
            for index in 0..<5 { _ = driver.judge(driver.fix(0, at: Double(index) / 100), receivedAt: 0) }
            #expect(driver.judge(driver.fix(0, at: wait), receivedAt: wait).verdict == expected)
        }
    }

    @Test("a stream of one fix a second with jitter and bursts of delay is hardly throttled")
    func jitter() {
        let seed: UInt64 = 3
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = true
        var throttled = 0
        for second in 0..<3600 {
            let at = Double(second) + Double.random(in: -0.4...0.4, using: &random)
            let verdict = driver.judge(driver.fix(0, at: at), receivedAt: at + 0.5).verdict
            if verdict == .throttled { throttled += 1 }
        }
        #expect(throttled <= 4, "seed \(seed)")
    }

    @Test("cached fixes need no token, and the limit can be switched off")
    func exempt() {
        let driver = TestDriver(TrackingSettings())
        for index in 0..<50 {
            var fix = driver.fix(Double(index), at: Double(index))
            fix.source = .cached
            #expect(driver.judge(fix, receivedAt: 100).verdict == .accepted)
        }
        let unlimited = TestDriver()
        for index in 0..<50 {
            #expect(unlimited.judge(unlimited.fix(0, at: Double(index)), receivedAt: 60).verdict == .accepted)
        }
    }
}
