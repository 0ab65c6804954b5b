import TestSupport
import Testing

@testable import Domain

@Suite struct RateTests {
    @Test("five fixes at once are accepted, the sixth is throttled and has no estimate")
    func burst() {
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = true
        let verdicts = (0..<6).map { driver.evaluate(driver.fix(0, at: Double($0) / 100), receivedAt: 0).verdict }
        #expect(verdicts == [.accepted, .accepted, .accepted, .accepted, .accepted, .throttled])
        let result = driver.evaluate(driver.fix(0, at: 0.1), receivedAt: 0)
        #expect(result.reasons == [.rateLimited] && result.estimate == nil)
    }

    @Test(
        "a fix without a trip id over the off-trip limit is throttled, but gets an estimate")
    func overOffTripLimit() throws {
        let driver = TestDriver(TrackingSettings())
        let unlimited = TestDriver()
        var accepted = 0
        for second in stride(from: 0.0, to: 300, by: 3) {
            let result = driver.send(8 * second, at: second)
            let expected = unlimited.send(8 * second, at: second)
            let isAccepted = result.verdict == .accepted
            accepted += isAccepted ? 1 : 0
            #expect(result.verdict == (isAccepted ? .accepted : .throttled))
            #expect(result.reasons == (isAccepted ? [] : [.rateLimited]))
            #expect(result.warnings.isEmpty)
            let (actual, full) = (try #require(result.estimate), try #require(expected.estimate))
            #expect(actual.coordinate == full.coordinate && actual.accuracyMeters == full.accuracyMeters)
        }
        // The accepted fixes are the burst of five, then one every thirty seconds.
        #expect(accepted == 5 + 9)
    }

    @Test("a rejected fix stays rejected over the off-trip limit")
    func rejectedBeyondRate() {
        let driver = TestDriver(TrackingSettings())
        for second in 0..<6 { driver.send(8 * Double(second), at: Double(second)) }
        driver.template.isMock = true
        let result = driver.send(48, at: 6)
        #expect(result.verdict == .rejected && result.reasons == [.mockLocation] && result.estimate == nil)
    }

    @Test("fixes with a trip id do not use the off-trip bucket")
    func separateBuckets() {
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = true
        for second in 0..<60 { #expect(driver.send(0, at: Double(second)).verdict == .accepted) }
        driver.template.isOnTrip = false
        for second in 60..<65 { #expect(driver.send(0, at: Double(second)).verdict == .accepted) }
        #expect(driver.send(0, at: 65).verdict == .throttled)
    }

    @Test("fixes beyond one a second are not evaluated, and give one warning", arguments: [true, false])
    func warning(isOnTrip: Bool) {
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = isOnTrip
        var warnings: [LocationWarning] = []
        var throttled = 0
        for index in 0..<200 {
            let result = driver.send(Double(index) / 4, at: Double(index) / 4)
            warnings += result.warnings
            if result.estimate == nil {
                throttled += 1
                #expect(result.verdict == .throttled && result.reasons == [.rateLimited])
            }
        }
        #expect((140...150).contains(throttled))
        #expect(warnings.map(\.reason) == [.rateLimited] && warnings.map(\.action) == [LocationWarning.Action.none])
        // The warning is resolved after a minute without throttling; the next throttling warns again.
        warnings = (0..<100).flatMap { driver.send(50, at: 51 + Double($0)).warnings }
        #expect(warnings.map(\.reason) == [.rateLimited] && warnings.map(\.action) == [.resolved])
        warnings = []
        for index in 0..<40 { warnings += driver.send(50, at: 151 + Double(index) / 4).warnings }
        #expect(warnings.map(\.reason) == [.rateLimited])
    }

    @Test("a token is refilled in 1 s on a trip and in 30 s off a trip", arguments: [(true, 1.0), (false, 30)])
    func refill(isOnTrip: Bool, seconds: Double) {
        for (wait, expected) in [(seconds - 0.1, Verdict.throttled), (seconds, .accepted), (seconds + 0.1, .accepted)] {
            let driver = TestDriver(TrackingSettings())
            driver.template.isOnTrip = isOnTrip
            for index in 0..<5 { _ = driver.evaluate(driver.fix(0, at: Double(index) / 100), receivedAt: 0) }
            #expect(driver.evaluate(driver.fix(0, at: wait), receivedAt: wait).verdict == expected)
        }
    }

    @Test("a stream of one fix a second with jitter and delays loses at most 4 of 3,600 fixes")
    func jitter() {
        let seed: UInt64 = 3
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver(TrackingSettings())
        driver.template.isOnTrip = true
        var throttled = 0
        for second in 0..<3600 {
            let at = Double(second) + Double.random(in: -0.4...0.4, using: &random)
            let verdict = driver.evaluate(driver.fix(0, at: at), receivedAt: at + 0.5).verdict
            if verdict == .throttled { throttled += 1 }
        }
        #expect(throttled <= 4, "seed \(seed)")
    }

    @Test("cached fixes need no token, and the limit can be disabled")
    func exempt() {
        let driver = TestDriver(TrackingSettings())
        for index in 0..<50 {
            var fix = driver.fix(Double(index), at: Double(index))
            fix.source = .cached
            #expect(driver.evaluate(fix, receivedAt: 100).verdict == .accepted)
        }
        let unlimited = TestDriver()
        for index in 0..<50 {
            #expect(unlimited.evaluate(unlimited.fix(0, at: Double(index)), receivedAt: 60).verdict == .accepted)
        }
    }
}
