import Support

/// Rate limit: a steady rate and a burst.
struct RateLimit: Sendable, Equatable {
    /// Events per period, at least 1.
    var count: Int
    /// Period in milliseconds, at least 1.
    var periodMilliseconds: Int
    /// Maximum number of events at once, at least 1.
    var burst: Int

    /// Whether all values are in range: up to a million events per period and at once, and a period of up to a day.
    var isValid: Bool {
        let counts = 1...1_000_000
        return counts.contains(count) && counts.contains(burst) && (1...86_400_000).contains(periodMilliseconds)
    }

    /// Time after which an empty bucket is full, in milliseconds.
    var fillMilliseconds: Int64 {
        let parts = Int64(burst) * Int64(periodMilliseconds)
        return (parts + Int64(count) - 1) / Int64(count)
    }
}

/// Token bucket with integer arithmetic, which starts full and refills at the rate of its limit.
///
/// In any interval it grants at most the burst plus the tokens added in the interval. A token is divided into as many
/// parts as the period has milliseconds, so each millisecond adds a whole number of parts and nothing is rounded.
struct TokenBucket: Sendable {
    private let limit: RateLimit
    private var parts: Int64
    private var time: Timestamp

    /// Creates a full bucket; `limit` must be valid.
    init(_ limit: RateLimit, at time: Timestamp) {
        precondition(limit.isValid, "The limit must be valid.")
        self.limit = limit
        self.time = time.readable
        parts = Self.fullParts(limit)
    }

    /// Removes a token.
    ///
    /// A `now` before the last refill adds no tokens. If `now` is up to ``RateLimit/fillMilliseconds`` earlier,
    /// refilling continues when `now` has passed the last refill; if even earlier, refilling continues from `now`.
    /// - Returns: `nil` if granted, otherwise the wait in milliseconds, assuming that nothing else removes tokens.
    mutating func acquire(at now: Timestamp) -> Int64? {
        let now = now.readable
        refill(until: now)
        let cost = Int64(limit.periodMilliseconds)
        guard cost > parts else {
            parts -= cost
            return nil
        }
        let rate = Int64(limit.count)
        return (cost - parts + rate - 1) / rate + max(0, time.milliseconds - now.milliseconds)
    }

    /// Returns whether the bucket is full at `now`, and so equals a new one.
    func isFull(at now: Timestamp) -> Bool {
        var bucket = self
        bucket.refill(until: now.readable)
        return bucket.parts == Self.fullParts(limit)
    }

    private mutating func refill(until now: Timestamp) {
        let elapsed = now.milliseconds - time.milliseconds
        let fill = limit.fillMilliseconds
        if elapsed > 0 {
            let added = min(elapsed, fill) * Int64(limit.count)
            parts = min(parts + added, Self.fullParts(limit))
            time = now
        } else if elapsed < -fill {
            // Without this step, a clock that was set back by hours would lock out the key for hours.
            time = now
        }
    }

    private static func fullParts(_ limit: RateLimit) -> Int64 {
        Int64(limit.burst) * Int64(limit.periodMilliseconds)
    }
}
