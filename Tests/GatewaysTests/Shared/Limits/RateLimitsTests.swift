import TestSupport
import Testing

@testable import Gateways
@testable import Support

@Suite("Rate limits by key")
struct RateLimitsTests {
    /// Burst of 2, one per second: an empty bucket is full after two seconds.
    private static let limit = RateLimit(count: 1, periodMilliseconds: 1000, burst: 2)

    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000 + milliseconds) }

    /// Acquires both tokens of a full bucket.
    private static func drain(_ key: String, _ limits: inout RateLimits) {
        for _ in 0..<2 { #expect(limits.acquire(key, at: time(0)) == nil, "\(key)") }
    }

    @Test("each key has its own bucket")
    func keys() {
        var limits = RateLimits(Self.limit, maximumKeys: 10)
        Self.drain("a", &limits)
        #expect(limits.acquire("a", at: Self.time(0)) == 1000)
        #expect(limits.acquire("b", at: Self.time(0)) == nil)
        #expect(limits.acquire("a", at: Self.time(400)) == 600)
        #expect(limits.count == 2)
    }

    @Test("a bucket is removed when it is full")
    func idle() {
        var limits = RateLimits(Self.limit, maximumKeys: 10)
        Self.drain("a", &limits)
        #expect(limits.acquire("b", at: Self.time(1999)) == nil)
        #expect(limits.count == 2)
        #expect(limits.acquire("b", at: Self.time(2000)) == nil)
        #expect(limits.count == 1)
    }

    @Test("a full table evicts the least recently used key")
    func eviction() {
        var limits = RateLimits(Self.limit, maximumKeys: 3)
        for key in ["a", "b", "c"] { Self.drain(key, &limits) }
        #expect(limits.count == 3)
        // A refused request counts as a use.
        #expect(limits.acquire("a", at: Self.time(0)) == 1000)
        Self.drain("d", &limits)
        #expect(limits.count == 3)
        for key in ["a", "c", "d"] { #expect(limits.acquire(key, at: Self.time(0)) == 1000, "\(key)") }
        Self.drain("b", &limits)
    }

    @Test("with room for one key, each new key replaces the previous one")
    func singleKey() {
        var limits = RateLimits(Self.limit, maximumKeys: 1)
        for _ in 0..<3 {
            Self.drain("a", &limits)
            #expect(limits.acquire("a", at: Self.time(0)) == 1000)
            #expect(limits.acquire("b", at: Self.time(0)) == nil)
        }
        #expect(limits.count == 1)
    }

    @Test(
        "with room for every key, results match one permanent bucket per key",
        arguments: [UInt64(31), 32])
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let keys = (0..<20).map { "key \($0)" }
        var limits = RateLimits(Self.limit, maximumKeys: keys.count)
        var model: [String: TokenBucket] = [:]
        var (now, refused) = (Int64(0), 0)
        for _ in 0..<20_000 {
            now += Int64.random(in: 0...200, using: &generator)
            let time = Self.time(now)
            let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
            let expected = model[key, default: TokenBucket(Self.limit, at: time)].acquire(at: time)
            #expect(limits.acquire(key, at: time) == expected, "seed \(seed), \(key) at \(now)")
            if expected != nil { refused += 1 }
        }
        #expect(refused > 100, "seed \(seed)")
    }

    @Test("a flood of new keys does not grow the table or lock out other keys", arguments: [UInt64(41)])
    func flood(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var limits = RateLimits(Self.limit, maximumKeys: 100)
        for index in 0..<50_000 {
            let now = Self.time(Int64(index / 100))
            #expect(limits.acquire("flood \(UInt64.random(in: 0 ... .max, using: &generator))", at: now) == nil)
            #expect(limits.count <= 100, "seed \(seed)")
        }
        #expect(limits.acquire("driver", at: Self.time(500)) == nil)
        // Later, each call removes up to two full buckets.
        for index in 0..<100 { #expect(limits.acquire("driver", at: Self.time(10_000 + Int64(index) * 1000)) == nil) }
        #expect(limits.count == 1)
    }
}
