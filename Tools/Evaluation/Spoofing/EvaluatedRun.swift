import Domain
import Simulation
import Support

package struct FixOutcome: Sendable {
    package var at: Timestamp
    package var isRejected: Bool
    package var reasons: Reasons
    package var risk: Float

    /// Whether the fix was rejected for a spoofing reason.
    var isRejectedAsSpoofed: Bool { isRejected(for: Self.spoofReasons) }
    /// Whether an honest driver's fix is lost: rejected as spoofed, or because of a wrong clock.
    var isLost: Bool { isRejected(for: Self.spoofReasons.union(.clockSkew)) }
    var isSuspect: Bool { risk >= 0.7 }
    var isFlagged: Bool { reasons.contains(.flagged) }

    /// All reasons except reasons from the network, the clock, the GNSS conditions and the driver's risk.
    package static let spoofReasons = Reasons(
        rawValue: Reasons.all.reduce(0) { $0 | $1.value.rawValue }
    ).subtracting([
        .nullIsland, .clockSkew, .rateLimited, .lowAccuracy, .relocated, .gnssDisturbance, .suspect, .flagged,
    ])

    func isRejected(for rejections: Reasons) -> Bool { isRejected && !reasons.isDisjoint(with: rejections) }
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

    /// Fills the track memory with random chunks: an hour's number at full load, spread over a period.
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
        var outcomes = traces.map { _ in [FixOutcome]() }
        var streamTime = Timestamp(milliseconds: .min)
        for entry in Self.order(of: traces) {
            let receivedAt = traces[entry.trace].receivedAt[entry.fix]
            streamTime = max(streamTime, receivedAt)
            let verdict = detector.evaluate(
                traces[entry.trace].fixes[entry.fix], receivedAt: receivedAt, streamTime: streamTime,
                driver: drivers + entry.trace, state: &states[entry.trace], tracks: &tracks, disturbances: &disturbances
            )
            outcomes[entry.trace].append(
                FixOutcome(
                    at: traces[entry.trace].measuredAt(entry.fix), isRejected: verdict.verdict == .rejected,
                    reasons: verdict.reasons, risk: Float(verdict.risk)))
        }
        drivers += traces.count
        return outcomes
    }

    /// Returns the fixes in the order of receipt; unordered rows of a trace keep their order.
    private static func order(of traces: [ReceivedTrace]) -> [(latest: Int64, trace: Int, fix: Int)] {
        var entries: [(latest: Int64, trace: Int, fix: Int)] = []
        for (number, trace) in traces.enumerated() {
            var latest = Int64.min
            for (index, time) in trace.receivedAt.enumerated() {
                latest = max(latest, time.milliseconds)
                entries.append((latest, number, index))
            }
        }
        return traces.count > 1 ? entries.sorted { $0 < $1 } : entries
    }
}
