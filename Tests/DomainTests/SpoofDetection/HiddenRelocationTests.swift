import TestSupport
import Testing

@testable import Model
@testable import SpoofDetection

/// A driver who is flagged and elsewhere is not shown there before something other than its own fixes supports it.
@Suite struct HiddenRelocationTests {
    /// A driver that has driven north for a while, with a fix every `interval` seconds.
    private final class Driver {
        let driver = TestDriver()
        let interval: Double
        private(set) var seconds = 0.0
        private var random = SeededGenerator(seed: 61)

        init(interval: Double) {
            self.interval = interval
            drive(for: 120, east: 0)
        }

        /// Stands within a few metres, `east` metres from the street, and answers what became of the fixes.
        @discardableResult
        func drive(for duration: Double, east: Double) -> [VerdictResult] {
            let end = seconds + duration
            var judgements: [VerdictResult] = []
            while seconds < end {
                judgements.append(
                    driver.send(east + random.normal(), 8 * seconds + random.normal(), at: seconds))
                seconds += interval
            }
            return judgements
        }
    }

    private static func shown(_ judgements: [VerdictResult]) -> Int {
        judgements.count { $0.verdict == .accepted && !$0.isFlagged }
    }

    @Test("a jump to a queue 9 km away brings no more than half a minute to riders", arguments: [1.0, 2, 5, 10])
    func queueJumper(interval: Double) {
        let driver = Driver(interval: interval)
        let judgements = driver.drive(for: 840, east: 9000)
        #expect(Self.shown(judgements) <= Int(30 / interval) + 1, "\(Self.shown(judgements)) of \(judgements.count)")
        #expect(judgements.suffix(10).allSatisfy { $0.isFlagged })
    }

    @Test("a relocation under a flag stays hidden, though the device was silent for a moment before it")
    func underFlag() {
        let driver = Driver(interval: 1)
        driver.driver.template.isMock = true
        driver.drive(for: 60, east: 0)
        driver.driver.template.isMock = false
        #expect(driver.driver.state.risk.isFlagged)
        driver.driver.state.live.fixesSinceGap = 0
        let judgements = driver.drive(for: 700, east: 9000)
        #expect(judgements.contains { $0.reasons.contains(.relocated) })
        #expect(Self.shown(judgements) == 0)
    }

    @Test("who comes back to where the vehicle can be is believed at once, and shown when the evidence has faded")
    func back() throws {
        let driver = Driver(interval: 1)
        driver.drive(for: 300, east: 9000)
        let judgements = driver.drive(for: 300, east: 0)
        #expect(judgements.allSatisfy { $0.verdict == .accepted })
        #expect(judgements[0].reasons.contains(.relocated))
        let shown = try #require(judgements.firstIndex { !$0.isFlagged })
        #expect(shown < 60)
    }

    @Test(
        "a receiver that is wrong for some seconds and comes back is believed at its first fix, and shown again",
        arguments: [5.0, 10, 20])
    func glitch(seconds: Double) throws {
        let driver = Driver(interval: 1)
        driver.drive(for: seconds, east: 9000)
        let judgements = driver.drive(for: 400, east: 0)
        #expect(judgements.allSatisfy { $0.verdict == .accepted })
        // The flag used to last for longer, as the way back was a jump of its own.
        let hidden = judgements.lastIndex { $0.isFlagged } ?? 0
        #expect(hidden < 160, "\(hidden)")
    }

    @Test("a driver without a flag who comes out of a tunnel far away is shown there", arguments: [60.0, 290])
    func tunnel(seconds: Double) {
        let driver = TestDriver()
        driver.drive(for: 60)
        let far = 600 + 50 * seconds
        let judgements = (0..<120).map { driver.send(far + 10 * Double($0), at: 59 + seconds + Double($0)) }
        #expect(judgements.allSatisfy { $0.verdict == .accepted && !$0.isFlagged && $0.reasons.isEmpty })
    }

    @Test("a second relocation leads back to no place that the first one made up")
    func twice() {
        let driver = Driver(interval: 1)
        driver.drive(for: 60, east: 9000)
        driver.drive(for: 30, east: 30_000)
        let judgements = driver.drive(for: 400, east: 9000)
        #expect(judgements[0].verdict == .rejected)
        #expect(Self.shown(judgements) == 0)
    }

    @Test(
        "the place is shown a quarter of an hour after a vehicle can have driven there, or after two hours",
        arguments: [(20_000.0, 3333.0), (500_000, 7200)])
    func driven(east: Double, seconds: Double) throws {
        // On with 8 m/s across, so that 20 km become 33.
        let driver = Driver(interval: 5)
        let judgements = driver.drive(for: seconds + 1500, east: east)
        let hidden = try #require(judgements.lastIndex { $0.isFlagged })
        let end = Double(hidden) * driver.interval
        #expect((seconds + 800...seconds + 1100).contains(end), "\(end)")
        #expect(judgements.suffix(10).allSatisfy { !$0.isFlagged })
    }
}
