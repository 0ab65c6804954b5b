import Foundation
import TestSupport
import Testing

@testable import Tracking

/// Receivers that are right to centimetres, in vehicles whose speed hardly changes.
@Suite struct PreciseReceiverTests {
    struct Receiver: Sendable {
        var hertz: Double
        var linesPerDegree: Double
    }

    private static let receivers: [Receiver] = [1.0, 2, 5].flatMap { hertz in
        [1e6, 2e6, 1e7, 1e8, 1e9].map { Receiver(hertz: hertz, linesPerDegree: $0) }
    }

    /// A minute and a half in town, then a motorway under cruise control, whose speed wanders by 1 km/h.
    private static func judgements(_ receiver: Receiver, seed: UInt64) -> [Judgement] {
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        let step = 1 / receiver.hertz
        var (way, speed, error) = (0.0, 8.0, 0.0)
        return stride(from: 0.0, to: 900, by: step).map { second in
            let target = second < 90 ? 8 + 5 * sin(second / 4) : 27 + 0.3 * sin(second / 9) + 0.1 * sin(second / 23)
            speed += max(-2 * step, min(2 * step, target - speed))
            way += speed * step
            error += (0.005 * random.normal() - error * 0.1) * step
            driver.template.speedMetersPerSecond = (speed * 100).rounded() / 100
            var fix = driver.fix(way + error, 30 * sin(way / 400) + 0.005 * random.normal(), at: second)
            let lines = receiver.linesPerDegree
            fix.coordinate = Coordinate(
                latitude: (fix.coordinate.latitude * lines).rounded() / lines,
                longitude: (fix.coordinate.longitude * lines).rounded() / lines)
            return driver.judge(fix)
        }
    }

    @Test("a survey-grade receiver on a motorway is not taken for a simulator", arguments: receivers)
    func motorway(receiver: Receiver) {
        for seed: UInt64 in [81, 82] {
            let judgements = Self.judgements(receiver, seed: seed)
            #expect(judgements.allSatisfy { $0.risk < 0.5 && !$0.isFlagged }, "seed \(seed)")
            #expect(judgements.count { $0.signals.contains(.equalSteps) } <= 1, "seed \(seed)")
        }
    }

    @Test("a simulator that turns corners at one speed is flagged within a minute")
    func simulator() throws {
        let seed: UInt64 = 83
        var random = SeededGenerator(seed: seed)
        let driver = TestDriver()
        var way = 0.0
        for second in 0..<90 {
            way += 10 + 3 * random.normal()
            driver.send(0, way, at: Double(second))
        }
        let judgements = (90..<180).map { second in
            // Legs of 170 m, each turned by 90 degrees from the one before.
            let meters = 13.7 * Double(second - 89)
            let (leg, rest) = (Int(meters / 170), meters.truncatingRemainder(dividingBy: 170))
            let (along, across) = (Double((leg + 1) / 2) * 170, Double(leg / 2) * 170)
            let (east, north) = leg % 2 == 0 ? (across, along + rest) : (across + rest, along)
            return driver.send(east, way + north, at: Double(second))
        }
        let flagged = try #require(judgements.firstIndex { $0.isFlagged }, "seed \(seed)")
        #expect(flagged < 60, "\(flagged)")
    }
}
