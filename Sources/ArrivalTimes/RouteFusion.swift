/// The trip's route as a measurement of where its vehicle is: across the route at 0 m, give or take the map's error.
///
/// Between two independent measurements of one place the best estimate divides the way between them by their variances.
/// Along the route nothing changes. The smoothed position is one of the two, so a vehicle that is known well is shown
/// where it was measured, and one between high buildings is shown on its street.
package struct RouteFusion: Sendable, Equatable {
    /// Error of the route across the way before the trip has shown another, in metres: one standard deviation.
    package var mapErrorMeters = 8.0
    /// Least that is learned of it, in metres: lanes lie beside the line of a route.
    package var leastMapErrorMeters = 3.0
    /// What is known to so many metres on each axis (one standard deviation) is shown as measured, exactly as much
    /// included: a map adds nothing to it, and what is left of its error is not noise.
    package var knownMeters = 5.0
    /// Slower than this, in m/s, a vehicle is not said to cross its route or to drive against it: between high buildings,
    /// where the route is needed, the heading of a slow vehicle is off by more than 60° as often as not.
    package var headingSpeedMetersPerSecond = 4.0
    /// What the last position counts in the learned error: a mean over about 30 positions.
    package var learningShare: Float = 0.03

    /// The radius that holds 68 % of the errors, per standard deviation on each axis (two axes, normal errors).
    static let radiusPerSigma = 1.51

    /// The variance in m² before the first position.
    package var initialVariance: Float { Float(mapErrorMeters * mapErrorMeters) }

    /// Takes a position's distance from the route into what is known of the route's error, in m².
    ///
    /// The vehicle moves: standing, one error would count again and again.
    func learn(_ variance: inout Float, distanceMeters: Double, accuracyMeters: Double) {
        let own = Self.variance(ofAccuracy: accuracyMeters)
        let least = leastMapErrorMeters * leastMapErrorMeters
        variance += learningShare * (Float(max(least, distanceMeters * distanceMeters - own)) - variance)
    }

    /// Whether a position is known so poorly that the route says more of it.
    func isPoor(accuracyMeters: Double) -> Bool {
        Self.variance(ofAccuracy: accuracyMeters) > knownMeters * knownMeters
    }

    /// The part of the way from the position to the route that the shown one lies at: from 0 to below 1.
    func share(accuracyMeters: Double, variance: Float) -> Double {
        let doubtful = Self.variance(ofAccuracy: accuracyMeters) - knownMeters * knownMeters
        return doubtful > 0 ? doubtful / (doubtful + Double(variance)) : 0
    }

    /// The accuracy of a position shown at `share`, as a radius that holds 68 % of the errors.
    func accuracyMeters(of accuracyMeters: Double, share: Double, variance: Float) -> Double {
        let along = Self.variance(ofAccuracy: accuracyMeters)
        let across = along * (1 - share) * (1 - share) + Double(variance) * share * share
        return Self.radiusPerSigma * ((along + across) / 2).squareRoot()
    }

    private static func variance(ofAccuracy meters: Double) -> Double {
        let sigma = meters / radiusPerSigma
        return sigma * sigma
    }

    /// What is wrong with the settings, one sentence each; empty when they can be used.
    package func problems() -> [String] {
        var problems: [String] = []
        if mapErrorMeters <= 0 || leastMapErrorMeters <= 0 {
            problems.append("The error of a route across the way must be above 0 m.")
        }
        if knownMeters < 0 { problems.append("What is known of a position must be at least 0 m.") }
        if headingSpeedMetersPerSecond < 0 {
            problems.append("The speed from which a heading counts must be at least 0 m/s.")
        }
        if learningShare < 0 || learningShare > 1 {
            problems.append("What a position counts in the route's learned error must be from 0 to 1.")
        }
        return problems
    }
}
