import Model
import Support

/// Mean and covariance of a vehicle's position and velocity, given fixes before and after them.
///
/// The steps are those of Rauch, Tung and Striebel (1965), in the notation of the filter: with the gain
/// C = P·Fᵀ·P⁻¹(predicted), the estimate after a fix moves by C times how far the next one, smoothed, is from what it
/// predicted. The filter's own predictions are used, so that nothing is assumed of vehicles twice.
struct BackwardEstimate {
    private(set) var coordinate: Coordinate
    private(set) var velocity: SIMD2<Double>
    private var covariance: Matrix4
    /// The fix that it is of.
    private var filtered: FilteredFix

    /// Steps whose innovation is over this (squared, over its variance) are none: the filter had started over.
    private static let gate = 25.0
    /// Variance per axis that is added for that comparison, m²: positions that are known to centimetres are rounded.
    private static let roundingVariance = 1.0
    /// Keeps the covariance of a vehicle that stands invertible.
    private static let leastVariance = 1e-9

    /// The last fix of a vehicle, of which nothing later is known.
    init(_ fix: FilteredFix) {
        coordinate = fix.coordinate
        velocity = SIMD2(Double(fix.eastMetersPerSecond), Double(fix.northMetersPerSecond))
        covariance = Matrix4(KinematicEstimate(fix))
        filtered = fix
    }

    /// Goes back to the fix before; what is known of the later one counts unless the filter started over between them.
    mutating func step(to fix: FilteredFix, _ filter: borrowing KinematicFilter) {
        let seconds = filtered.fixedAt.seconds(since: fix.fixedAt)
        guard seconds >= 0, seconds <= filter.settings.restartAfterSeconds else { return self = Self(fix) }
        let plane = TangentPlane(origin: fix.coordinate)
        let estimate = KinematicEstimate(fix)
        var predicted = estimate
        let stands = fix.isHalted && filtered.isHalted
        filter.predict(&predicted, isHalted: stands, seconds: seconds)
        guard let inverse = LDLFactors(Matrix4(predicted), adding: Self.leastVariance),
            !Self.isApart(plane.point(of: filtered.coordinate), predicted)
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

    private static func isApart(_ next: TangentPlane.Point, _ predicted: KinematicEstimate) -> Bool {
        let ee = predicted.row0.x + roundingVariance
        let nn = predicted.row1.y + roundingVariance
        let en = predicted.row0.y
        let east = next.east - predicted.mean.x
        let north = next.north - predicted.mean.y
        let squared = nn * east * east - 2 * en * east * north + ee * north * north
        return !(squared <= gate * (ee * nn - en * en))
    }

    /// What is told of the fix.
    ///
    /// The accuracy is the one told with the fix, less what the later fixes took off the variance: errors that last
    /// are as large as before.
    func smoothedFix(radiusPerSigma: Double) -> SmoothedFix {
        let speed = (velocity * velocity).sum().squareRoot()
        let heading: Double? =
            speed >= 1
            ? Geodesy.normalizedHeading(Elementary.atan2(velocity.x, velocity.y) * 180 / .pi)
            : filtered.headingDegrees < 0 ? nil : Double(filtered.headingDegrees)
        let before = Double(filtered.covariance.ee + filtered.covariance.nn) / 2
        let after = max(0, (covariance.row0.x + covariance.row1.y) / 2)
        let told = Double(filtered.accuracyMeters)
        let less = radiusPerSigma * radiusPerSigma * max(0, before - after)
        return SmoothedFix(
            coordinate: coordinate, headingDegrees: heading, speedMetersPerSecond: speed,
            accuracyMeters: max(0, told * told - less).squareRoot())
    }
}

extension KinematicEstimate {
    /// What the filter knew after a fix, centred on its own position.
    init(_ fix: borrowing FilteredFix) {
        self.init(
            east: fix.eastMetersPerSecond, north: fix.northMetersPerSecond, covariance: fix.covariance)
    }
}
