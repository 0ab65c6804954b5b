import Support

/// A token bucket in integers: it begins full with the burst, and gains tokens at the rate of its limit.
///
/// Between any two times it grants at most the burst and what the rate gives between them. A token has as many parts as
/// its limit's period has milliseconds, so that each millisecond gives a whole number of parts and nothing is rounded.
package struct TokenBucket: Sendable {
    /// The wait for more tokens than the burst, which are never granted.
    package static let never = Int64.max

    private let limit: RateLimit
    private var parts: Int64
    /// Up to when tokens were gained.
    private var time: Timestamp

    /// A full bucket.
    /// - Parameters:
    ///   - limit: the rate and the burst, which must have no problems.
    ///   - time: the present.
    package init(_ limit: RateLimit, at time: Timestamp) {
        precondition(limit.problems().isEmpty, "A bucket was made with a limit that was not checked.")
        self.limit = limit
        self.time = time.readable
        parts = Self.fullParts(limit)
    }

    /// Takes all of `count` tokens or none.
    /// - Parameters:
    ///   - now: the present. A clock that goes back gives no tokens; while it is behind by less than an empty bucket
    ///     takes to be full, the bucket waits for it, and beyond that goes on from there.
    ///   - count: how many, from 0.
    /// - Returns: `nil` when they are granted, otherwise in how many milliseconds they are, if nothing else is taken
    ///   until then; ``never`` for more than the burst.
    package mutating func take(at now: Timestamp, count: Int = 1) -> Int64? {
        precondition(count >= 0, "A number of tokens is not negative.")
        let now = now.readable
        gain(until: now)
        guard count <= limit.burst else { return Self.never }
        let wanted = Int64(count) * Int64(limit.periodMilliseconds)
        guard wanted > parts else {
            parts -= wanted
            return nil
        }
        let rate = Int64(limit.count)
        return (wanted - parts + rate - 1) / rate + max(0, time.milliseconds - now.milliseconds)
    }

    /// Whether it holds the whole burst, so that a new one would be the same.
    package func isFull(at now: Timestamp) -> Bool {
        var bucket = self
        bucket.gain(until: now.readable)
        return bucket.parts == Self.fullParts(limit)
    }

    private mutating func gain(until now: Timestamp) {
        let elapsed = now.milliseconds - time.milliseconds
        let fill = limit.fillMilliseconds
        if elapsed > 0 {
            let gained = min(elapsed, fill) * Int64(limit.count)
            parts = min(parts + gained, Self.fullParts(limit))
            time = now
        } else if elapsed < -fill {
            // Waiting for a clock that is set back by hours would lock the key out for as long.
            time = now
        }
    }

    private static func fullParts(_ limit: RateLimit) -> Int64 {
        Int64(limit.burst) * Int64(limit.periodMilliseconds)
    }
}
