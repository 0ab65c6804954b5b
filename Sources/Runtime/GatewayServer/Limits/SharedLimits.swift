import Gateways
import Synchronization
import Tracking

/// How often each of many users or addresses may do something, counted over all event loops.
final class SharedLimits: Sendable {
    /// A bucket takes about 200 bytes.
    private static let maximumKeys = 100_000

    private let limits: Mutex<RateLimits?>

    /// `limit`: for each key; `nil` for none.
    init(_ limit: RateLimit?) { limits = Mutex(limit.map { RateLimits($0, maximumKeys: Self.maximumKeys) }) }

    /// - Returns: `nil` when it may be done, otherwise the wait in milliseconds.
    func take(_ key: String, at now: Timestamp) -> Int64? {
        limits.withLock { $0?.take(key, at: now) ?? nil }
    }
}
