import Foundation
import Simulation

/// A car in town with a known true path: it accelerates, turns at corners, and stops at traffic lights.
package struct SimulatedDrive: Sendable {
    package enum Style: String, Sendable {
        case town
        /// Half of the decisions are corners.
        case turns
        /// Half of the decisions are stops.
        case stopAndGo
    }

    /// State of the car at one instant.
    package struct Step: Sendable {
        package var seconds: Double
        /// Metres from the start.
        package var east: Double
        package var north: Double
        package var speedMetersPerSecond: Double
        package var headingDegrees: Double
    }

    /// One step per ``tickSeconds``.
    package private(set) var steps: [Step] = []

    package static let tickSeconds = 0.1

    package init(seed: UInt64, seconds: Double, style: Style = .town) {
        var random = RandomSource(seed: seed)
        var step = Step(
            seconds: 0, east: 0, north: 0, speedMetersPerSecond: 0, headingDegrees: random.uniform(in: 0...359.9))
        var phase = Phase()
        for _ in 0..<Int((seconds / Self.tickSeconds).rounded()) {
            steps.append(step)
            if step.seconds >= phase.endSeconds { phase = Phase(after: step, style: style, random: &random) }
            step.advance(phase)
        }
    }

    package init(parkedSeconds seconds: Double) {
        steps = (0..<Int((seconds / Self.tickSeconds).rounded())).map { tick in
            Step(
                seconds: Double(tick) * Self.tickSeconds, east: 0, north: 0, speedMetersPerSecond: 0, headingDegrees: 0)
        }
    }

    /// Returns the steps at an interval, which is rounded to a tenth of a second.
    package func steps(every intervalSeconds: Double) -> [Step] {
        let stride = max(1, Int((intervalSeconds / Self.tickSeconds).rounded()))
        return Swift.stride(from: 0, to: steps.count, by: stride).map { steps[$0] }
    }
}

/// Target of the car until its next decision.
private struct Phase {
    var targetMetersPerSecond = 12.0
    var turnDegreesPerSecond = 0.0
    var endSeconds = 0.0

    init() {}

    init(after step: SimulatedDrive.Step, style: SimulatedDrive.Style, random: inout RandomSource) {
        let (stops, turns) =
            switch style {
            case .town: (0.25, 0.25)
            case .turns: (0.1, 0.5)
            case .stopAndGo: (0.5, 0.1)
            }
        let draw = random.uniform()
        if draw < stops {
            targetMetersPerSecond = 0
            endSeconds = step.seconds + random.uniform(in: 12...40)
        } else if draw < stops + turns {
            targetMetersPerSecond = 6
            turnDegreesPerSecond = random.chance(0.5) ? 15 : -15
            endSeconds = step.seconds + 6
        } else {
            targetMetersPerSecond = random.uniform(in: 8...17)
            endSeconds = step.seconds + random.uniform(in: 10...30)
        }
    }
}

extension SimulatedDrive.Step {
    /// Advances one tick: accelerates by 1.5 m/s² or brakes by 2.5 m/s² towards the target, and turns below 9 m/s.
    fileprivate mutating func advance(_ phase: Phase) {
        let tick = SimulatedDrive.tickSeconds
        let limit = speedMetersPerSecond < phase.targetMetersPerSecond ? 1.5 : 2.5
        let change = phase.targetMetersPerSecond - speedMetersPerSecond
        speedMetersPerSecond += max(-limit * tick, min(limit * tick, change))
        if speedMetersPerSecond > 1, speedMetersPerSecond < 9 { headingDegrees += phase.turnDegreesPerSecond * tick }
        east += speedMetersPerSecond * sin(headingDegrees * .pi / 180) * tick
        north += speedMetersPerSecond * cos(headingDegrees * .pi / 180) * tick
        seconds += tick
    }
}
