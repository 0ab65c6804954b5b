import TestSupport
import Testing

@testable import Domain

/// Warnings are sent when a code starts or its action changes, and are not repeated between these times.
@Suite struct WarningTests {
    /// A driver whose device reports an accuracy of 0, and later frozen altitudes and speeds.
    ///
    /// The accuracy gives a warning with action `NONE`, the frozen fields with `FLAG`, under the same code.
    private struct Run {
        let driver = TestDriver()
        private var random: SeededGenerator
        private var east = 0.0
        private(set) var seconds = 0.0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            driver.template.accuracyMeters = nil
            driver.template.hasZeroAccuracy = true
            driver.template.headingDegrees = 90
        }

        /// Returns the next fix, one second later.
        mutating func next(isFrozen: Bool) -> Fix {
            let speed = 12 + 3 * Double.random(in: -1...1, using: &random)
            east += speed
            seconds += 1 + 0.02 * Double.random(in: -1...1, using: &random)
            driver.template.altitudeMeters = isFrozen ? 30 : 20 + Double.random(in: -1...1, using: &random)
            driver.template.speedMetersPerSecond = isFrozen ? 12 : speed
            return driver.fix(east, 0.3 * Double.random(in: -1...1, using: &random), at: seconds)
        }
    }

    /// Returns the actions of one code's warnings, in order.
    private func warnings(_ results: [VerdictResult], of reason: Reasons) -> [LocationWarning.Action] {
        results.flatMap(\.warnings).filter { $0.reason == reason }.map(\.action)
    }

    @Test("two signals of one code with different actions are one state, which starts and gets more severe")
    func alternating() {
        var run = Run(seed: 31)
        var results: [VerdictResult] = []
        for _ in 0..<60 { results.append(run.driver.evaluate(run.next(isFrozen: false))) }
        #expect(warnings(results, of: .accuracyAnomaly) == [.none])
        results = []
        for _ in 0..<60 { results.append(run.driver.evaluate(run.next(isFrozen: true))) }
        #expect(results.count { $0.signals.contains(.overdueFields) } > 40, "most fixes have both signals")
        #expect(warnings(results, of: .accuracyAnomaly) == [.flag])
    }

    @Test("an expired action falls back to the remaining action once, and a fix gives one warning per code")
    func change() {
        var run = Run(seed: 32)
        var results: [VerdictResult] = []
        for second in 0..<400 { results.append(run.driver.evaluate(run.next(isFrozen: (60..<120).contains(second)))) }
        #expect(warnings(results, of: .accuracyAnomaly) == [.none, .flag, .none], "the code itself continues")
        for result in results { #expect(Set(result.warnings.map(\.reason)).count == result.warnings.count) }
    }

    @Test("each of two intermittent signals gives at most two warnings per half minute", arguments: 1...20)
    func flapping(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let driver = TestDriver()
        var count = 0
        for second in 0..<1200 {
            // Half of the fixes are too coarse, and the attestation fails for one of nine.
            driver.template.accuracyMeters = Bool.random(using: &random) ? 150 : 5
            driver.template.integrity = Int.random(in: 0..<9, using: &random) == 0 ? .failed : .passed
            let result = driver.send(Double(second) * 10, at: Double(second))
            count += result.warnings.count { $0.reason == .lowAccuracy || $0.reason == .deviceIntegrity }
        }
        #expect(count >= 2)
        #expect(count <= 2 * 2 * 1200 / 30)
    }

    @Test("frequently changing actions of one code give under 60 warnings in 50 minutes", arguments: 1...50)
    func anyActions(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var warnings = DriverState.Warnings()
        var sent: [Double] = []
        var second = 0.0
        while second < 3000 {
            second += .random(in: 0.2...12, using: &random)
            let now = TestDriver.start.advanced(bySeconds: second)
            warnings.expire(until: now)
            let action = LocationWarning.Action.allCases.dropLast().randomElement(using: &random) ?? .none
            if warnings.raise(.accuracyAnomaly, action, at: now) { sent.append(second) }
        }
        // About 490 were raised.
        #expect(sent.count < 60, "seed \(seed): \(sent.count)")
        #expect(!sent.isEmpty)
    }

    @Test("a restored state gives the same warnings as an uninterrupted state", arguments: 1...10)
    func restored(seed: Int) throws {
        var run = Run(seed: UInt64(seed))
        let restored = TestDriver()
        var random = SeededGenerator(seed: UInt64(seed) &* 977)
        for second in 0..<300 {
            let fix = run.next(isFrozen: (60..<140).contains(second) || (200..<210).contains(second))
            let expected = run.driver.evaluate(fix)
            if Int.random(in: 0..<5, using: &random) == 0 {
                let bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
                    $1 = restored.state.encode(into: UnsafeMutableRawBufferPointer($0))
                }
                restored.state = try #require(bytes.withUnsafeBytes { DriverState(decoding: $0) })
            }
            let actual = restored.evaluate(fix)
            #expect(
                actual.warnings.map { "\($0)" } == expected.warnings.map { "\($0)" }, "seed \(seed), second \(second)")
            #expect(run.driver.state == restored.state, "seed \(seed), second \(second)")
        }
    }
}
