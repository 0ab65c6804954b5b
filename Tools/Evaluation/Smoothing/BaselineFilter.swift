import Domain
import Foundation
import Recordings

/// Familiar filters that the smoothing is compared with.
package enum BaselineFilter: String, Sendable, CaseIterable {
    /// k = P/(P+R) on position alone and nothing added to P: the mean of the whole trip.
    case averaging
    /// Constant velocity, positions only, noise as the device reports it.
    case constantVelocity
    /// The same with the reported speed and heading as a second measurement.
    case reportedVelocity

    /// As in tables.
    package var name: String {
        switch self {
        case .averaging: "averaging"
        case .constantVelocity: "constant velocity"
        case .reportedVelocity: "+ reported velocity"
        }
    }

    /// What the filter makes of a trace.
    package func track(of trace: RecordedTrace) -> ShownTrack {
        guard let first = trace.fixes.first else { return ShownTrack() }
        let plane = TangentPlane(origin: first.coordinate)
        var filter = PlainFilter(kind: self)
        var shown = ShownTrack()
        var previous = first.deviceAt
        for fix in trace.fixes {
            let seconds = previous.flatMap { earlier in fix.deviceAt?.seconds(since: earlier) } ?? 0
            // None of them has a notion of order; a fix from before moves nothing.
            guard seconds >= 0 else {
                shown.show(nil)
                continue
            }
            previous = fix.deviceAt
            filter.take(fix, at: plane.point(of: fix.coordinate), after: seconds)
            let point = TangentPlane.Point(east: filter.east.position, north: filter.north.position)
            shown.show(ShownTrack.Position(coordinate: plane.coordinate(of: point)))
        }
        return shown
    }
}

/// One axis each way, independent of each other.
private struct PlainFilter {
    /// Noise of the position where the device reports none, in metres: low, which suits good receivers; with 15 m these
    /// filters are twice as far off on the recordings.
    static let unknownNoiseMeters = 3.0
    /// White acceleration, m/s²: the usual start value for cars.
    static let acceleration = 1.5
    /// Noise of the reported velocity, m/s.
    static let velocityNoise = 0.7
    /// Slower speeds come without a heading worth using, m/s.
    static let leastSpeed = 0.5

    let kind: BaselineFilter
    var east = PlainAxis()
    var north = PlainAxis()
    var isStarted = false

    mutating func take(_ fix: Fix, at point: TangentPlane.Point, after seconds: Double) {
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

/// Position and velocity along one axis with their covariance.
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
