import TestSupport
import Foundation

@testable import Tracking

/// A car in town with the truth known: it accelerates, turns at corners, and stands at lights.
struct SimulatedDrive {
    struct Step {
        var seconds: Double
        var east: Double
        var north: Double
        var speed: Double
        var heading: Double
    }

    /// How the noise of the positions behaves.
    enum Noise {
        /// Independent from fix to fix.
        case white
        /// 70 % of the variance first-order autoregressive with a time constant of 40 s, the rest white.
        case correlated
    }

    static let origin = Coordinate(latitude: 48.1374, longitude: 11.5755)

    var steps: [Step]

    /// `duration` and `interval` in seconds.
    init(seed: UInt64, duration: Double, interval: Double) {
        var random = SeededGenerator(seed: seed)
        var step = Step(seconds: 0, east: 0, north: 0, speed: 0, heading: Double.random(in: 0..<360, using: &random))
        var target = 12.0
        var phaseEnds = 0.0
        var turn = 0.0
        let tick = 0.1
        steps = []
        var next = 0.0
        while step.seconds < duration {
            if step.seconds >= next - 1e-9 {
                steps.append(step)
                next += interval
            }
            if step.seconds >= phaseEnds {
                let draw = Double.random(in: 0..<1, using: &random)
                turn = 0
                if draw < 0.25 {
                    target = 0
                    phaseEnds = step.seconds + Double.random(in: 12..<40, using: &random)
                } else if draw < 0.5 {
                    target = 6
                    turn = (Bool.random(using: &random) ? 1 : -1) * 15
                    phaseEnds = step.seconds + 6
                } else {
                    target = Double.random(in: 8..<17, using: &random)
                    phaseEnds = step.seconds + Double.random(in: 10..<30, using: &random)
                }
            }
            let limit = step.speed < target ? 1.5 : 2.5
            step.speed += max(-limit * tick, min(limit * tick, target - step.speed))
            if step.speed > 1, step.speed < 9 { step.heading += turn * tick }
            step.east += step.speed * sin(step.heading * .pi / 180) * tick
            step.north += step.speed * cos(step.heading * .pi / 180) * tick
            step.seconds += tick
        }
    }

    /// The truth of step `index`.
    func truth(_ index: Int, around origin: Coordinate = origin) -> Coordinate {
        TangentPlane(origin: origin).coordinate(of: .init(east: steps[index].east, north: steps[index].north))
    }

    /// What a phone reports along the drive, with an honest accuracy, speed and heading.
    func fixes(
        sigma: Double, noise: Noise, seed: UInt64, withSpeed: Bool = true, withAccuracy: Bool = true,
        around origin: Coordinate = origin
    ) -> [Fix] {
        var random = SeededGenerator(seed: seed)
        let plane = TangentPlane(origin: origin)
        let slowShare = noise == .white ? 0 : 0.7
        var slow = (sigma * random.normal(), sigma * random.normal())
        var previous = 0.0
        return steps.map { step in
            let keep = exp(-(step.seconds - previous) / 40)
            previous = step.seconds
            let fresh = (1 - keep * keep).squareRoot() * sigma
            slow = (slow.0 * keep + fresh * random.normal(), slow.1 * keep + fresh * random.normal())
            let white = sigma * (1 - slowShare).squareRoot()
            let east = step.east + slowShare.squareRoot() * slow.0 + white * random.normal()
            let north = step.north + slowShare.squareRoot() * slow.1 + white * random.normal()
            var fix = Fix(coordinate: plane.coordinate(of: .init(east: east, north: north)))
            fix.deviceAt = Timestamp(milliseconds: 1_700_000_000_000 + Int64((step.seconds * 1000).rounded()))
            if withAccuracy { fix.accuracyMeters = sigma * 1.51 }
            if withSpeed {
                let eastward = step.speed * sin(step.heading * .pi / 180) + 0.5 * random.normal()
                let northward = step.speed * cos(step.heading * .pi / 180) + 0.5 * random.normal()
                let speed = (eastward * eastward + northward * northward).squareRoot()
                // A standing receiver reports the noise of its Doppler measurement, which is far below half a metre.
                fix.speedMetersPerSecond = step.speed < 0.05 ? abs(0.1 * random.normal()) : speed
                fix.headingDegrees = Geodesy.normalizedHeading(atan2(eastward, northward) * 180 / .pi)
            }
            return fix
        }
    }
}
