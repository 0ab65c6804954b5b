extension MotionState {
    /// Whether the filter can continue with these numbers, which may come from damaged bytes.
    package var isPlausible: Bool {
        (-90...90).contains(coordinate.latitude) && (-180...180).contains(coordinate.longitude)
            && abs(eastMetersPerSecond) <= 1e6 && abs(northMetersPerSecond) <= 1e6 && abs(logNoiseScale) <= 50
            && abs(logVelocityNoiseScale) <= 50 && (-1...360).contains(headingDegrees)
            && covariance.isPlausible && (0...LastingError.greatestVariance).contains(lasting.variance)
            && (0...1e6).contains(halt.seconds)
            && abs(halt.recentEastMeters) <= 1e9 && abs(halt.recentNorthMeters) <= 1e9
    }
}

extension MotionState.Covariance {
    /// Whether the matrix is a valid covariance within a large limit; any other matrix soon makes the filter infinite.
    ///
    /// Checks by elimination (Cholesky) that each variance stays non-negative given the previous quantities.
    fileprivate var isPlausible: Bool {
        let rounding = 1e-4
        var rows = [SIMD4(ee, en, eu, ev), SIMD4(en, nn, nu, nv), SIMD4(eu, nu, uu, uv), SIMD4(ev, nv, uv, vv)]
            .map { SIMD4<Double>($0) }
        let variances = rows.indices.map { rows[$0][$0] }
        guard variances.allSatisfy({ (0...1e15).contains($0) }) else { return false }
        for index in rows.indices {
            let least = rounding * variances[index]
            let pivot = rows[index][index]
            guard pivot >= -least else { return false }
            for other in rows.indices where other > index {
                let common = rows[index][other]
                guard common * common <= max(pivot, least) * variances[other] * (1 + rounding) else { return false }
                if pivot > least { rows[other] -= rows[index] * (common / pivot) }
            }
        }
        return true
    }
}
