import DequeModule
import Support

/// Token buckets of a bounded number of keys, such as users or addresses.
///
/// Full buckets are removed, since a new bucket would be equal. If the table is full, the least recently used bucket is
/// removed even if it is not full; its key then gets a new burst, like any new key. Refusing new keys instead would let
/// a flood of addresses lock out everyone else.
struct RateLimits: Sendable {
    private struct Entry {
        var bucket: TokenBucket
        /// Number of the last use, counted over all keys.
        var lastUse: UInt64
    }

    /// Maximum number of full buckets removed per call; full buckets do not accumulate, because a call adds only one.
    private static let removedPerCall = 2

    private let limit: RateLimit
    private let maximumKeys: Int
    // Clients can choose their keys. `Dictionary` seeds its hash per process, so they cannot force collisions.
    private var entries: [String: Entry] = [:]
    /// Keys in the order of use; only the last use of a key is current.
    private var uses: Deque<(key: String, number: UInt64)> = []
    private var useCount: UInt64 = 0

    /// Creates the limits; `limit` applies to each key and must be valid; `maximumKeys` must be at least 1.
    init(_ limit: RateLimit, maximumKeys: Int) {
        precondition(limit.isValid, "The limit must be valid.")
        precondition(maximumKeys > 0, "maximumKeys must be at least 1.")
        self.limit = limit
        self.maximumKeys = maximumKeys
    }

    var count: Int { entries.count }

    /// Removes a token from the bucket of a key; `now` is as in ``TokenBucket/acquire(at:)``.
    /// - Returns: `nil` if granted, otherwise the wait in milliseconds.
    mutating func acquire(_ key: String, at now: Timestamp) -> Int64? {
        for _ in 0..<Self.removedPerCall {
            guard let oldest = oldestKey(), entries[oldest]?.bucket.isFull(at: now) == true else { break }
            entries[oldest] = nil
        }
        if entries.count == maximumKeys, entries[key] == nil, let oldest = oldestKey() { entries[oldest] = nil }
        // A refused request counts as a use, so that a flood of new keys does not first evict keys over their limit.
        recordUse(of: key)
        var entry = entries[key] ?? Entry(bucket: TokenBucket(limit, at: now), lastUse: useCount)
        entry.lastUse = useCount
        let wait = entry.bucket.acquire(at: now)
        entries[key] = entry
        return wait
    }

    private mutating func recordUse(of key: String) {
        useCount += 1
        if uses.count > 2 * entries.count + 64 { uses.removeAll { [entries] in entries[$0.key]?.lastUse != $0.number } }
        uses.append((key, useCount))
    }

    /// Returns the least recently used key; drops outdated uses before it.
    private mutating func oldestKey() -> String? {
        while let use = uses.first {
            if entries[use.key]?.lastUse == use.number { return use.key }
            uses.removeFirst()
        }
        return nil
    }
}
