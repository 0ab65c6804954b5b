import Support

/// Position and velocity of a vehicle given earlier and later fixes, with covariance.
///
/// Rauch-Tung-Striebel smoother (1965): with the gain C = P·Fᵀ·P⁻¹(predicted), the estimate after a fix moves by C
/// times the difference between the next smoothed estimate and its prediction.
struct BackwardEstimate {
    private(set) var coordinate: Coordinate
    private(set) var velocity: SIMD2<Double>
    private var covariance: Matrix4
    /// Fix to which the estimate belongs.
    private var filtered: FilteredFix

    /// Innovation gate (squared, over its variance), beyond which the filter had restarted.
    private static let gate = 25.0
    /// Variance per axis added in the gate, m², because even very accurate positions are rounded.
    private static let roundingVariance = 1.0
    /// Variance added to the diagonal, to keep the covariance of a stationary vehicle invertible.
    private static let leastVariance = 1e-9

    /// Creates the estimate at the last fix of a vehicle.
    init(_ fix: FilteredFix) {
        coordinate = fix.coordinate
        velocity = SIMD2(Double(fix.eastMetersPerSecond), Double(fix.northMetersPerSecond))
        covariance = Matrix4(KinematicEstimate(fix))
        filtered = fix
    }

    /// Steps back to the previous fix; if the filter restarted in between, discards the later fixes.
    mutating func step(to fix: FilteredFix, _ filter: borrowing KinematicFilter) {
        let seconds = filtered.fixedAt.seconds(since: fix.fixedAt)
        guard seconds >= 0, seconds <= filter.settings.restartAfterSeconds else { return self = Self(fix) }
        let plane = TangentPlane(origin: fix.coordinate)
        let estimate = KinematicEstimate(fix)
        var predicted = estimate
        let stands = fix.isHalted && filtered.isHalted
        filter.predict(&predicted, isHalted: stands, seconds: seconds)
        guard let inverse = LDLFactors(Matrix4(predicted), adding: Self.leastVariance),
            !Self.isBeyondGate(plane.point(of: filtered.coordinate), predicted)
        else { return self = Self(fix) }
        let later = plane.point(of: coordinate)
        let difference = SIMD4(later.east, later.north, velocity.x, velocity.y) - predicted.mean
        // F·P, whose transpose is P·Fᵀ.
        let known = Matrix4(estimate)
        let moved = stands ? known : known.movedAtConstantVelocity(seconds: seconds)
        let mean = estimate.mean + moved.transposed(times: inverse.solve(difference))
        let gain = inverse.solve(moved)
        covariance = known + gain.transposed(times: covariance * gain - moved)
        coordinate = plane.coordinate(of: TangentPlane.Point(east: mean.x, north: mean.y))
        velocity = SIMD2(mean.z, mean.w)
        filtered = fix
    }

    private static func isBeyondGate(_ next: TangentPlane.Point, _ predicted: KinematicEstimate) -> Bool {
        let ee = predicted.row0.x + roundingVariance
        let nn = predicted.row1.y + roundingVariance
        let en = predicted.row0.y
        let east = next.east - predicted.mean.x
        let north = next.north - predicted.mean.y
        let squared = nn * east * east - 2 * en * east * north + ee * north * north
        return !(squared <= gate * (ee * nn - en * en))
    }

    /// Returns the smoothed fix, with the live accuracy reduced by the variance that later fixes removed.
    func smoothedFix(radiusPerSigma: Double) -> SmoothedFix {
        let speed = (velocity * velocity).sum().squareRoot()
        let heading: Double? =
            speed >= 1
            ? Geodesy.normalizedHeading(Elementary.atan2(velocity.x, velocity.y) * 180 / .pi)
            : filtered.headingDegrees < 0 ? nil : Double(filtered.headingDegrees)
        let before = Double(filtered.covariance.ee + filtered.covariance.nn) / 2
        let after = max(0, (covariance.row0.x + covariance.row1.y) / 2)
        let live = Double(filtered.accuracyMeters)
        let reduction = radiusPerSigma * radiusPerSigma * max(0, before - after)
        return SmoothedFix(
            coordinate: coordinate, headingDegrees: heading, speedMetersPerSecond: speed,
            accuracyMeters: max(0, live * live - reduction).squareRoot())
    }
}

extension KinematicEstimate {
    /// Creates the filter estimate after a fix, centred on its position.
    init(_ fix: borrowing FilteredFix) {
        self.init(east: fix.eastMetersPerSecond, north: fix.northMetersPerSecond, covariance: fix.covariance)
    }
}

/// Position of a vehicle at one fix, smoothed with earlier and later fixes.
package struct SmoothedFix: Sendable, Equatable {
    package var coordinate: Coordinate
    /// Degrees clockwise from north, [0, 360); `nil` before the first movement.
    package var headingDegrees: Double?
    package var speedMetersPerSecond: Double
    /// Radius that contains 68 % of the errors, in metres.
    package var accuracyMeters: Double
}
