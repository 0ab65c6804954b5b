import Codec
import CoreMetrics

final class PushMetrics {
    enum Outcome: String, CaseIterable {
        case delivered, unregistered, refused, abandoned
        /// The device's service is not configured.
        case unconfigured
    }

    let expired = Counter(.pushesExpired)
    private var pushes: [PushPlatform: [Outcome: Counter]] = [:]
    private var retries: [PushPlatform: Counter] = [:]
    private let refused = PushMetrics.deadLetters(PushDeadLetters.refused)
    private let abandoned = PushMetrics.deadLetters(PushDeadLetters.abandoned)

    init() {
        for platform in PushPlatform.allCases {
            retries[platform] = Counter(.pushRetries, [(.platform, platform.rawValue)])
            for outcome in Outcome.allCases {
                pushes[platform, default: [:]][outcome] = Counter(
                    .pushes, [(.platform, platform.rawValue), (.outcome, outcome.rawValue)])
            }
        }
    }

    private static func deadLetters(_ code: StaticString) -> Counter {
        Counter(.deadLetters, [(.stage, PushSink.name), (.reason, "\(code)")])
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
