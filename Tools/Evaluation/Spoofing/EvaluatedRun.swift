import Domain
import Simulation
import Support

/// Result of one fix.
package struct FixOutcome: Sendable {
    package var at: Timestamp
    package var isRejected: Bool
    package var reasons: Reasons
    /// Reasons of the warnings raised with the fix.
    package var warned: Reasons
    package var risk: Float

    /// Whether the fix was rejected for a spoofing reason.
    var isRejectedAsSpoofed: Bool { isRejected && !reasons.isDisjoint(with: Self.spoofReasons) }
    /// Whether an honest driver's fix is lost: rejected as spoofed, or because of a wrong clock.
    var isLost: Bool { isRejected && !reasons.isDisjoint(with: Self.lossReasons) }
    var isSuspect: Bool { risk >= 0.7 }
    var isFlagged: Bool { reasons.contains(.flagged) }

    /// All reasons except those of the network, the clock, the GNSS conditions and the driver's risk.
    package static let spoofReasons = Reasons(
        rawValue: Reasons.all.reduce(0) { $0 | $1.value.rawValue }
    ).subtracting([
        .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .relocated, .gnssDisturbance, .suspect, .flagged,
    ])

    static let lossReasons = spoofReasons.union(.clockSkew)
}

/// Evaluates traces with the pipeline's spoof detector.
///
/// The traces of one run share a partition with its track and disturbance memories. Rate limits are off, because
/// recordings have their own rates.
package struct EvaluatedRun {
    private let detector: SpoofDetector
    private var tracks: TrackMemory
    private var disturbances: DisturbanceMemory
    /// Number of drivers so far; each trace counts as a new driver.
    private var drivers = 0

    package init(settings: TrackingSettings = TrackingSettings()) {
        var settings = settings
        settings.rate.isLimited = false
        detector = SpoofDetector(settings: settings)
        tracks = TrackMemory(settings.replay)
        disturbances = DisturbanceMemory(settings: settings)
    }

    /// Track chunks per second of a partition at full load: 10,000 fixes per second, one chunk per 40 fixes.
    private static let chunksPerSecond = 250.0

    /// Fills the track memory with as many random chunks as other drivers send in an hour, spread over a period.
    mutating func fillTrackMemory(from start: Timestamp, to end: Timestamp, seed: UInt64) {
        var random = RandomSource(seed: seed, index: 0, purpose: 90)
        let chunks = Int(3600 * Self.chunksPerSecond)
        let step = end.seconds(since: start) / Double(chunks)
        for number in 0..<chunks {
            tracks.remember(chunk: random.next(), at: start.advanced(bySeconds: Double(number) * step))
        }
    }

    /// Evaluates one driver's trace, starting without state.
    package mutating func evaluate(_ trace: ReceivedTrace) -> [FixOutcome] { evaluate([trace])[0] }

    /// Evaluates several drivers' traces in the order of receipt; the results are in the order of the traces.
    package mutating func evaluate(_ traces: [ReceivedTrace]) -> [[FixOutcome]] {
        var states = Array(repeating: DriverState(), count: traces.count)
        var outcomes = traces.map { trace -> [FixOutcome] in
            var list: [FixOutcome] = []
            list.reserveCapacity(trace.fixes.count)
            return list
        }
        var streamTime = Timestamp(milliseconds: .min)
        for turn in Self.order(of: traces) {
            let receivedAt = traces[turn.trace].receivedAt[turn.fix]
            streamTime = max(streamTime, receivedAt)
            let verdict = detector.evaluate(
                traces[turn.trace].fixes[turn.fix], receivedAt: receivedAt, streamTime: streamTime,
                driver: drivers + turn.trace, state: &states[turn.trace], tracks: &tracks, disturbances: &disturbances)
            var warned: Reasons = []
            for warning in verdict.warnings where warning.action != .resolved { warned.insert(warning.reason) }
            outcomes[turn.trace].append(
                FixOutcome(
                    at: traces[turn.trace].measuredAt(turn.fix), isRejected: verdict.verdict == .rejected,
                    reasons: verdict.reasons, warned: warned, risk: Float(verdict.risk)))
        }
        drivers += traces.count
        return outcomes
    }

    private struct Turn {
        /// Latest receipt in the trace so far, so that sorting does not move rows that are out of order.
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
        return turns.sorted { ($0.latest, $0.trace, $0.fix) < ($1.latest, $1.trace, $1.fix) }
    }
}
