import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection

/// Warnings are raised when something starts or changes, and not while it goes on.
@Suite struct WarningTests {
    /// A driver whose device gives an accuracy of 0, and later altitudes and speeds that stop changing.
    ///
    /// The first is warned about with action `NONE`, the second with `FLAG`, under one code.
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

        /// The next fix, one second on.
        mutating func next(isFrozen: Bool) -> Fix {
            let speed = 12 + 3 * Double.random(in: -1...1, using: &random)
            east += speed
            seconds += 1 + 0.02 * Double.random(in: -1...1, using: &random)
            driver.template.altitudeMeters = isFrozen ? 30 : 20 + Double.random(in: -1...1, using: &random)
            driver.template.speedMetersPerSecond = isFrozen ? 12 : speed
            return driver.fix(east, 0.3 * Double.random(in: -1...1, using: &random), at: seconds)
        }
    }

    /// The warnings of one code, by fix.
    private func warnings(_ judgements: [VerdictResult], of reason: Reasons) -> [LocationWarning.Action] {
        judgements.flatMap(\.warnings).filter { $0.reason == reason }.map(\.action)
    }

    @Test("two signals of one code with different actions are one state: it starts, gets worse, and that is all")
    func alternating() {
        var run = Run(seed: 31)
        var judgements: [VerdictResult] = []
        for _ in 0..<60 { judgements.append(run.driver.judge(run.next(isFrozen: false))) }
        #expect(warnings(judgements, of: .accuracyAnomaly) == [.none])
        judgements = []
        for _ in 0..<60 { judgements.append(run.driver.judge(run.next(isFrozen: true))) }
        #expect(judgements.count { $0.signals.contains(.frozenHabit) } > 40, "both signals are there, fix by fix")
        #expect(warnings(judgements, of: .accuracyAnomaly) == [.flag])
    }

    @Test("what got worse and is over goes back to what still goes on, once, and a fix gives one warning of a code")
    func change() {
        var run = Run(seed: 32)
        var judgements: [VerdictResult] = []
        for second in 0..<400 { judgements.append(run.driver.judge(run.next(isFrozen: (60..<120).contains(second)))) }
        #expect(warnings(judgements, of: .accuracyAnomaly) == [.none, .flag, .none], "the code itself goes on")
        for judgement in judgements { #expect(Set(judgement.warnings.map(\.reason)).count == judgement.warnings.count) }
    }

    @Test("a signal that comes and goes every few seconds is told of twice a half minute at most", arguments: 1...20)
    func flapping(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let driver = TestDriver()
        var count = 0
        for second in 0..<1200 {
            // Fixes too coarse to use, of a device whose platform now and then says that it is mocked.
            driver.template.accuracyMeters = Bool.random(using: &random) ? 150 : 5
            driver.template.integrity = Int.random(in: 0..<9, using: &random) == 0 ? .failed : .passed
            let judgement = driver.send(Double(second) * 10, at: Double(second))
            count += judgement.warnings.count { $0.reason == .lowAccuracy || $0.reason == .deviceIntegrity }
        }
        #expect(count >= 2)
        #expect(count <= 2 * 2 * 1200 / 30)
    }

    @Test("actions of one code in any order, every few seconds, are one state that hardly changes", arguments: 1...50)
    func anyActions(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var warnings = DriverState.Warnings()
        var told: [Double] = []
        var second = 0.0
        while second < 3000 {
            second += .random(in: 0.2...12, using: &random)
            let now = TestDriver.start.advanced(bySeconds: second)
            warnings.fade(until: now)
            let action = LocationWarning.Action.allCases.dropLast().randomElement(using: &random) ?? .none
            if warnings.raise(.accuracyAnomaly, action, at: now) { told.append(second) }
        }
        // About 490 raised.
        #expect(told.count < 60, "seed \(seed): \(told.count)")
        #expect(!told.isEmpty)
    }

    @Test("the state that goes on after a restore warns as one that never stopped", arguments: 1...10)
    func restored(seed: Int) throws {
        var run = Run(seed: UInt64(seed))
        let other = TestDriver()
        var random = SeededGenerator(seed: UInt64(seed) &* 977)
        for second in 0..<300 {
            let fix = run.next(isFrozen: (60..<140).contains(second) || (200..<210).contains(second))
            let one = run.driver.judge(fix)
            if Int.random(in: 0..<5, using: &random) == 0 {
                let bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
                    $1 = other.state.encode(into: UnsafeMutableRawBufferPointer($0))
                }
                other.state = try #require(bytes.withUnsafeBytes { DriverState(decoding: $0) })
            }
            let two = other.judge(fix)
            #expect(
                one.warnings.map { "\($0)" } == two.warnings.map { "\($0)" }, "seed \(seed), second \(second)")
            #expect(run.driver.state == other.state, "seed \(seed), second \(second)")
        }
    }

    @Test("a state of the version before is read, and an older one is not")
    func version() throws {
        var bytes = [UInt8](unsafeUninitializedCapacity: DriverState.maximumEncodedByteCount) {
            $1 = DriverState().encode(into: UnsafeMutableRawBufferPointer($0))
        }
        #expect(bytes[0] == 4)
        #expect(bytes.withUnsafeBytes { DriverState(decoding: $0) } != nil)
        bytes[0] = 3
        #expect(bytes.withUnsafeBytes { DriverState(decoding: $0) } == DriverState())
        bytes[0] = 2
        #expect(bytes.withUnsafeBytes { DriverState(decoding: $0) } == nil)
    }
}
