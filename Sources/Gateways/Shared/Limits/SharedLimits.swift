import CoreMetrics
import Support
import Synchronization

/// How often each of many users or addresses may do something, counted over all event loops.
final class SharedLimits: Sendable {
    /// What a limit is for, as metrics have it.
    enum Kind: String {
        case address, user
    }

    /// A bucket takes about 200 bytes.
    private static let maximumKeys = 100_000

    private let limits: Mutex<RateLimits?>
    private let refusals: Counter

    /// `limit`: for each key; `nil` for none.
    init(_ limit: RateLimit?, _ kind: Kind) {
        limits = Mutex(limit.map { RateLimits($0, maximumKeys: Self.maximumKeys) })
        refusals = Counter(.gatewayLimited, [(.type, kind.rawValue)])
    }

    /// - Returns: `nil` when it may be done, otherwise the wait in milliseconds.
    func take(_ key: String, at now: Timestamp) -> Int64? {
        guard let wait = limits.withLock({ $0?.take(key, at: now) ?? nil }) else { return nil }
        refusals.increment()
        return wait
    }
}
