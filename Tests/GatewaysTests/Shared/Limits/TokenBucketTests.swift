import TestSupport
import Testing

@testable import Gateways
@testable import Support

@Suite("Token buckets")
struct TokenBucketTests {
    /// One per second, burst of 5.
    private static let onTrip = RateLimit(count: 1, periodMilliseconds: 1000, burst: 5)
    private static let start = Timestamp(milliseconds: 1_741_977_135_123)

    private static func after(_ milliseconds: Int64) -> Timestamp {
        Timestamp(milliseconds: start.milliseconds + milliseconds)
    }

    /// Acquires tokens until one is denied, and returns whether all `count` tokens are granted.
    private static func acquire(_ count: Int, from bucket: inout TokenBucket, at time: Timestamp = start) -> Bool {
        (0..<count).allSatisfy { _ in bucket.acquire(at: time) == nil }
    }

    @Test("the burst is granted at once, the next token exactly one period later")
    func burst() {
        var bucket = TokenBucket(Self.onTrip, at: Self.start)
        #expect(Self.acquire(5, from: &bucket))
        #expect(bucket.acquire(at: Self.start) == 1000)
        #expect(bucket.acquire(at: Self.after(999)) == 1)
        #expect(bucket.acquire(at: Self.after(1000)) == nil)
        #expect(bucket.acquire(at: Self.after(1000)) == 1000)
    }

    @Test("after a long pause, only one burst is granted")
    func silence() {
        var bucket = TokenBucket(Self.onTrip, at: Timestamp(milliseconds: 0))
        #expect(Self.acquire(5, from: &bucket, at: Timestamp(milliseconds: 0)))
        #expect(Self.acquire(5, from: &bucket, at: .latest))
        #expect(bucket.acquire(at: .latest) == 1000)
        // The largest limit; its product with this time exceeds 64 bits.
        let largest = RateLimit(count: 1_000_000, periodMilliseconds: 86_400_000, burst: 1_000_000)
        bucket = TokenBucket(largest, at: Timestamp(milliseconds: 0))
        #expect(Self.acquire(1_000_000, from: &bucket, at: Timestamp(milliseconds: 0)))
        #expect(!bucket.isFull(at: Timestamp(milliseconds: 86_399_999)) && bucket.isFull(at: .latest))
    }

    @Test("an interval between tokens that is not a whole number of milliseconds is exact")
    func thirds() {
        var bucket = TokenBucket(RateLimit(count: 3, periodMilliseconds: 1000, burst: 2), at: Self.start)
        #expect(Self.acquire(2, from: &bucket))
        #expect(bucket.acquire(at: Self.start) == 334)
        #expect(bucket.acquire(at: Self.after(333)) == 1)
        #expect(bucket.acquire(at: Self.after(334)) == nil)
        // A token is 1,000 parts. Of 1,002 parts at 334 ms two remain, so the next token is due 333 ms later.
        #expect(bucket.acquire(at: Self.after(667)) == nil)
    }

    @Test("a bucket is full exactly when the burst would be granted")
    func full() {
        var bucket = TokenBucket(Self.onTrip, at: Self.start)
        #expect(bucket.isFull(at: Self.start))
        #expect(Self.acquire(5, from: &bucket))
        #expect(!bucket.isFull(at: Self.after(4999)))
        #expect(bucket.isFull(at: Self.after(5000)))
    }

    @Test("after the clock steps back by up to the fill time, the bucket refills only after the old time")
    func clockBack() {
        var bucket = TokenBucket(Self.onTrip, at: Self.start)
        #expect(Self.acquire(5, from: &bucket))
        #expect(bucket.acquire(at: Self.after(-5000)) == 6000)
        #expect(bucket.acquire(at: Self.after(999)) == 1)
        #expect(bucket.acquire(at: Self.after(1000)) == nil)
    }

    @Test("after the clock steps back by more than the fill time, the bucket continues from the new time")
    func clockFarBack() {
        var bucket = TokenBucket(Self.onTrip, at: Self.start)
        #expect(Self.acquire(5, from: &bucket))
        #expect(bucket.acquire(at: Self.after(-5001)) == 1000)
        #expect(bucket.acquire(at: Self.after(-4001)) == nil)
        #expect(bucket.acquire(at: Timestamp(milliseconds: .min)) == 1000)
        #expect(bucket.acquire(at: Timestamp(milliseconds: .max)) == nil)
    }

    /// Reference model that advances by one millisecond at a time.
    private struct Model {
        let limit: RateLimit
        var parts: Int
        var time: Int64

        init(_ limit: RateLimit, at time: Int64) {
            (self.limit, self.time) = (limit, time)
            parts = limit.burst * limit.periodMilliseconds
        }

        mutating func advance() {
            time += 1
            parts = min(parts + limit.count, limit.burst * limit.periodMilliseconds)
        }

        mutating func acquire(at now: Int64) -> Int64? {
            while time < now { advance() }
            guard parts < limit.periodMilliseconds else {
                parts -= limit.periodMilliseconds
                return nil
            }
            var later = self
            while later.parts < limit.periodMilliseconds { later.advance() }
            return later.time - time
        }
    }

    @Test(
        "results match a reference model, and grants never exceed the burst plus the rate",
        arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20 {
            let limit = RateLimit(
                count: Int.random(in: 1...12, using: &generator),
                periodMilliseconds: Int.random(in: 1...700, using: &generator),
                burst: Int.random(in: 1...9, using: &generator))
            var now: Int64 = 1000
            var bucket = TokenBucket(limit, at: Timestamp(milliseconds: now))
            var model = Model(limit, at: now)
            var grants: [Int64] = []
            for _ in 0..<100 {
                now += Int64.random(in: 0...(Bool.random(using: &generator) ? 3 : 900), using: &generator)
                let wait = bucket.acquire(at: Timestamp(milliseconds: now))
                #expect(wait == model.acquire(at: now), "seed \(seed), \(limit), at \(now)")
                if wait == nil { grants.append(now) }
            }
            expectBound(grants, limit, seed)
        }
    }

    private func expectBound(_ grants: [Int64], _ limit: RateLimit, _ seed: UInt64) {
        for first in grants.indices {
            for last in first..<grants.count {
                let allowed = limit.burst * limit.periodMilliseconds + Int(grants[last] - grants[first]) * limit.count
                #expect((last - first + 1) * limit.periodMilliseconds <= allowed, "seed \(seed), \(limit)")
            }
        }
    }

    @Test(
        "with a clock that jumps back and forth, no more tokens are granted than the latest time allows",
        arguments: [UInt64(21), 22, 23, 24])
    func wanderingClock(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let limit = RateLimit(count: 2, periodMilliseconds: 1000, burst: 10)
        var bucket = TokenBucket(limit, at: Self.start)
        var (newest, granted) = (Int64(0), 0)
        for _ in 0..<5000 {
            // Steps back by less than the fill time of 5 s.
            let now = newest + Int64.random(in: -4999...300, using: &generator)
            newest = max(newest, now)
            if bucket.acquire(at: Self.after(now)) == nil { granted += 1 }
        }
        #expect(granted * 1000 <= 10_000 + Int(newest) * 2, "seed \(seed)")
        #expect(granted > 20, "seed \(seed)")
    }
}
