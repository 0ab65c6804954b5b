import TestSupport
import Testing

@testable import Domain

@Suite struct SustainedSpeedTests {
    private static let marks: Reasons = [.impossibleSpeed, .teleportation, .kinematicAnomaly]

    /// Returns, for each fix of a race that begins in mid-trip, whether it is rejected or marked.
    private static func race(
        _ metersPerSecond: Double, every interval: Double, accuracy: Double?, fixes: Int
    ) -> [Bool] {
        let driver = TestDriver()
        driver.template.accuracyMeters = accuracy
        var at = 0.0
        while at < 60 * interval {
            driver.send(at * 10, at: at)
            at += interval
        }
        let (start, begin) = ((at - interval) * 10, at - interval)
        return (1...fixes).map { index in
            let seconds = Double(index) * interval
            return !driver.send(start + seconds * metersPerSecond, at: begin + seconds).reasons
                .isDisjoint(with: Self.marks)
        }
    }

    @Test(
        "any speed above 250 km/h is marked within three fixes, at any interval",
        arguments: [1.0, 4, 10, 20, 30])
    func race(interval: Double) {
        let seed = UInt64(interval)
        var random = SeededGenerator(seed: seed)
        for accuracy in [3, 5, 10, 20, nil] as [Double?] {
            for _ in 0..<40 {
                let speed = Double.random(in: 251...900, using: &random) / 3.6
                let marks = Self.race(speed, every: interval, accuracy: accuracy, fixes: 3)
                #expect(marks.contains(true), "seed \(seed), \(speed) m/s, accuracy \(accuracy ?? -1)")
            }
        }
    }

    @Test(
        "the second step above 250 km/h is marked unless the accuracies explain the speed",
        arguments: [(69.4, 5.0, false), (69.5, 5, true), (69.5, 13.7, true), (69.5, 14.0, false)])
    func boundaries(metersPerSecond: Double, accuracy: Double, isMarked: Bool) {
        #expect(Self.race(metersPerSecond, every: 1, accuracy: accuracy, fixes: 2) == [false, isMarked])
    }

    @Test("neither one fast step nor two fast steps within less than 1.9 s are marked")
    func single() {
        #expect(Self.race(90, every: 1, accuracy: 5, fixes: 1) == [false])
        #expect(Self.race(90, every: 0.9, accuracy: 5, fixes: 2) == [false, false])
    }
}
