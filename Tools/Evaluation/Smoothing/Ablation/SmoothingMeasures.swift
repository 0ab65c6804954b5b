import Domain
import Foundation

/// What the smoothing reaches with one set of settings, on recordings and simulations.
struct SmoothingMeasures: Sendable {
    /// One figure with its name.
    struct Measure: Sendable {
        var name: String
        var value: Double
        /// Whether it is a share, of errors within the accuracy given (1x) or of recoveries, rather than a ratio to raw.
        var isShare = false
    }

    private(set) var measures: [Measure] = []

    /// `recordings` have a name each; `roads` are theirs, if known.
    init(
        _ recordings: [SmoothingAblation.Recording], roads: RoadLines?, seeds: ClosedRange<UInt64>,
        settings: TrackingSettings
    ) {
        addRecordings(recordings, roads: roads, settings: settings)
        for group in SmoothingScenario.groups {
            let scores = group.scenarios.map { $0.score(seeds: seeds, settings: settings) }
            add(group.name, Self.geometricMean(scores.compactMap(\.ratio)))
            addShare("\(group.name) 1x", scores.compactMap(\.smoothed.honesty.shareWithin))
        }
        let parked = [true, false].flatMap { givesSpeed in
            seeds.map { RampAndParking.parkedPathShare(seed: $0, givesSpeed: givesSpeed, settings: settings) }
        }
        add("parked path", parked.max())
        let recoveries = RecoveryScenario.all.map { scenario in
            (kind: scenario.kind, score: scenario.score(seeds: seeds, settings: settings))
        }
        addShare("recovered in 3 fixes or 3 s", recoveries.compactMap(\.score.shareSoon))
        addShare("outliers held off", recoveries.filter { $0.kind == .outliers }.compactMap(\.score.shareHeldOff))
    }

    private mutating func addRecordings(
        _ recordings: [SmoothingAblation.Recording], roads: RoadLines?, settings: TrackingSettings
    ) {
        var (wanders, shares): ([Double], [Double]) = ([], [])
        for recording in recordings {
            var score = SmoothingScore()
            for trace in recording.traces { score.merge(SmoothingScore(trace, settings: settings)) }
            add(recording.name, score.ratio)
            if score.ratio != nil { shares += [score.smoothed.honesty.shareWithin].compactMap { $0 } }
            if let raw = score.wanderMetersPerMinute(score.raw), raw > 0,
                let own = score.wanderMetersPerMinute(score.smoothed), own > 0
            {
                wanders.append(own / raw)
            }
            let road = roads.flatMap { RoadFigures(recording.traces, roads: $0, settings: settings) }
            add("\(recording.name), road", road?.ratio)
        }
        add("standing, recorded", Self.geometricMean(wanders))
        addShare("recordings 1x", shares)
    }

    private mutating func add(_ name: String, _ value: Double?) {
        if let value { measures.append(Measure(name: name, value: value)) }
    }

    private mutating func addShare(_ name: String, _ shares: [Double]) {
        guard !shares.isEmpty else { return }
        let mean = shares.reduce(0, +) / Double(shares.count)
        measures.append(Measure(name: name, value: mean, isShare: true))
    }

    private static func geometricMean(_ values: [Double]) -> Double? {
        values.isEmpty ? nil : exp(values.reduce(0) { $0 + log($1) } / Double(values.count))
    }
}
