import Support

/// The chunks of tracks that a partition remembers, to recognise one that is driven again point by point.
///
/// Holds the last ``TrackingSettings/Replay/rememberedChunks`` that were remembered, and of those the ones of the last
/// ``hoursHeld`` clock hours; so its answers follow from the records of chunks in order alone, wherever a restore
/// begins to read them before those.
///
/// Of a chunk 48 bits are kept: 16 as the number of its bucket, which a ring keeps in the order of arrival, and 32 in the
/// bucket, newest first. The oldest chunk of all is then the last one of its bucket, and is forgotten by counting down.
/// A full memory of 917,504 chunks takes 8.7 bytes for each of them, 8 MB together; an unseen chunk is taken for one
/// held with a probability of 14 / 2^32.
package struct TrackMemory: Sendable {
    /// A chunk that does not count yet.
    private struct Recent {
        var chunk: UInt64
        var at: Timestamp
    }

    /// Clock hours of stream time after which a chunk is forgotten: the topic of chunks is kept for longer.
    static let hoursHeld = 24
    /// Chunks in a bucket at most: 14 on average where the memory is full, so that one in 400 is lost.
    private static let width = 22
    private static let mostBuckets = 1 << 16

    private let capacity: Int
    private let minimumAgeSeconds: Double
    /// Chunks of less than the minimum age, in the order of arrival, from ``recentHead`` on.
    private var recent: [Recent] = []
    private var recentHead = 0
    /// A ring of `held` numbers of buckets, of 16 bits, as many of which count as there are buckets.
    private var homes: [UInt16] = Array(repeating: 0, count: 64)
    private var oldest = 0
    private var held = 0
    /// Buckets of ``width`` fingerprints, a power of two.
    private var fingerprints: [UInt32] = Array(repeating: 0, count: 16 * width)
    /// Chunks of each bucket that are held; those beyond ``width`` are lost.
    private var counts: [UInt32] = Array(repeating: 0, count: 16)
    /// How many of the chunks held are of each of the last hours, by the hour's number modulo their count.
    private var hourly: [UInt32] = Array(repeating: 0, count: hoursHeld)
    private var hour = Int64.min

    package init(_ settings: TrackingSettings.Replay = TrackingSettings.Replay()) {
        precondition(
            TrackingSettings.Replay.capacities.contains(settings.rememberedChunks),
            "A partition remembers between one and a million chunks.")
        capacity = settings.rememberedChunks
        minimumAgeSeconds = settings.minimumAgeSeconds
    }

    /// Chunks held, the recent ones included.
    package var count: Int { held + recent.count - recentHead }

    /// Remembers `chunk` as driven at `time`, and forgets the oldest when there are too many.
    package mutating func remember(chunk: UInt64, at time: Timestamp) {
        pass(to: time)
        recent.append(Recent(chunk: chunk, at: time))
    }

    /// Whether `chunk` was driven at least ``TrackingSettings/Replay/minimumAgeSeconds`` before `now`.
    ///
    /// - Precondition: `now` is not before that of an earlier call, or the time of a chunk.
    package mutating func holds(chunk: UInt64, at now: Timestamp) -> Bool {
        pass(to: now)
        let bucket = Int(Self.home(of: chunk)) & (counts.count - 1)
        let fingerprint = UInt32(truncatingIfNeeded: chunk)
        let first = bucket * Self.width
        for slot in first..<first + min(Int(counts[bucket]), Self.width) where fingerprints[slot] == fingerprint {
            return true
        }
        return false
    }

    /// The chunk is a mixed hash already.
    @inline(__always)
    private static func home(of chunk: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: chunk >> 48) }

    /// Lets recent chunks count that are old enough, and forgets those of hours past.
    private mutating func pass(to now: Timestamp) {
        while recentHead < recent.count, now.seconds(since: recent[recentHead].at) >= minimumAgeSeconds {
            let next = recent[recentHead]
            recentHead += 1
            begin(hourOf: next.at)
            hold(next.chunk)
        }
        begin(hourOf: now)
        guard recentHead >= 1024, recentHead * 2 >= recent.count else { return }
        recent.removeFirst(recentHead)
        recentHead = 0
    }

    private mutating func hold(_ chunk: UInt64) {
        if held == capacity { forgetOldestOfHours() }
        if held == homes.count { growRing() }
        let home = Self.home(of: chunk)
        while case let bucket = Int(home) & (counts.count - 1), counts[bucket] >= Self.width,
            counts.count < Self.mostBuckets
        {
            doubleBuckets()
        }
        let bucket = Int(home) & (counts.count - 1)
        let first = bucket * Self.width
        var slot = first + min(Int(counts[bucket]), Self.width - 1)
        while slot > first {
            fingerprints[slot] = fingerprints[slot - 1]
            slot -= 1
        }
        fingerprints[first] = UInt32(truncatingIfNeeded: chunk)
        counts[bucket] += 1
        homes[place(held)] = home
        held += 1
        hourly[Self.slot(of: hour)] += 1
    }

    /// The index in the ring of the chunk that `number` older ones come before.
    @inline(__always)
    private func place(_ number: Int) -> Int {
        let index = oldest + number
        return index < homes.count ? index : index - homes.count
    }

    private mutating func forgetOldest() {
        counts[Int(homes[oldest]) & (counts.count - 1)] -= 1
        oldest = place(1)
        held -= 1
    }
}

// MARK: - Hours

extension TrackMemory {
    private static func slot(of hour: Int64) -> Int {
        let count = Int64(hoursHeld)
        return Int((hour % count + count) % count)
    }

    /// Forgets the chunks of the hours that end as the hour of `time` begins; an hour before the last one counts as that.
    private mutating func begin(hourOf time: Timestamp) {
        let milliseconds: Int64 = 3_600_000
        let next = time.milliseconds / milliseconds - (time.milliseconds % milliseconds < 0 ? 1 : 0)
        guard next > hour else { return }
        if held > 0 {
            for passed in 1...min(Int64(Self.hoursHeld), next - hour) {
                let slot = Self.slot(of: hour + passed)
                for _ in 0..<hourly[slot] { forgetOldest() }
                hourly[slot] = 0
            }
        }
        hour = next
    }

    private mutating func forgetOldestOfHours() {
        var slot = Self.slot(of: hour + 1)
        while hourly[slot] == 0 { slot = slot + 1 == Self.hoursHeld ? 0 : slot + 1 }
        hourly[slot] -= 1
        forgetOldest()
    }
}

// MARK: - Growth

extension TrackMemory {
    private mutating func growRing() {
        var larger = (0..<held).map { homes[place($0)] }
        larger += Array(repeating: 0, count: min(capacity, 2 * held) - held)
        homes = larger
        oldest = 0
    }

    /// Spreads the chunks over twice as many buckets; none is lost, as no bucket had more than it holds.
    private mutating func doubleBuckets() {
        let (former, narrow) = (fingerprints, counts.count)
        var taken = Array(repeating: 0, count: narrow)
        counts = Array(repeating: 0, count: 2 * narrow)
        fingerprints = Array(repeating: 0, count: 2 * narrow * Self.width)
        for number in (0..<held).reversed() {
            let home = Int(homes[place(number)])
            let (from, bucket) = (home & (narrow - 1), home & (2 * narrow - 1))
            fingerprints[bucket * Self.width + Int(counts[bucket])] = former[from * Self.width + taken[from]]
            taken[from] += 1
            counts[bucket] += 1
        }
    }
}
