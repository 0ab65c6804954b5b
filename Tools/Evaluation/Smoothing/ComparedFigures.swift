import Domain
import Recordings

/// Errors of positions in the history or on a known route, compared with raw fixes and verdicts.
package struct ComparedFigures: Encodable, Sendable, Equatable {
    package var name: String
    package var fixesWithTruth: Int
    package var rawRmseMeters: Double
    /// RMSE of the verdicts and of the compared positions over that of the raw fixes.
    package var verdictRatio: Double
    package var ratio: Double
    /// Highest ratio of a single route.
    package var worstRatio: Double
    package var shareWithinAccuracy: Double?
    package var shareWithinTwiceAccuracy: Double?

    /// Measures the history, whose positions are smoothed with later fixes; `nil` without a reference.
    package static func history(
        of name: String, _ traces: [RecordedTrace], settings: TrackingSettings
    ) -> ComparedFigures? {
        let traces = traces.filter { $0.truth.contains { $0 != nil } }
        return ComparedFigures(name, traces, settings, variants: [{ .history($0, settings: settings) }])
    }

    /// Measures the positions that riders see on a trip with a known route, over 12 routes with different map errors;
    /// `nil` if no reference is long enough for a trip.
    static func knownRoute(of name: String, _ traces: [RecordedTrace], settings: TrackingSettings) -> ComparedFigures? {
        let traces = traces.filter { MapRoute(of: $0, seed: 1) != nil }
        return ComparedFigures(
            name, traces, settings,
            variants: (UInt64(1)...12).map { seed in
                { trace in
                    MapRoute(of: trace, seed: seed).map { .published(trace, on: $0, settings: settings) }
                        ?? ShownTrack()
                }
            })
    }

    private init?(
        _ name: String, _ traces: [RecordedTrace], _ settings: TrackingSettings,
        variants: [(RecordedTrace) -> ShownTrack]
    ) {
        var (raw, verdict, all) = (SmoothingScore.Side(), SmoothingScore.Side(), SmoothingScore.Side())
        for trace in traces {
            raw.add(.raw(trace), of: trace)
            verdict.add(.smoothed(trace, settings: settings), of: trace)
        }
        guard let rawRmse = raw.errors.rootMeanSquareMeters, let verdictRmse = verdict.errors.rootMeanSquareMeters,
            rawRmse > 0
        else { return nil }
        worstRatio = 0
        for variant in variants {
            var side = SmoothingScore.Side()
            for trace in traces { side.add(variant(trace), of: trace) }
            worstRatio = max(worstRatio, (side.errors.rootMeanSquareMeters ?? 0) / rawRmse)
            all.merge(side)
        }
        self.name = name
        fixesWithTruth = raw.errors.meters.count
        rawRmseMeters = rawRmse
        verdictRatio = verdictRmse / rawRmse
        ratio = (all.errors.rootMeanSquareMeters ?? 0) / rawRmse
        shareWithinAccuracy = all.honesty.shareWithin
        shareWithinTwiceAccuracy = all.honesty.shareWithinTwice
    }
}
