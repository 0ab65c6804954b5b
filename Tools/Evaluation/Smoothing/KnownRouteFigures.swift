import Domain
import Recordings

/// How near to the truth riders are shown the vehicle of a trip whose route is known, as it is written.
package struct KnownRouteFigures: Encodable, Sendable, Equatable {
    /// Each trace is told on so many routes, with other errors of the map.
    static let seeds: ClosedRange<UInt64> = 1...12

    package var mapErrorMeters = MapRoute.errorMeters
    package var routes = Self.seeds.count
    package var fixesWithTruth = 0
    package var rawRmseMeters = 0.0
    package var verdictRmseMeters = 0.0
    package var toldRmseMeters = 0.0
    /// Told over raw RMSE.
    package var ratio = 0.0
    /// The same on the route on which it is highest.
    package var worstRatio = 0.0
    package var shareWithinAccuracy: Double?
    package var shareWithinTwiceAccuracy: Double?

    /// Measures the traces whose reference drives a way that could be a trip; `nil` when none does.
    init?(_ traces: [RecordedTrace], settings: TrackingSettings) {
        let tracks = traces.filter { MapRoute(of: $0, seed: 1) != nil }.map {
            (trace: $0, given: ShownTrack.raw($0), judged: ShownTrack.judged($0, settings: settings))
        }
        var (raw, verdict) = (SmoothingScore.Side(), SmoothingScore.Side())
        for track in tracks {
            raw.add(track.given, of: track.trace)
            verdict.add(track.judged, of: track.trace)
        }
        guard let given = raw.errors.rootMeanSquareMeters, let judged = verdict.errors.rootMeanSquareMeters, given > 0
        else { return nil }
        var all = SmoothingScore.Side()
        for seed in Self.seeds {
            var told = SmoothingScore.Side()
            for track in tracks {
                guard let route = MapRoute(of: track.trace, seed: seed) else { continue }
                told.add(ShownTrack.told(track.trace, on: route, settings: settings), of: track.trace)
            }
            worstRatio = max(worstRatio, (told.errors.rootMeanSquareMeters ?? 0) / given)
            all.merge(told)
        }
        fixesWithTruth = raw.errors.meters.count
        (rawRmseMeters, verdictRmseMeters) = (given, judged)
        toldRmseMeters = all.errors.rootMeanSquareMeters ?? 0
        ratio = toldRmseMeters / given
        shareWithinAccuracy = all.honesty.shareWithin
        shareWithinTwiceAccuracy = all.honesty.shareWithinTwice
    }
}
