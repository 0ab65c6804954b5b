import Domain
import Foundation
import Recordings
import SightlineCLI

/// Measures the smoothing on recordings and on simulated drives.
package struct SmoothingEvaluation: Sendable {
    private let baselines: [BaselineFilter]
    private let settings: TrackingSettings
    /// Of each recording, for the pooled honesty.
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
        let road = roads.flatMap { RoadFigures(traces, roads: $0, settings: settings) }
        report.recordings.append(
            SmoothingReport.Recording(
                total: SmoothingFigures(name: name, total), traces: figures, acrossRoad: road,
                onKnownRoute: KnownRouteFigures(traces, settings: settings)))
        if let history = HistoryFigures(name: name, traces, settings: settings) { report.history.append(history) }
        if !total.raw.errors.meters.isEmpty { report.plots["smoothing-\(name)"] = plot(name, total) }
        blocks.append(total.blocks)
        report.pool(PooledHonesty(blocks))
    }

    /// Scores the simulated scenarios, the ramp, the parked vehicle and the recoveries.
    package mutating func addSimulations(seeds: ClosedRange<UInt64> = SmoothingScenario.checkingSeeds) {
        for scenario in SmoothingScenario.all {
            let score = scenario.score(seeds: seeds, baselines: baselines, settings: settings)
            report.scenarios.append(
                SmoothingReport.Scenario(
                    figures: SmoothingFigures(name: scenario.name, score), ratioLimit: scenario.ratioLimit,
                    givesAllFields: scenario.receiver.givesSpeed && scenario.receiver.givesAccuracy))
        }
        for givesSpeed in [true, false] {
            let device = givesSpeed ? "with speed" : "without speed"
            for interval in [1.0, 4] {
                report.basics.append(
                    SmoothingReport.Bounded(
                        name: "lag, every \(Int(interval)) s, \(device)",
                        value: RampAndParking.lagMeters(every: interval, givesSpeed: givesSpeed, settings: settings),
                        limit: 1, unit: "m"))
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
        addRecoveries(seeds: seeds)
        // Of devices that say less there is no target.
        report.history += SmoothingScenario.all.filter { $0.receiver.givesSpeed && $0.receiver.givesAccuracy }
            .compactMap { HistoryFigures($0, seeds: seeds, settings: settings) }
    }

    /// Scores the drifts that end at once, and the outliers.
    private mutating func addRecoveries(seeds: ClosedRange<UInt64>) {
        report.recoveries = RecoveryScenario.all.map {
            RecoveryFigures($0, $0.score(seeds: seeds, settings: settings))
        }
    }

    /// The cumulative distribution of the errors.
    private func plot(_ name: String, _ score: SmoothingScore) -> LinePlot {
        func line(_ name: String, _ errors: ErrorDistribution) -> LinePlot.Series {
            LinePlot.Series(name: name, points: errors.cumulative(count: 200))
        }
        var series = [line("raw", score.raw.errors), line("Sightline", score.smoothed.errors)]
        // The averaging filter is kilometres away, and would leave nothing to be seen of the others.
        for baseline in baselines where baseline != .averaging {
            series.append(line(baseline.name, score.baselines[baseline] ?? ErrorDistribution()))
        }
        return LinePlot(
            title: "Errors of \(name)", x: LinePlot.Axis("error, m", isLogarithmic: true),
            y: LinePlot.Axis("share of fixes", bounds: 0...1), series: series)
    }
}
