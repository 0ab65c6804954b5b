import Support

/// A bucket for each user or address, for a bounded number of them.
///
/// A bucket that is full is forgotten, since a new one is the same. Where all places are taken, the one that was used
/// least recently is forgotten even if it is not full: its key then has a burst at once, as any new key has. To refuse
/// new keys instead would let a flood of addresses lock everyone else out.
///
/// An instance applies one limit to one kind of key.
package struct RateLimits: Sendable {
    private struct Entry {
        var key: String
        var bucket: TokenBucket
        /// Neighbours in the order of use, -1 at the ends.
        var earlier: Int
        var later: Int
    }

    /// How many idle buckets one call forgets: more than it adds, so that they do not pile up.
    private static let forgottenPerCall = 2

    private let limit: RateLimit
    private let maximumKeys: Int
    // A dictionary, whose hash is seeded, because clients choose their addresses.
    private var places: [String: Int] = [:]
    private var entries: [Entry] = []
    private var free: [Int] = []
    /// The least and the most recently used, -1 when there is none.
    private var oldest = -1
    private var newest = -1
    /// How many buckets were forgotten before they were full: more than a few say that the table is too small.
    package private(set) var evictionCount = 0

    /// - Parameters:
    ///   - limit: for each key, which must have no problems.
    ///   - maximumKeys: how many keys have a bucket at the same time, from 1.
    package init(_ limit: RateLimit, maximumKeys: Int) {
        precondition(limit.problems().isEmpty, "A table was made with a limit that was not checked.")
        precondition(maximumKeys > 0, "A table of limits has room for one key at least.")
        self.limit = limit
        self.maximumKeys = maximumKeys
    }

    /// How many keys have a bucket.
    package var count: Int { places.count }

    /// Takes all of `count` tokens of the bucket of `key` or none.
    /// - Parameters:
    ///   - key: a user's id, or an address.
    ///   - now: the present, as ``TokenBucket/take(at:count:)`` has it.
    ///   - count: how many, from 0.
    /// - Returns: `nil` when they are granted, otherwise the wait in milliseconds.
    package mutating func take(_ key: String, at now: Timestamp, count: Int = 1) -> Int64? {
        forgetIdle(at: now)
        let place = place(of: key, at: now)
        return entries[place].bucket.take(at: now, count: count)
    }

    private mutating func forgetIdle(at now: Timestamp) {
        for _ in 0..<Self.forgottenPerCall {
            guard oldest >= 0, entries[oldest].bucket.isFull(at: now) else { return }
            forget(oldest)
        }
    }

    /// The place of the bucket of `key`, which becomes the most recently used; a refused attempt is a use as well, or
    /// trying on would empty a flooded table of the very keys that are over their limit.
    private mutating func place(of key: String, at now: Timestamp) -> Int {
        if let place = places[key] {
            unlink(place)
            append(place)
            return place
        }
        if places.count == maximumKeys {
            if !entries[oldest].bucket.isFull(at: now) { evictionCount += 1 }
            forget(oldest)
        }
        let entry = Entry(key: key, bucket: TokenBucket(limit, at: now), earlier: -1, later: -1)
        let place = free.popLast() ?? entries.count
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        places[key] = place
        append(place)
        return place
    }

    private mutating func forget(_ place: Int) {
        unlink(place)
        places[entries[place].key] = nil
        entries[place].key = ""
        free.append(place)
    }

    private mutating func append(_ place: Int) {
        entries[place].earlier = newest
        entries[place].later = -1
        if newest >= 0 { entries[newest].later = place } else { oldest = place }
        newest = place
    }

    private mutating func unlink(_ place: Int) {
        let (earlier, later) = (entries[place].earlier, entries[place].later)
        if earlier >= 0 { entries[earlier].later = later } else { oldest = later }
        if later >= 0 { entries[later].earlier = earlier } else { newest = earlier }
    }
}
