import Support

/// Token buckets of a bounded number of keys, such as users or addresses.
///
/// Full buckets are removed, since a new bucket would be equal. If the table is full, the least recently used bucket is
/// removed even if it is not full; its key then gets a new burst, like any new key. Refusing new keys instead would let
/// a flood of addresses lock out everyone else.
struct RateLimits: Sendable {
    private struct Entry {
        var key: String
        var bucket: TokenBucket
        /// Neighbors in the order of use; -1 at the ends.
        var earlier: Int
        var later: Int
    }

    /// Maximum number of full buckets removed per call; a call adds only one, so that they do not accumulate.
    private static let removedPerCall = 2

    private let limit: RateLimit
    private let maximumKeys: Int
    // Clients can choose their keys. `Dictionary` seeds its hash per process, so they cannot force collisions.
    private var indices: [String: Int] = [:]
    private var entries: [Entry] = []
    private var free: [Int] = []
    /// Least and most recently used entry; -1 if the table is empty.
    private var oldest = -1
    private var newest = -1
    /// Number of buckets removed before they were full; more than a few show that the table is too small.
    private(set) var evictionCount = 0

    /// `limit` applies to each key and must be valid; `maximumKeys` must be at least 1.
    init(_ limit: RateLimit, maximumKeys: Int) {
        precondition(limit.isValid, "The limit must be valid.")
        precondition(maximumKeys > 0, "maximumKeys must be at least 1.")
        self.limit = limit
        self.maximumKeys = maximumKeys
    }

    var count: Int { indices.count }

    /// Removes `count` tokens from the bucket of a key, or none if it has fewer.
    ///
    /// `count` must not be negative; `now` is as in ``TokenBucket/acquire(at:count:)``.
    /// - Returns: `nil` if granted, otherwise the wait in milliseconds.
    mutating func acquire(_ key: String, at now: Timestamp, count: Int = 1) -> Int64? {
        removeFull(at: now)
        let index = index(of: key, at: now)
        return entries[index].bucket.acquire(at: now, count: count)
    }

    private mutating func removeFull(at now: Timestamp) {
        for _ in 0..<Self.removedPerCall {
            guard oldest >= 0, entries[oldest].bucket.isFull(at: now) else { return }
            remove(oldest)
        }
    }

    /// Returns the index of a key's bucket and makes it the most recently used.
    ///
    /// A refused request counts as a use. Otherwise a flood of new keys would evict the keys over their limit first.
    private mutating func index(of key: String, at now: Timestamp) -> Int {
        if let index = indices[key] {
            unlink(index)
            append(index)
            return index
        }
        if indices.count == maximumKeys {
            if !entries[oldest].bucket.isFull(at: now) { evictionCount += 1 }
            remove(oldest)
        }
        let entry = Entry(key: key, bucket: TokenBucket(limit, at: now), earlier: -1, later: -1)
        let index = free.popLast() ?? entries.count
        if index == entries.count { entries.append(entry) } else { entries[index] = entry }
        indices[key] = index
        append(index)
        return index
    }

    private mutating func remove(_ index: Int) {
        unlink(index)
        indices[entries[index].key] = nil
        entries[index].key = ""
        free.append(index)
    }

    private mutating func append(_ index: Int) {
        entries[index].earlier = newest
        entries[index].later = -1
        if newest >= 0 { entries[newest].later = index } else { oldest = index }
        newest = index
    }

    private mutating func unlink(_ index: Int) {
        let (earlier, later) = (entries[index].earlier, entries[index].later)
        if earlier >= 0 { entries[earlier].later = later } else { oldest = later }
        if later >= 0 { entries[later].earlier = earlier } else { newest = earlier }
    }
}
