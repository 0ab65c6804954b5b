/// Mean and covariance of [east, north, vEast, vNorth] during one filter step, in double precision.
///
/// Measurements are processed as scalars, so the update needs no matrix inverse and the covariance stays positive.
struct KinematicEstimate {
    var mean: SIMD4<Double>
    /// Rows of the symmetric covariance.
    var row0: SIMD4<Double>
    var row1: SIMD4<Double>
    var row2: SIMD4<Double>
    var row3: SIMD4<Double>

    /// Creates an estimate centred on the state's position.
    @inline(__always) init(_ state: borrowing MotionState) {
        self.init(east: state.eastMetersPerSecond, north: state.northMetersPerSecond, covariance: state.covariance)
    }

    /// Creates an estimate centred on its own position, with a velocity (m/s) and a covariance.
    @inline(__always) init(east: Float, north: Float, covariance p: MotionState.Covariance) {
        mean = SIMD4(0, 0, Double(east), Double(north))
        row0 = SIMD4(Double(p.ee), Double(p.en), Double(p.eu), Double(p.ev))
        row1 = SIMD4(Double(p.en), Double(p.nn), Double(p.nu), Double(p.nv))
        row2 = SIMD4(Double(p.eu), Double(p.nu), Double(p.uu), Double(p.uv))
        row3 = SIMD4(Double(p.ev), Double(p.nv), Double(p.uv), Double(p.vv))
    }

    @inline(__always) init(mean: SIMD4<Double>, positionVariance: Double, velocityVariance: Double) {
        self.mean = mean
        row0 = SIMD4(positionVariance, 0, 0, 0)
        row1 = SIMD4(0, positionVariance, 0, 0)
        row2 = SIMD4(0, 0, velocityVariance, 0)
        row3 = SIMD4(0, 0, 0, velocityVariance)
    }

    /// Predicts the state after `seconds` at constant velocity.
    ///
    /// `velocityVariance` (m²/s²) is added to the velocity's variance, and `wander` (m²) to the position's. The process
    /// noise is an acceleration that lasts the whole step, [[dt²/4, dt/2], [dt/2, 1]] × velocityVariance. `detour` (a
    /// share of dt² · velocityVariance) is the distance's variance given the velocities at both ends.
    @inline(__always) mutating func predict(seconds: Double, velocityVariance: Double, detour: Double, wander: Double) {
        mean.x += seconds * mean.z
        mean.y += seconds * mean.w
        // F·P, then (F·P)·Fᵀ: adds the velocity's rows and columns to the position's.
        row0 += seconds * row2
        row1 += seconds * row3
        row0.x += seconds * row0.z
        row0.y += seconds * row0.w
        row1.x += seconds * row1.z
        row1.y += seconds * row1.w
        let position = velocityVariance * seconds * seconds * (0.25 + detour) + wander
        let cross = velocityVariance * seconds / 2
        row0.x += position
        row1.y += position
        row0.z += cross
        row1.w += cross
        row2.z += velocityVariance
        row3.w += velocityVariance
        mirror()
    }

    /// Updates with a position (metres on the plane) with the same variance on both axes.
    @inline(__always) mutating func observe(east: Double, north: Double, variance: Double) {
        observe(gain: row0, residual: east - mean.x, spread: row0.x + variance)
        observe(gain: row1, residual: north - mean.y, spread: row1.y + variance)
    }

    /// Updates with a velocity component along the unit vector (`east`, `north`), m/s.
    @inline(__always)
    mutating func observeVelocity(alongEast east: Double, north: Double, metersPerSecond: Double, variance: Double) {
        let gain = east * row2 + north * row3
        let spread = east * gain.z + north * gain.w + variance
        observe(gain: gain, residual: metersPerSecond - east * mean.z - north * mean.w, spread: spread)
    }

    /// Updates with a scalar measurement; `gain` is P·h, `spread` is hᵀ·P·h + r.
    @inline(__always) private mutating func observe(gain: SIMD4<Double>, residual: Double, spread: Double) {
        let weights = gain / spread
        mean += residual * weights
        row0 -= gain.x * weights
        row1 -= gain.y * weights
        row2 -= gain.z * weights
        row3 -= gain.w * weights
    }

    /// Copies the upper triangle to the lower triangle.
    @inline(__always) private mutating func mirror() {
        row1.x = row0.y
        row2.x = row0.z
        row2.y = row1.z
        row3.x = row0.w
        row3.y = row1.w
        row3.z = row2.w
    }

    @inline(__always) mutating func stop(velocityVariance: Double) {
        mean.highHalf = .zero
        row0.highHalf = .zero
        row1.highHalf = .zero
        row2 = SIMD4(0, 0, velocityVariance, 0)
        row3 = SIMD4(0, 0, 0, velocityVariance)
    }

    /// Mean variance of the position per axis, m².
    @inline(__always) var positionVariance: Double { (row0.x + row1.y) / 2 }

    /// Stores the estimate, with its position as a coordinate on `plane`.
    @inline(__always) func store(into state: inout MotionState, plane: TangentPlane) {
        state.coordinate = plane.coordinate(of: TangentPlane.Point(east: mean.x, north: mean.y))
        state.eastMetersPerSecond = Float(mean.z)
        state.northMetersPerSecond = Float(mean.w)
        state.covariance.ee = Float(row0.x)
        state.covariance.en = Float(row0.y)
        state.covariance.eu = Float(row0.z)
        state.covariance.ev = Float(row0.w)
        state.covariance.nn = Float(row1.y)
        state.covariance.nu = Float(row1.z)
        state.covariance.nv = Float(row1.w)
        state.covariance.uu = Float(row2.z)
        state.covariance.uv = Float(row2.w)
        state.covariance.vv = Float(row3.w)
    }
}
