import Foundation
import TestSupport
import Testing

@testable import Domain

/// One coordinate is frozen while the other follows the vehicle.
@Suite struct FrozenAxisTests {
    /// The coordinate that freezes, the rounding and the interval.
    struct Case: Sendable {
        var freezesLatitude: Bool
        var linesPerDegree = 1e7
        var interval = 1.0
        var isFlagged = true
    }

    /// Drives in a wide circle at 12 m/s with true heading and speed; from `start` on, one coordinate freezes.
    private static func results(_ example: Case, freezesAt start: Double, seed: UInt64 = 71) -> [VerdictResult] {
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        var frozen: Coordinate?
        return stride(from: 0, to: 400, by: example.interval).map { second in
            let angle = 12 * second / 1500
            driver.template.headingDegrees = (450 - (angle * 180 / .pi + 90)).truncatingRemainder(dividingBy: 360)
            driver.template.speedMetersPerSecond = 12 + 0.2 * random.normal()
            driver.template.accuracyMeters = 5 + Double.random(in: -1...1, using: &random)
            var fix = driver.fix(
                1500 * cos(angle) + random.normal(), 1500 * sin(angle) + random.normal(), at: second)
            let lines = example.linesPerDegree
            fix.coordinate = Coordinate(
                latitude: (fix.coordinate.latitude * lines).rounded() / lines,
                longitude: (fix.coordinate.longitude * lines).rounded() / lines)
            if second >= start {
                let place = frozen ?? fix.coordinate
                frozen = place
                if example.freezesLatitude {
                    fix.coordinate.latitude = place.latitude
                } else {
                    fix.coordinate.longitude = place.longitude
                }
            }
            return driver.evaluate(fix)
        }
    }

    private static let cases = [
        Case(freezesLatitude: true), Case(freezesLatitude: false), Case(freezesLatitude: true, linesPerDegree: 1e5),
        Case(freezesLatitude: true, interval: 2), Case(freezesLatitude: false, linesPerDegree: 1e6, interval: 5),
    ]

    @Test("a driver is flagged when one coordinate freezes while the vehicle moves along that axis", arguments: cases)
    func frozen(example: Case) {
        #expect(Self.results(example, freezesAt: 200).contains { $0.isFlagged })
    }

    @Test(
        "rounded coordinates of a device that moves along both axes make no driver a suspect",
        arguments: [1e3, 1e4, 2e4, 6e4, 1e5, 1e6, 1e7], [1.0, 5])
    func rounded(linesPerDegree: Double, interval: Double) {
        let example = Case(freezesLatitude: true, linesPerDegree: linesPerDegree, interval: interval)
        for seed: UInt64 in 72...75 {
            let results = Self.results(example, freezesAt: .infinity, seed: seed)
            #expect(results.allSatisfy { $0.risk < 0.7 && $0.verdict == .accepted }, "seed \(seed)")
        }
    }

    @Test("a drive exactly along a parallel or a meridian keeps the risk below 0.5", arguments: [0.0, 90, 180, 270])
    func straight(heading: Double) {
        let driver = TestDriver()
        driver.template.headingDegrees = heading
        let direction = Direction(headingDegrees: heading)
        for second in 0..<300 {
            driver.template.speedMetersPerSecond = 12 + Double(second % 5) / 10
            let driven = 12 * Double(second)
            let result = driver.send(
                (driven * direction.east).rounded(), (driven * direction.north).rounded(), at: Double(second))
            #expect(result.risk < 0.5 && result.verdict == .accepted)
        }
    }
}
