/// Fusion of a position with its route, which counts as a measurement of the position across the route.
///
/// Accurate positions are shown as measured; inaccurate positions are moved towards their street.
package struct RouteFusion: Sendable, Equatable {
    /// Initial error of the route across its direction, in metres (one standard deviation).
    package var mapErrorMeters = 8.0
    /// Minimum learned error, in metres, because lanes are not exactly on the line of a route.
    package var leastMapErrorMeters = 3.0
    /// Position error per axis, in metres (one standard deviation), up to which a position is shown as measured.
    package var knownMeters = 5.0
    /// Minimum speed for using the heading, in m/s; most slower headings are wrong between high buildings.
    package var headingSpeedMetersPerSecond = 4.0
    /// Weight of the last position in the learned error, a mean over about 30 positions.
    package var learningShare: Float = 0.03

    /// Ratio of the 68 % radius to one standard deviation per axis, for a circular normal error.
    static let radiusPerSigma = 1.51

    /// Variance of the route's error before the first position, in m².
    package var initialVariance: Float { Float(mapErrorMeters * mapErrorMeters) }

    /// Updates the learned variance of the route's error, in m², with a moving vehicle's distance from the route.
    func learn(_ variance: inout Float, distanceMeters: Double, accuracyMeters: Double) {
        let own = Self.variance(ofAccuracy: accuracyMeters)
        let least = leastMapErrorMeters * leastMapErrorMeters
        variance += learningShare * (Float(max(least, distanceMeters * distanceMeters - own)) - variance)
    }

    /// Returns whether a position is inaccurate enough to be moved towards the route.
    func isPoor(accuracyMeters: Double) -> Bool {
        Self.variance(ofAccuracy: accuracyMeters) > knownMeters * knownMeters
    }

    /// Returns the share of the distance to the route by which the position is moved, from 0 to below 1.
    func share(accuracyMeters: Double, variance: Float) -> Double {
        let excess = Self.variance(ofAccuracy: accuracyMeters) - knownMeters * knownMeters
        return excess > 0 ? excess / (excess + Double(variance)) : 0
    }

    /// Returns the 68 % radius of a position moved by `share`.
    func accuracyMeters(of accuracyMeters: Double, share: Double, variance: Float) -> Double {
        let along = Self.variance(ofAccuracy: accuracyMeters)
        let across = along * (1 - share) * (1 - share) + Double(variance) * share * share
        return Self.radiusPerSigma * ((along + across) / 2).squareRoot()
    }

    private static func variance(ofAccuracy meters: Double) -> Double {
        let sigma = meters / radiusPerSigma
        return sigma * sigma
    }

    package func problems() -> [String] {
        settingProblems(
            of: self, .above(0, \.mapErrorMeters, \.leastMapErrorMeters),
            .atLeast(0, \.knownMeters, \.headingSpeedMetersPerSecond), .within(0...1, \.learningShare))
    }
}
