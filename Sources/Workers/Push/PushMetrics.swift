import Codec
import CoreMetrics

/// Metrics of push-worker.
final class PushMetrics {
    enum Outcome: String, CaseIterable {
        case delivered, unregistered, refused, abandoned
        /// The device's service is not configured.
        case unconfigured
    }

    let expired: Counter
    private let pushes: [PushPlatform: [Outcome: Counter]]
    private let retries: [PushPlatform: Counter]
    private let refused: Counter
    private let abandoned: Counter

    init() {
        expired = Counter(.pushesExpired)
        pushes = Dictionary(
            uniqueKeysWithValues: PushPlatform.allCases.map { platform in
                let counters = Outcome.allCases.map {
                    ($0, Counter(.pushes, [(.platform, platform.rawValue), (.outcome, $0.rawValue)]))
                }
                return (platform, Dictionary(uniqueKeysWithValues: counters))
            })
        retries = Dictionary(
            uniqueKeysWithValues: PushPlatform.allCases.map {
                ($0, Counter(.pushRetries, [(.platform, $0.rawValue)]))
            })
        refused = Counter(.deadLetters, [(.stage, PushSink.name), (.reason, "\(PushDeadLetters.refused)")])
        abandoned = Counter(.deadLetters, [(.stage, PushSink.name), (.reason, "\(PushDeadLetters.abandoned)")])
    }

    func add(_ outcome: Outcome, _ platform: PushPlatform) {
        pushes[platform]?[outcome]?.increment()
        if outcome == .refused { refused.increment() }
        if outcome == .abandoned { abandoned.increment() }
    }

    func addRetries(_ count: Int, _ platform: PushPlatform) {
        if count > 0 { retries[platform]?.increment(by: count) }
    }
}
