import Foundation

/// What `sightline evaluate smoothing` finds.
package struct SmoothingReport: EvaluationReport {
    /// One file.
    package struct Recording: Encodable, Sendable {
        package var total: SmoothingFigures
        package var traces: [SmoothingFigures]
        /// Distance from the road that was driven; absent without road lines.
        package var acrossRoad: RoadFigures?
        /// What riders are shown on a trip whose route is known; absent without a reference.
        package var onKnownRoute: KnownRouteFigures?
    }

    /// All recordings with truth together.
    package struct Pooled: Encodable, Sendable {
        package var recordings: Int
        package var geometricMeanRatio: Double
        package var worstRatio: Double
        package var worstRecording: String
        package var honesty: PooledHonesty?
    }

    /// One simulated scenario.
    package struct Scenario: Encodable, Sendable {
        package var figures: SmoothingFigures
        package var ratioLimit: Double
        /// Whether the devices report speed, heading and accuracy.
        package var givesAllFields: Bool
    }

    /// A figure with the most that it may be.
    package struct Bounded: Encodable, Sendable {
        package var name: String
        package var value: Double
        package var limit: Double
        package var unit: String
    }

    package internal(set) var recordings: [Recording] = []
    package internal(set) var pooled: Pooled?
    package internal(set) var scenarios: [Scenario] = []
    /// Lag of a noise-free ramp and path of a parked vehicle.
    package internal(set) var basics: [Bounded] = []
    /// Drifts that end at once, and outliers.
    package internal(set) var recoveries: [RecoveryFigures] = []
    /// Positions of the history, of recordings and simulated drives with a reference.
    package internal(set) var history: [HistoryFigures] = []
    /// Not among the figures: the distribution of the errors is drawn.
    package internal(set) var plots: [String: LinePlot] = [:]

    private enum CodingKeys: String, CodingKey {
        case recordings, pooled, scenarios, basics, recoveries, history
    }
}

extension SmoothingReport {
    /// Pools the recordings that have a ratio.
    mutating func pool(_ honesty: PooledHonesty?) {
        let rated = recordings.compactMap { recording in recording.total.ratio.map { (recording.total.name, $0) } }
        guard let worst = rated.max(by: { $0.1 < $1.1 }) else { return }
        let mean = exp(rated.reduce(0) { $0 + log($1.1) } / Double(rated.count))
        pooled = Pooled(
            recordings: rated.count, geometricMeanRatio: mean, worstRatio: worst.1, worstRecording: worst.0,
            honesty: honesty)
    }
}
