import TestSupport
import Testing

@testable import Tracking

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
