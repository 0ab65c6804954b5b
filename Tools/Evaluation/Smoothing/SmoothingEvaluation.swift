import Recordings

/// Measures the smoothing on recordings and on simulated drives.
package struct SmoothingEvaluation: Sendable {
    private let baselines: [BaselineFilter]
    /// Blocks of each recording, for ``PooledHonesty``.
    private var blocks: [[SmoothingScore.Honesty]] = []
    package private(set) var report = SmoothingReport()

    package init(withBaselines: Bool) { baselines = withBaselines ? BaselineFilter.allCases : [] }

    /// Scores the traces of one recording.
    package mutating func add(recording name: String, _ traces: [RecordedTrace], roads: RoadLines? = nil) {
        var total = SmoothingScore()
        for trace in traces { total.merge(SmoothingScore(trace, baselines: baselines)) }
        var figures = SmoothingFigures(name: name, total)
        figures.knownRouteRatio = SmoothingScore.knownRouteRatio(traces)
        figures.historyRatio = SmoothingScore.historyRatio(traces)
        figures.roadRatio = roads?.ratio(traces)
        report.recordings.append(figures)
        blocks.append(total.blocks)
        report.honesty = PooledHonesty(blocks)
    }

    /// Scores the simulated scenarios, parked vehicles and the recovery scenarios.
    package mutating func addSimulations(seeds: ClosedRange<UInt64> = SmoothingScenario.checkingSeeds) {
        report.scenarios = SmoothingScenario.all.map { scenario in
            var figures = SmoothingFigures(name: scenario.name, scenario.score(seeds: seeds, baselines: baselines))
            figures.ratioLimit = scenario.ratioLimit
            return figures
        }
        report.parked = [true, false].map { givesSpeed in
            let shares = seeds.map { SmoothingScenario.parkedPathShare(seed: $0, givesSpeed: givesSpeed) }
            return .init(device: givesSpeed ? "with speed" : "without speed", worstPathShare: shares.max() ?? 0)
        }
        report.recoveries = RecoveryScenario.all.map { RecoveryFigures($0, $0.score(seeds: seeds)) }
    }
}
