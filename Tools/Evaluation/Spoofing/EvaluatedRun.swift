import Domain
import Simulation
import Support

/// Runs traces through the pipeline's own judge: the one place in the evaluation that calls it.
///
/// The traces of one run share a partition, with its memory of tracks and of disturbances. Rate limits are off, as
/// recordings have rates of their own.
package struct EvaluatedRun {
    private let judge: SpoofDetector
    private var tracks: TrackMemory
    private var disturbances: DisturbanceMemory
    /// Drivers judged so far, each by a number of its own.
    private var drivers = 0

    package init(settings: TrackingSettings = TrackingSettings()) {
        var settings = settings
        settings.rate.isLimited = false
        judge = SpoofDetector(settings: settings)
        tracks = TrackMemory(settings.replay)
        disturbances = DisturbanceMemory(settings: settings)
    }

    /// Chunks of track that a full partition completes in a second: one per 40 of its 10,000 fixes.
    static let chunksPerSecond = 250.0

    /// Lets the other drivers of a full partition complete as many chunks of track from `start` to `end` as in `hours`.
    mutating func hearOthers(hours: Double, from start: Timestamp, to end: Timestamp, seed: UInt64) {
        var random = RandomSource(seed: seed, index: 0, purpose: 90)
        let chunks = Int(hours * 3600 * Self.chunksPerSecond)
        let step = end.seconds(since: start) / Double(max(1, chunks))
        for number in 0..<chunks {
            tracks.remember(chunk: random.next(), at: start.advanced(bySeconds: Double(number) * step))
        }
    }

    /// Judges one driver's trace, from no state.
    package mutating func judge(_ trace: ReceivedTrace) -> [FixOutcome] { judge([trace])[0] }

    /// Judges several drivers' traces as one partition hears them, merged by receipt; the answers are as the traces
    /// were.
    package mutating func judge(_ traces: [ReceivedTrace]) -> [[FixOutcome]] {
        var states = Array(repeating: DriverState(), count: traces.count)
        var outcomes = traces.map { trace -> [FixOutcome] in
            var list: [FixOutcome] = []
            list.reserveCapacity(trace.fixes.count)
            return list
        }
        var streamTime = Timestamp(milliseconds: .min)
        for turn in Self.order(of: traces) {
            let fix = traces[turn.trace].fixes[turn.fix]
            let receivedAt = traces[turn.trace].receivedAt[turn.fix]
            streamTime = max(streamTime, receivedAt)
            let judgement = judge.evaluate(
                fix, receivedAt: receivedAt, streamTime: streamTime, driver: drivers + turn.trace,
                state: &states[turn.trace], tracks: &tracks, disturbances: &disturbances)
            var warned: Reasons = []
            for warning in judgement.warnings where warning.action != .resolved { warned.insert(warning.reason) }
            outcomes[turn.trace].append(
                FixOutcome(
                    at: traces[turn.trace].takenAt(turn.fix), isRejected: judgement.verdict == .rejected,
                    reasons: judgement.reasons, warned: warned, risk: Float(judgement.risk)))
        }
        drivers += traces.count
        return outcomes
    }

    private struct Turn {
        /// Of this fix and those before it in its trace: rows out of order stay where the trace has them.
        var latest: Int64
        var trace: Int
        var fix: Int
    }

    private static func order(of traces: [ReceivedTrace]) -> [Turn] {
        var turns: [Turn] = []
        turns.reserveCapacity(traces.reduce(0) { $0 + $1.fixes.count })
        for (number, trace) in traces.enumerated() {
            var latest = Int64.min
            for (index, time) in trace.receivedAt.enumerated() {
                latest = max(latest, time.milliseconds)
                turns.append(Turn(latest: latest, trace: number, fix: index))
            }
        }
        guard traces.count > 1 else { return turns }
        return turns.sorted {
            ($0.latest, $0.trace, $0.fix) < ($1.latest, $1.trace, $1.fix)
        }
    }
}
