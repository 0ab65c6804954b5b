import Testing

@testable import Domain
@testable import Support

@Suite struct ClockTests {
    @Test("a device time up to 60 s ahead is accepted", arguments: [(59.9, true), (60, true), (60.001, false)])
    func ahead(seconds: Double, isAccepted: Bool) {
        let driver = TestDriver()
        let result = driver.evaluate(driver.fix(0, at: seconds), receivedAt: 0)
        #expect((result.verdict == .accepted) == isAccepted)
        #expect(result.reasons.contains(.clockSkew) != isAccepted)
        if !isAccepted { #expect(result.warnings.map(\.reason) == [.clockSkew]) }
        #expect(result.fixedAt == TestDriver.start)
    }

    @Test(
        "a device time over 24 h behind is accepted only for a cached fix",
        arguments: [(86_400.0, false, true), (86_400.001, false, false), (200_000, true, true)])
    func behind(seconds: Double, isCached: Bool, isAccepted: Bool) {
        let driver = TestDriver()
        var fix = driver.fix(0, at: -seconds)
        fix.isBatched = isCached
        #expect((driver.evaluate(fix, receivedAt: 0).verdict == .accepted) == isAccepted)
    }

    @Test("one wrong timestamp does not make later fixes late")
    func wrongTimestamp() {
        let driver = TestDriver()
        driver.drive(for: 10)
        #expect(driver.evaluate(driver.fix(100, at: 3600), receivedAt: 10).verdict == .rejected)
        #expect(driver.send(110, at: 11).verdict == .accepted)
    }

    @Test("a wrong timestamp within the limit makes at most three later fixes late")
    func wrongTimestampWithinLimit() {
        let driver = TestDriver()
        driver.drive(for: 10)
        #expect(driver.evaluate(driver.fix(100, at: 60), receivedAt: 10).verdict == .accepted)
        let verdicts = (11..<20).map { driver.send(Double($0) * 10, at: Double($0)).verdict }
        #expect(verdicts.suffix(6).allSatisfy { $0 == .accepted }, "\(verdicts)")
    }

    @Test(
        "the offset of a clock that stays wrong is adopted within five fixes",
        arguments: [-1_000_000.0, -300, 300, 90_000])
    func wrongClock(offset: Double) {
        let driver = TestDriver()
        let results = (0..<20).map { second in
            driver.evaluate(
                driver.fix(Double(second) * 10, at: Double(second) + offset), receivedAt: Double(second) + 0.2)
        }
        #expect(results.suffix(15).allSatisfy { $0.verdict == .accepted })
        let last = results[19].fixedAt.seconds(since: TestDriver.start)
        #expect(last > 18.5 && last <= 19.2)
    }

    @Test("a clock that is set forward or back in mid-trip is adopted within five fixes", arguments: [-600.0, 45, 600])
    func correctedClock(step: Double) {
        let driver = TestDriver()
        driver.drive(for: 30)
        let verdicts = (30..<50).map { second in
            driver.evaluate(driver.fix(Double(second) * 10, at: Double(second) + step), receivedAt: Double(second))
                .verdict
        }
        #expect(verdicts.suffix(15).allSatisfy { $0 == .accepted }, "\(verdicts)")
    }

    @Test("one timestamp ahead of time shifts the times of fixes for at most two windows", arguments: [1, 4, 20, 60])
    func timestampAhead(interval: Int) {
        let driver = TestDriver()
        let seconds = stride(from: 0, through: 1500, by: interval)
        for (index, second) in seconds.enumerated() {
            let isAhead = index == 5
            let fix = driver.fix(
                Double(second) * 10, at: Double(second) + (isAhead ? 45 : 0), sequence: Int64(index) + 1)
            let result = driver.evaluate(fix, receivedAt: Double(second) + 0.3)
            guard index > 5 else { continue }
            // A window lasts two minutes and has at least five fixes, so at one fix a minute, it lasts five minutes.
            let recovery = max(240, Double(10 * interval)) + Double(interval)
            let shift = Double(second) + 0.3 - result.fixedAt.seconds(since: TestDriver.start)
            #expect(abs(shift) < 46)
            if Double(second - 5 * interval) > recovery { #expect(abs(shift) < 0.01, "second \(second)") }
        }
    }

    @Test(
        "a delay changes the offset only if it lasts a whole window", arguments: [(119, false), (250, true)])
    func delay(lasts: Int, isAdopted: Bool) {
        let driver = TestDriver()
        for second in 0..<600 {
            let isDelayed = second >= 241 && second < 241 + lasts
            let received = Double(second) + (isDelayed ? 8.2 : 0.2)
            let fix = driver.fix(Double(second) * 10, at: Double(second), sequence: Int64(second) + 1)
            _ = driver.evaluate(fix, receivedAt: received)
            if second == 240 + lasts {
                #expect((driver.state.clock.known.offsetMilliseconds > 1000) == isAdopted)
            }
            // After the delay, the next fix shows the true offset.
            if second == 241 + lasts { #expect(driver.state.clock.known.offsetMilliseconds == 200) }
        }
    }

    @Test("the offset rises to a window's smallest lag only at the window's end, and with at least five fixes")
    func window() {
        let settings = TrackingSettings.Clock()
        var clock = DriverState.Clock()
        func observe(_ lag: Int64, at seconds: Double) -> Int64 {
            clock.observe(
                lagMilliseconds: lag, isCached: false, receivedAt: TestDriver.start.advanced(bySeconds: seconds),
                settings)
            return clock.known.offsetMilliseconds
        }
        #expect(
            [observe(-45_000, at: 0), observe(300, at: 30), observe(200, at: 60), observe(400, at: 119.9)]
                == [-45_000, -45_000, -45_000, -45_000])
        // The first window includes the wrong timestamp.
        #expect(observe(500, at: 120) == -45_000)
        #expect([observe(300, at: 121), observe(250, at: 150), observe(400, at: 200)] == [-45_000, -45_000, -45_000])
        #expect(observe(300, at: 250) == -45_000)
        #expect(observe(300, at: 251) == 250)
    }

    @Test("old fixes uploaded in one burst are late, and do not change the offset of the clock")
    func backlog() {
        let driver = TestDriver()
        driver.send(5000, at: 500)
        for second in 0..<400 {
            let result = driver.evaluate(
                driver.fix(Double(second) * 10, at: Double(second)), receivedAt: 500 + Double(second) * 0.002)
            #expect(result.verdict == .late)
        }
    }

    @Test("the offset is the smallest difference of receipt and device time, and is added to device times")
    func offset() {
        let driver = TestDriver()
        // The offset of a clock that is slow by 100 s is known from the third fix on.
        for (second, delay) in [(0, 1.5), (1, 1), (2, 1.5), (3, 0.5), (4, 4)] {
            let at = Double(second)
            let result = driver.evaluate(driver.fix(at, at: at - 100), receivedAt: at + delay)
            let expected = second < 2 ? at - 100 : second == 2 ? 3.5 : at + 0.5
            #expect(abs(result.fixedAt.seconds(since: TestDriver.start) - expected) < 0.01, "second \(second)")
        }
    }

    @Test(
        "a first fix up to 10 s behind its receipt sets the offset; with a larger lag, it keeps its device time",
        arguments: [(9.999, 0.0), (10, 0), (10.001, -10.001), (600, -600)])
    func firstLag(lag: Double, fixed: Double) {
        let driver = TestDriver()
        let result = driver.evaluate(driver.fix(0, at: -lag), receivedAt: 0)
        #expect(result.verdict == .accepted)
        #expect(abs(result.fixedAt.seconds(since: TestDriver.start) - fixed) < 0.01)
    }

    @Test(
        "fixes stored while the app was closed keep their device times, at any upload rate",
        arguments: [0.002, 0.02, 0.2, 0.5])
    func storedFirst(interval: Double) {
        let driver = TestDriver()
        for second in 0..<100 {
            let received = 600 + Double(second) * interval
            let result = driver.evaluate(
                driver.fix(Double(second) * 10, at: Double(second), sequence: Int64(second) + 1), receivedAt: received)
            #expect(result.fixedAt == TestDriver.start.advanced(bySeconds: Double(second)))
        }
        #expect(
            driver.evaluate(driver.fix(6600, at: 660, sequence: 661), receivedAt: 660.2).fixedAt
                == TestDriver.start.advanced(bySeconds: 660.2))
    }

    @Test(
        "fixes with a frozen device time keep that time, at all tested rates, with or without sequence numbers",
        arguments: [0.2, 1, 2, 10, 30, 130, 240], [true, false])
    func frozen(interval: Double, isNumbered: Bool) {
        let driver = TestDriver()
        for second in 0..<10 {
            driver.send(Double(second) * 10, at: Double(second), sequence: isNumbered ? Int64(second) : nil)
        }
        var received = 9.0
        for index in 0..<200 {
            received += interval
            let fix = driver.fix(90, at: 9, sequence: isNumbered ? Int64(index) + 10 : nil)
            let result = driver.evaluate(fix, receivedAt: received)
            #expect(result.fixedAt == TestDriver.start.advanced(bySeconds: 9), "received \(received)")
            #expect(!result.reasons.contains(.clockSkew) && !result.reasons.contains(.flagged))
        }
        // When the clock runs again, the times of fixes are correct at once.
        let next = driver.evaluate(
            driver.fix(95, at: received + 1, sequence: isNumbered ? 300 : nil), receivedAt: received + 1)
        #expect(next.fixedAt == TestDriver.start.advanced(bySeconds: received + 1))
    }

    @Test(
        "a device time of 0 is always rejected, at all tested rates",
        arguments: [0.1, 0.2, 0.5, 0.9, 1, 1.1, 2, 5, 30, 240, 300])
    func noTime(interval: Double) {
        for isNumbered in [true, false] {
            let driver = TestDriver()
            for index in 0..<100 {
                var fix = driver.fix(Double(index) * interval * 8, at: 0, sequence: isNumbered ? Int64(index) : nil)
                fix.deviceAt = Timestamp(milliseconds: 0)
                let result = driver.evaluate(fix, receivedAt: Double(index) * interval)
                #expect(result.verdict == .rejected && result.reasons == .clockSkew, "\(index)")
            }
        }
    }

    @Test("the first fix of a cached batch keeps its device time")
    func cachedFirst() {
        let driver = TestDriver()
        var fix = driver.fix(0, at: -250)
        fix.isBatched = true
        #expect(driver.evaluate(fix, receivedAt: 0).fixedAt == TestDriver.start.advanced(bySeconds: -250))
    }

    @Test("extreme device times do not trap", arguments: [Int64.min, .min / 2, .max])
    func extremes(milliseconds: Int64) {
        let driver = TestDriver()
        driver.drive(for: 3)
        var fix = driver.fix(30, at: 3)
        fix.deviceAt = Timestamp(milliseconds: milliseconds)
        _ = driver.evaluate(fix, receivedAt: 3)
        #expect(driver.send(40, at: 4).verdict == .accepted)
    }

    @Test(
        "a driver's state is discarded after a silence of more than five minutes of stream time",
        arguments: [(300.0, false), (300.001, true)])
    func memory(silence: Double, isDiscarded: Bool) {
        let driver = TestDriver()
        driver.template.sessionHash = 5
        driver.send(0, at: 0, sequence: 100)
        let repeated = driver.send(0, at: silence, sequence: 100)
        #expect((repeated.verdict == .accepted) == isDiscarded)
    }
}
