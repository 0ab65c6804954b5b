import Gateways
import Synchronization
import Tracking

/// How many requests and handshakes come from one address, counted over all event loops.
final class AddressLimits: Sendable {
    private static let maximumAddresses = 100_000

    private let limits: Mutex<RateLimits?>

    /// `limit`: `nil` for none.
    init(_ limit: RateLimit?) { limits = Mutex(limit.map { RateLimits($0, maximumKeys: Self.maximumAddresses) }) }

    /// - Returns: `nil` when the request may be answered, otherwise the wait in milliseconds.
    func take(_ address: String, at now: Timestamp) -> Int64? {
        limits.withLock { $0?.take(address, at: now) ?? nil }
    }
}
