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

    /// Returns the filtered positions of a trace.
    package func track(of trace: RecordedTrace) -> ShownTrack {
        guard let first = trace.fixes.first else { return ShownTrack() }
        let plane = TangentPlane(origin: first.coordinate)
        var filter = PlainFilter(kind: self)
        var track = ShownTrack()
        var previous = first.deviceAt
        for fix in trace.fixes {
            let seconds = previous.flatMap { earlier in fix.deviceAt?.seconds(since: earlier) } ?? 0
            // These filters cannot process late fixes, so a fix that is older than its predecessor is ignored.
            guard seconds >= 0 else {
                track.append(nil)
                continue
            }
            previous = fix.deviceAt
            filter.update(fix, at: plane.point(of: fix.coordinate), after: seconds)
            let point = TangentPlane.Point(east: filter.east.position, north: filter.north.position)
            track.append(ShownTrack.Position(coordinate: plane.coordinate(of: point)))
        }
        return track
    }
}

/// Filter with independent east and north axes.
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
    var east = PlainAxis()
    var north = PlainAxis()
    var isStarted = false

    mutating func update(_ fix: Fix, at point: TangentPlane.Point, after seconds: Double) {
        let noise = fix.accuracyMeters ?? Self.unknownNoiseMeters
        guard isStarted else {
            isStarted = true
            east.start(at: point.east, variance: noise * noise)
            north.start(at: point.north, variance: noise * noise)
            return
        }
        if kind != .averaging {
            east.predict(seconds: seconds, acceleration: Self.acceleration)
            north.predict(seconds: seconds, acceleration: Self.acceleration)
        }
        east.observe(position: point.east, variance: noise * noise)
        north.observe(position: point.north, variance: noise * noise)
        guard kind == .reportedVelocity, let speed = fix.speedMetersPerSecond, speed >= Self.leastSpeed,
            let heading = fix.headingDegrees
        else { return }
        let angle = heading * .pi / 180
        east.observe(velocity: speed * sin(angle), variance: Self.velocityNoise * Self.velocityNoise)
        north.observe(velocity: speed * cos(angle), variance: Self.velocityNoise * Self.velocityNoise)
    }
}

/// Position and velocity along one axis, with their covariance.
private struct PlainAxis {
    private(set) var position = 0.0
    private(set) var velocity = 0.0
    private var pp = 0.0
    private var pv = 0.0
    private var vv = 0.0

    mutating func start(at position: Double, variance: Double) {
        self.position = position
        pp = variance
        vv = 100
    }

    mutating func predict(seconds: Double, acceleration: Double) {
        position += velocity * seconds
        let noise = acceleration * acceleration * seconds * seconds
        pp += 2 * seconds * pv + seconds * seconds * vv + noise * seconds * seconds / 4
        pv += seconds * vv + noise * seconds / 2
        vv += noise
    }

    mutating func observe(position measured: Double, variance: Double) {
        let residual = measured - position
        let (forPosition, forVelocity) = (pp / (pp + variance), pv / (pp + variance))
        position += forPosition * residual
        velocity += forVelocity * residual
        vv -= forVelocity * pv
        pv -= forVelocity * pp
        pp -= forPosition * pp
    }

    mutating func observe(velocity measured: Double, variance: Double) {
        let residual = measured - velocity
        let (forPosition, forVelocity) = (pv / (vv + variance), vv / (vv + variance))
        position += forPosition * residual
        velocity += forVelocity * residual
        pp -= forPosition * pv
        pv -= forPosition * vv
        vv -= forVelocity * vv
    }
}
