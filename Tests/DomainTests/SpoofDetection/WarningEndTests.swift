import TestSupport
import Testing

@testable import Domain
@testable import Support

/// Expired codes give RESOLVED warnings.
@Suite struct WarningEndTests {
    /// Sends a fix of a moving device that is usable or too coarse.
    private static func send(_ driver: TestDriver, at second: Double, isCoarse: Bool) -> VerdictResult {
        driver.template.accuracyMeters = isCoarse ? 150 : 5
        return driver.send(second * 10, at: second)
    }

    /// Returns the warnings of a code: `+` for a start, `!` for a change and `-` for an end.
    private static func marks(_ results: [VerdictResult], of reason: Reasons) -> String {
        results.flatMap(\.warnings).filter { $0.reason == reason }
            .map { $0.action == .resolved ? "-" : $0.previousAction == nil ? "+" : "!" }.joined()
    }

    /// Returns the bits of a set of codes.
    private static func codes(_ bits: UInt16) -> Set<UInt32> {
        Set((0..<16).map { UInt32(1) << UInt32($0) }.filter { UInt32(bits) & $0 != 0 })
    }

    @Test("a code that is no longer raised expires once, at the first fix after half a minute to a minute")
    func ends() throws {
        let driver = TestDriver()
        var results: [VerdictResult] = []
        for second in 0..<300 {
            results.append(Self.send(driver, at: Double(second), isCoarse: (40..<50).contains(second)))
        }
        #expect(Self.marks(results, of: .lowAccuracy) == "+-")
        let end = try #require(results.firstIndex { $0.warnings.contains { $0.action == .resolved } })
        #expect((79...110).contains(end))
        let warning = try #require(results[end].warnings.first)
        #expect(warning.previousAction == .reject && warning.evidence.accuracyMeters == nil)
        #expect(results[end].verdict == .accepted && results[end].reasons.isEmpty)
    }

    @Test("a code expires one window after the window in which it was last raised")
    func boundary() {
        // Start of a half-minute window of stream time.
        let start = Timestamp(milliseconds: 1_741_977_120_000)
        for (last, over) in [(0.0, 60.0), (29.999, 60), (30, 90)] {
            var warnings = DriverState.Warnings()
            _ = warnings.raise(.mockLocation, .reject, at: start)
            warnings.expire(until: start.advanced(bySeconds: last))
            _ = warnings.raise(.mockLocation, .reject, at: start.advanced(bySeconds: last))
            #expect(warnings.expire(until: start.advanced(bySeconds: over - 0.001)).isEmpty)
            let ended = warnings.expire(until: start.advanced(bySeconds: over)).warnings
            #expect(ended.map(\.reason) == [.mockLocation] && ended.map(\.previousAction) == [.reject])
            #expect(warnings == DriverState.Warnings())
        }
    }

    @Test("a code that a fix raises again at the time of its end gives no warning")
    func continues() {
        let driver = TestDriver()
        let results = [0, 60, 120, 180, 240].map { second in
            Self.send(driver, at: Double(second) + 1, isCoarse: true)
        }
        #expect(Self.marks(results, of: .lowAccuracy) == "+")
    }

    @Test("starts and ends of each code alternate, for any fixes", arguments: 1...30)
    func alternate(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let driver = TestDriver()
        var open: Set<UInt32> = []
        var ends = 0
        var warnings = 0
        var second = 0.0
        while second < 6000 {
            second += .random(in: 0.5...40, using: &random)
            driver.template.integrity = Int.random(in: 0..<9, using: &random) == 0 ? .failed : .passed
            driver.template.isMock = Int.random(in: 0..<20, using: &random) == 0
            for warning in Self.send(driver, at: second, isCoarse: Bool.random(using: &random)).warnings {
                warnings += 1
                let isOpen = open.contains(warning.reason.rawValue)
                #expect((warning.previousAction != nil) == isOpen, "seed \(seed), second \(second): \(warning)")
                if warning.action == .resolved {
                    ends += 1
                    open.remove(warning.reason.rawValue)
                } else {
                    open.insert(warning.reason.rawValue)
                }
            }
            #expect(open == Self.codes(driver.state.warnings.open))
        }
        #expect(ends > 5, "seed \(seed)")
        // Each of the four codes starts and ends at most about once a minute.
        #expect(warnings < 4 * 2 * 6000 / 60, "seed \(seed): \(warnings)")
    }

    @Test("a driver who returns after its state was discarded gets RESOLVED for all warnings")
    func afterDiscard() {
        let driver = TestDriver()
        for second in 0..<20 { _ = Self.send(driver, at: Double(second), isCoarse: second == 10) }
        let result = Self.send(driver, at: 320, isCoarse: false)
        #expect(result.warnings.map(\.action) == [.resolved])
        #expect(driver.state.warnings == DriverState.Warnings())
    }

    @Test(
        "the warnings of a silent driver expire without a fix", arguments: [(29.0, 0), (59, 1), (89, 1), (151, 1)])
    func silent(seconds: Double, count: Int) {
        let driver = TestDriver()
        // Last second of a window.
        let begin = 14.0
        _ = Self.send(driver, at: begin, isCoarse: true)
        let seen = driver.state.seenAt
        var state = driver.state
        let (warnings, risk) = driver.detector.endWarnings(of: &state, at: seen.advanced(bySeconds: seconds))
        #expect(warnings.count == count)
        if count > 0 {
            #expect(warnings[0].reason == .lowAccuracy && warnings[0].action == .resolved)
            #expect((0.01..<0.02).contains(risk))
        }
        #expect(driver.detector.endWarnings(of: &state, at: seen.advanced(bySeconds: seconds)).warnings.isEmpty)
        #expect(state.seenAt == seen, "only the warnings change")
    }

    @Test("a time before the driver's last fix ends no warning")
    func before() {
        let driver = TestDriver()
        _ = Self.send(driver, at: 100, isCoarse: true)
        let state = driver.state
        for seconds in [-100.0, -31, -0.001, 0] {
            let (warnings, _) = driver.detector.endWarnings(
                of: &driver.state, at: state.seenAt.advanced(bySeconds: seconds))
            #expect(warnings.isEmpty && driver.state == state)
        }
    }

    @Test("with a short memory, warnings expire after half its duration", arguments: [(14.9, false), (15.1, true)])
    func shortMemory(seconds: Double, isOver: Bool) {
        var settings = TrackingSettings.unlimited
        settings.memorySeconds = 30
        let driver = TestDriver(settings)
        // First second of a window.
        _ = Self.send(driver, at: 15, isCoarse: true)
        var state = driver.state
        let ended = driver.detector.endWarnings(of: &state, at: state.seenAt.advanced(bySeconds: seconds))
        #expect(ended.warnings.isEmpty != isOver)
    }
}
