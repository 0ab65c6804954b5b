import Domain
import Recordings

/// How near to the truth the positions of the history are, which know of later fixes, as it is written.
package struct HistoryFigures: Encodable, Sendable, Equatable {
    package var name: String
    package var fixesWithTruth: Int
    package var rawRmseMeters: Double
    /// RMSE of the positions of the verdicts over that of the raw ones.
    package var verdictRatio: Double
    /// The same of the history's positions.
    package var ratio: Double
    package var shareWithinAccuracy: Double?
    package var shareWithinTwiceAccuracy: Double?

    /// Measures the fixes of all traces together; `nil` without a reference.
    init?(name: String, _ traces: [RecordedTrace], settings: TrackingSettings) {
        var (raw, verdict, history) = (SmoothingScore.Side(), SmoothingScore.Side(), SmoothingScore.Side())
        for trace in traces where trace.truth.contains(where: { $0 != nil }) {
            raw.add(.raw(trace), of: trace)
            verdict.add(.judged(trace, settings: settings), of: trace)
            history.add(.smoothedLater(trace, settings: settings), of: trace)
        }
        guard let given = raw.errors.rootMeanSquareMeters, let judged = verdict.errors.rootMeanSquareMeters,
            let later = history.errors.rootMeanSquareMeters, given > 0
        else { return nil }
        self.name = name
        fixesWithTruth = raw.errors.meters.count
        rawRmseMeters = given
        (verdictRatio, ratio) = (judged / given, later / given)
        shareWithinAccuracy = history.honesty.shareWithin
        shareWithinTwiceAccuracy = history.honesty.shareWithinTwice
    }

    /// Measures the simulated drives of a scenario.
    package init?(_ scenario: SmoothingScenario, seeds: ClosedRange<UInt64>, settings: TrackingSettings) {
        self.init(name: scenario.name, scenario.traces(seeds: seeds), settings: settings)
    }
}
