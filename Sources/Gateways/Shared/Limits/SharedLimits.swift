import CoreMetrics
import Support
import Synchronization

/// Rate limits of many users or addresses, shared by all event loops.
final class SharedLimits: Sendable {
    /// Maximum number of buckets; each uses about 200 bytes.
    private static let maximumKeys = 100_000

    private let limits: Mutex<RateLimits?>
    private let refusals: Counter

    /// Creates the limits; `limit` applies to each key, `nil` for no limit; `kind` is a metric label.
    init(_ limit: RateLimit?, kind: String) {
        limits = Mutex(limit.map { RateLimits($0, maximumKeys: Self.maximumKeys) })
        refusals = Counter(.gatewayLimited, [(.type, kind)])
    }

    /// Removes one token from the bucket of a key; counts refusals as a metric.
    /// - Returns: `nil` if granted, otherwise the wait in milliseconds.
    func acquire(_ key: String, at now: Timestamp) -> Int64? {
        guard let wait = limits.withLock({ $0?.acquire(key, at: now) ?? nil }) else { return nil }
        refusals.increment()
        return wait
    }
}
