import Domain
import Foundation
import Recordings

/// Simple filters for comparison with Sightline's smoothing.
package enum BaselineFilter: String, Sendable, CaseIterable {
    /// k = P/(P+R) on the position, without process noise: the mean of the whole trip.
    case averaging
    /// Constant velocity from positions, with the reported accuracy as noise.
    case constantVelocity
    /// Like ``constantVelocity``, with the reported speed and heading as a second measurement.
    case reportedVelocity

    package func track(of trace: RecordedTrace) -> ShownTrack {
        guard let first = trace.fixes.first else { return ShownTrack([]) }
        let plane = TangentPlane(origin: first.coordinate)
        var filter = PlainFilter(kind: self)
        var previous = first.deviceAt
        let estimates = trace.fixes.map { fix -> ShownTrack.Position? in
            let seconds = previous.flatMap { earlier in fix.deviceAt?.seconds(since: earlier) } ?? 0
            // These filters cannot process late fixes, so a fix that is older than its predecessor is ignored.
            guard seconds >= 0 else { return nil }
            previous = fix.deviceAt
            filter.update(fix, at: plane.point(of: fix.coordinate), after: seconds)
            let point = TangentPlane.Point(east: filter.position.x, north: filter.position.y)
            return ShownTrack.Position(coordinate: plane.coordinate(of: point))
        }
        return ShownTrack(estimates)
    }
}

/// Filter of east and north, which are independent and have the same covariance.
private struct PlainFilter {
    /// Position noise in metres without a reported accuracy: low, which suits good receivers; with 15 m the errors of
    /// these filters on the recordings are twice as large.
    static let unknownNoiseMeters = 3.0
    /// White acceleration noise in m/s², a usual value for cars.
    static let acceleration = 1.5
    /// Noise of the reported velocity, in m/s.
    static let velocityNoise = 0.7
    /// Minimum speed for a usable heading, in m/s.
    static let leastSpeed = 0.5

    let kind: BaselineFilter
    private(set) var position = SIMD2<Double>()
    private var velocity = SIMD2<Double>()
    private var (pp, pv, vv) = (0.0, 0.0, 0.0)
    private var isStarted = false

    init(kind: BaselineFilter) { self.kind = kind }

    mutating func update(_ fix: Fix, at point: TangentPlane.Point, after seconds: Double) {
        let noise = fix.accuracyMeters ?? Self.unknownNoiseMeters
        let measured = SIMD2(point.east, point.north)
        guard isStarted else {
            isStarted = true
            position = measured
            (pp, vv) = (noise * noise, 100)
            return
        }
        if kind != .averaging { predict(seconds: seconds) }
        observe(position: measured, variance: noise * noise)
        guard kind == .reportedVelocity, let speed = fix.speedMetersPerSecond, speed >= Self.leastSpeed,
            let heading = fix.headingDegrees
        else { return }
        let angle = heading * .pi / 180
        observe(
            velocity: SIMD2(speed * sin(angle), speed * cos(angle)), variance: Self.velocityNoise * Self.velocityNoise)
    }

    private mutating func predict(seconds: Double) {
        position += velocity * seconds
        let noise = Self.acceleration * Self.acceleration * seconds * seconds
        pp += 2 * seconds * pv + seconds * seconds * vv + noise * seconds * seconds / 4
        pv += seconds * vv + noise * seconds / 2
        vv += noise
    }

    private mutating func observe(position measured: SIMD2<Double>, variance: Double) {
        let residual = measured - position
        let (forPosition, forVelocity) = (pp / (pp + variance), pv / (pp + variance))
        position += forPosition * residual
        velocity += forVelocity * residual
        vv -= forVelocity * pv
        pv -= forVelocity * pp
        pp -= forPosition * pp
    }

    private mutating func observe(velocity measured: SIMD2<Double>, variance: Double) {
        let residual = measured - velocity
        let (forPosition, forVelocity) = (pv / (vv + variance), vv / (vv + variance))
        position += forPosition * residual
        velocity += forVelocity * residual
        pp -= forPosition * pv
        pv -= forPosition * vv
        vv -= forVelocity * vv
    }
}
