import Domain
import Foundation
import Recordings
import Simulation
import Support

/// A phone whose chip filters its positions: next to no noise from fix to fix, and errors that stay.
package struct FilteringPhone: Sendable {
    /// Where the speed and the heading come from.
    package enum Velocity: String, Sendable, CaseIterable {
        /// From the satellites' Doppler measurement: right during a drift, too.
        case measured
        /// From the track itself, which the drift bends; the leap back at its end is left out.
        case derived
        /// There is none.
        case absent
    }

    package var velocity = Velocity.measured
    package var givesAccuracy = true
    package var intervalSeconds = 1.0

    /// White noise per axis, in metres: recorded phones that filter have 0.2 to 0.36.
    private static let whiteMeters = 0.3
    /// The error that stays, per axis, in metres, and how long it does, in seconds: half of all recorded fixes are
    /// within 2.1 m (GSDC 2021).
    private static let slowMeters = 1.5
    private static let slowSeconds = 60.0
    /// Noise of the velocity per axis, m/s.
    private static let velocityNoise = 0.3
    /// The accuracy that is stated throughout, in metres: a drift is not noticed by the phone itself.
    private static let statedMeters = 4.0

    package init() {}

    /// The fixes along a drive with their truth; the same seed gives the same ones.
    package func trace(of drive: SimulatedDrive, with excursions: [Excursion], seed: UInt64) -> RecordedTrace {
        var random = RandomSource(seed: seed, index: 0, purpose: 3)
        let plane = TangentPlane(origin: SimulatedReceiver().origin)
        var trace = RecordedTrace(id: "simulated-\(seed)", driverID: "simulated")
        let keep = exp(-intervalSeconds / Self.slowSeconds)
        let fresh = (1 - keep * keep).squareRoot()
        var slow = (east: random.normal(), north: random.normal())
        for step in drive.steps(every: intervalSeconds) {
            slow.east = keep * slow.east + fresh * random.normal()
            slow.north = keep * slow.north + fresh * random.normal()
            var point = TangentPlane.Point(
                east: step.east + Self.slowMeters * slow.east + Self.whiteMeters * random.normal(),
                north: step.north + Self.slowMeters * slow.north + Self.whiteMeters * random.normal())
            for excursion in excursions {
                point.east += excursion.east * excursion.share(atSeconds: step.seconds)
                point.north += excursion.north * excursion.share(atSeconds: step.seconds)
            }
            var fix = Fix(coordinate: plane.coordinate(of: point))
            fix.deviceAt = Timestamp(milliseconds: 1_700_000_000_000 + Int64((step.seconds * 1000).rounded()))
            fix.contentHash = random.next()
            if givesAccuracy { fix.accuracyMeters = Self.statedMeters }
            if velocity != .absent { addVelocity(to: &fix, step, excursions, random: &random) }
            trace.fixes.append(fix)
            trace.truth.append(plane.coordinate(of: TangentPlane.Point(east: step.east, north: step.north)))
            trace.isSpoofed.append(false)
        }
        return trace
    }

    private func addVelocity(
        to fix: inout Fix, _ step: SimulatedDrive.Step, _ excursions: [Excursion], random: inout RandomSource
    ) {
        guard step.speedMetersPerSecond >= 0.05 else {
            fix.speedMetersPerSecond = 0
            return
        }
        let angle = step.headingDegrees * .pi / 180
        var east = step.speedMetersPerSecond * sin(angle) + Self.velocityNoise * random.normal()
        var north = step.speedMetersPerSecond * cos(angle) + Self.velocityNoise * random.normal()
        if velocity == .derived {
            for excursion in excursions {
                east += excursion.east * excursion.sharePerSecond(atSeconds: step.seconds)
                north += excursion.north * excursion.sharePerSecond(atSeconds: step.seconds)
            }
        }
        fix.speedMetersPerSecond = (east * east + north * north).squareRoot()
        fix.headingDegrees = Geodesy.normalizedHeading(atan2(east, north) * 180 / .pi)
    }
}
