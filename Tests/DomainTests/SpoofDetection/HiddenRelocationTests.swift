import TestSupport
import Testing

@testable import Domain

/// A flagged driver who relocates stays hidden, because its own fixes alone do not support the new position.
@Suite struct HiddenRelocationTests {
    /// Driver that has driven north for a while, with a fix every `interval` seconds.
    private final class Driver {
        let driver = TestDriver()
        let interval: Double
        private(set) var seconds = 0.0
        private var random = SeededGenerator(seed: 61)

        init(interval: Double) {
            self.interval = interval
            drive(for: 120, east: 0)
        }

        /// Drives north, `east` metres from the street, with little noise; returns the results.
        @discardableResult
        func drive(for duration: Double, east: Double) -> [VerdictResult] {
            let end = seconds + duration
            var results: [VerdictResult] = []
            while seconds < end {
                results.append(
                    driver.send(east + random.normal(), 8 * seconds + random.normal(), at: seconds))
                seconds += interval
            }
            return results
        }
    }

    private static func shownCount(_ results: [VerdictResult]) -> Int {
        results.count { $0.verdict == .accepted && !$0.isFlagged }
    }

    @Test(
        "a driver who jumps 9 km, as to a taxi queue, is shown for at most half a minute", arguments: [1.0, 2, 5, 10])
    func queueJumper(interval: Double) {
        let driver = Driver(interval: interval)
        let results = driver.drive(for: 840, east: 9000)
        #expect(Self.shownCount(results) <= Int(30 / interval) + 1, "\(Self.shownCount(results)) of \(results.count)")
        #expect(results.suffix(10).allSatisfy { $0.isFlagged })
    }

    @Test("a relocation of a flagged driver stays hidden, also directly after a gap")
    func underFlag() {
        let driver = Driver(interval: 1)
        driver.driver.template.isMock = true
        driver.drive(for: 60, east: 0)
        driver.driver.template.isMock = false
        #expect(driver.driver.state.risk.isFlagged)
        driver.driver.state.lastAccepted.fixesSinceGap = 0
        let results = driver.drive(for: 700, east: 9000)
        #expect(results.contains { $0.reasons.contains(.relocated) })
        #expect(Self.shownCount(results) == 0)
    }

    @Test("a driver who returns to a reachable position is accepted at once, and shown when the evidence has decayed")
    func back() throws {
        let driver = Driver(interval: 1)
        driver.drive(for: 300, east: 9000)
        let results = driver.drive(for: 300, east: 0)
        #expect(results.allSatisfy { $0.verdict == .accepted })
        #expect(results[0].reasons.contains(.relocated))
        let shown = try #require(results.firstIndex { !$0.isFlagged })
        #expect(shown < 60)
    }

    @Test(
        "a driver whose receiver was wrong for up to 20 s is accepted at the first correct fix, and shown again",
        arguments: [5.0, 10, 20])
    func glitch(seconds: Double) throws {
        let driver = Driver(interval: 1)
        driver.drive(for: seconds, east: 9000)
        let results = driver.drive(for: 400, east: 0)
        #expect(results.allSatisfy { $0.verdict == .accepted })
        // The return must not count as another jump.
        let hidden = results.lastIndex { $0.isFlagged } ?? 0
        #expect(hidden < 160, "\(hidden)")
    }

    @Test("a driver without a flag who leaves a tunnel far away is shown at the exit", arguments: [60.0, 290])
    func tunnel(seconds: Double) {
        let driver = TestDriver()
        driver.drive(for: 60)
        let far = 600 + 50 * seconds
        let results = (0..<120).map { driver.send(far + 10 * Double($0), at: 59 + seconds + Double($0)) }
        #expect(results.allSatisfy { $0.verdict == .accepted && !$0.isFlagged && $0.reasons.isEmpty })
    }

    @Test("after a second relocation, a return to the unsupported position of the first relocation is rejected")
    func twice() {
        let driver = Driver(interval: 1)
        driver.drive(for: 60, east: 9000)
        driver.drive(for: 30, east: 30_000)
        let results = driver.drive(for: 400, east: 9000)
        #expect(results[0].verdict == .rejected)
        #expect(Self.shownCount(results) == 0)
    }

    @Test(
        "a new position is shown 15 minutes after it is reachable at 10 m/s, or 15 minutes after two hours",
        arguments: [(20_000.0, 3333.0), (500_000, 7200)])
    func driven(east: Double, seconds: Double) throws {
        // The vehicle drives on north at 8 m/s, so it is 33 km from its origin after 3,333 s.
        let driver = Driver(interval: 5)
        let results = driver.drive(for: seconds + 1500, east: east)
        let hidden = try #require(results.lastIndex { $0.isFlagged })
        let end = Double(hidden) * driver.interval
        #expect((seconds + 800...seconds + 1100).contains(end), "\(end)")
        #expect(results.suffix(10).allSatisfy { !$0.isFlagged })
    }
}
