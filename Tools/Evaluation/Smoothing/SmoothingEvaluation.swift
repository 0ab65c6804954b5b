import Domain
import Recordings

/// Measures the smoothing on recordings and on simulated drives.
package struct SmoothingEvaluation: Sendable {
    private let baselines: [BaselineFilter]
    private let settings: TrackingSettings
    /// Blocks of each recording, for ``PooledHonesty``.
    private var blocks: [[SmoothingScore.Honesty]] = []
    package private(set) var report = SmoothingReport()

    package init(withBaselines: Bool, settings: TrackingSettings = TrackingSettings()) {
        baselines = withBaselines ? BaselineFilter.allCases : []
        self.settings = settings
    }

    /// Scores the traces of one recording.
    package mutating func add(recording name: String, _ traces: [RecordedTrace], roads: RoadLines? = nil) {
        var total = SmoothingScore()
        var figures: [SmoothingFigures] = []
        for trace in traces {
            let score = SmoothingScore(trace, baselines: baselines, settings: settings)
            figures.append(SmoothingFigures(name: trace.id, score))
            total.merge(score)
        }
        report.recordings.append(
            SmoothingReport.Recording(
                total: SmoothingFigures(name: name, total), traces: figures,
                acrossRoad: roads.flatMap { RoadFigures(traces, roads: $0, settings: settings) },
                onKnownRoute: ComparedFigures.knownRoute(of: name, traces, settings: settings)))
        if let history = ComparedFigures.history(of: name, traces, settings: settings) {
            report.history.append(history)
        }
        blocks.append(total.blocks)
        report.pool(PooledHonesty(blocks))
    }

    /// Scores the simulated scenarios, a vehicle at constant speed, a parked one, and the recovery scenarios.
    package mutating func addSimulations(seeds: ClosedRange<UInt64> = SmoothingScenario.checkingSeeds) {
        for scenario in SmoothingScenario.all {
            let score = scenario.score(seeds: seeds, baselines: baselines, settings: settings)
            report.scenarios.append(
                SmoothingReport.Scenario(
                    figures: SmoothingFigures(name: scenario.name, score), ratioLimit: scenario.ratioLimit))
        }
        for givesSpeed in [true, false] { addBasics(givesSpeed: givesSpeed, seeds: seeds) }
        report.recoveries = RecoveryScenario.all.map {
            RecoveryFigures($0, $0.score(seeds: seeds, settings: settings))
        }
        // Excludes devices with fewer fields, for which the history has no target.
        report.history += SmoothingScenario.all.filter { $0.receiver.givesSpeed && $0.receiver.givesAccuracy }
            .compactMap { ComparedFigures.history(of: $0.name, $0.traces(seeds: seeds), settings: settings) }
    }

    private mutating func addBasics(givesSpeed: Bool, seeds: ClosedRange<UInt64>) {
        let device = givesSpeed ? "with speed" : "without speed"
        for interval in [1.0, 4] {
            let lag = RampAndParking.lagMeters(every: interval, givesSpeed: givesSpeed, settings: settings)
            report.basics.append(
                SmoothingReport.Bounded(
                    name: "lag, every \(Int(interval)) s, \(device)", value: lag, limit: 1, unit: "m"))
        }
        for noise in [SimulatedReceiver.Noise.white, .correlated] {
            let shares = seeds.map {
                RampAndParking.parkedPathShare(seed: $0, givesSpeed: givesSpeed, noise: noise, settings: settings)
            }
            report.basics.append(
                SmoothingReport.Bounded(
                    name: "worst parked path, \(noise) noise, \(device)", value: shares.max() ?? 0, limit: 0.05,
                    unit: "x raw"))
        }
    }
}
