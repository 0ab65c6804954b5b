import Support

/// The ``TrackChunk``s of a partition, to recognise a replay.
///
/// Contains the last ``TrackingSettings/Replay/rememberedChunks`` of the last ``hoursHeld`` clock hours. The content
/// depends only on the order of chunk records. A chunk uses 48 bits: 16 are the number of its bucket, kept in a ring
/// in order of arrival, and 32 are stored in the bucket, newest first. Dropping the oldest chunk only decrements its
/// bucket's count. 917,504 chunks use 8 MB; the probability of a false match is 14 / 2^32.
package struct TrackMemory: Sendable {
    /// Chunk below the minimum age.
    private struct Recent {
        var chunk: UInt64
        var at: Timestamp
    }

    /// Clock hours of stream time for which chunks are stored; the topic keeps them longer.
    static let hoursHeld = 24
    /// Capacity of a bucket; a full memory has 14 chunks per bucket on average and loses one in 400.
    private static let width = 22
    private static let mostBuckets = 1 << 16

    private let capacity: Int
    private let minimumAgeSeconds: Double
    /// Chunks below the minimum age, in order of arrival; chunks before ``recentHead`` are obsolete.
    private var recent: [Recent] = []
    private var recentHead = 0
    /// Ring of 16-bit bucket numbers, one per stored chunk; with fewer buckets, only the low bits are used.
    private var homes: [UInt16] = Array(repeating: 0, count: 64)
    private var oldest = 0
    private var stored = 0
    /// Fingerprints in buckets of ``width``; the number of buckets is a power of two.
    private var fingerprints: [UInt32] = Array(repeating: 0, count: 16 * width)
    /// Stored chunks per bucket; chunks beyond ``width`` are lost.
    private var counts: [UInt32] = Array(repeating: 0, count: 16)
    /// Stored chunks per hour, by the hour's number modulo ``hoursHeld``.
    private var hourly: [UInt32] = Array(repeating: 0, count: hoursHeld)
    private var hour = Int64.min

    package init(_ settings: TrackingSettings.Replay = TrackingSettings.Replay()) {
        precondition(
            TrackingSettings.Replay.capacities.contains(settings.rememberedChunks),
            "rememberedChunks must be 1 to 1,048,576.")
        capacity = settings.rememberedChunks
        minimumAgeSeconds = settings.minimumAgeSeconds
    }

    package var count: Int { stored + recent.count - recentHead }

    /// Stores `chunk` as driven at `time`; drops the oldest chunk if the memory is full.
    package mutating func remember(chunk: UInt64, at time: Timestamp) {
        advance(to: time)
        recent.append(Recent(chunk: chunk, at: time))
    }

    /// Returns whether `chunk` was driven at least ``TrackingSettings/Replay/minimumAgeSeconds`` before `now`.
    ///
    /// `now` must not be before the time of an earlier call.
    package mutating func holds(chunk: UInt64, at now: Timestamp) -> Bool {
        advance(to: now)
        let bucket = Int(Self.home(of: chunk)) & (counts.count - 1)
        let fingerprint = UInt32(truncatingIfNeeded: chunk)
        let first = bucket * Self.width
        for slot in first..<first + min(Int(counts[bucket]), Self.width) where fingerprints[slot] == fingerprint {
            return true
        }
        return false
    }

    /// Returns the bucket number of a chunk, the high bits of its hash.
    @inline(__always) private static func home(of chunk: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: chunk >> 48) }

    /// Moves recent chunks that are old enough to the buckets, and drops expired hours.
    private mutating func advance(to now: Timestamp) {
        while recentHead < recent.count, now.seconds(since: recent[recentHead].at) >= minimumAgeSeconds {
            let next = recent[recentHead]
            recentHead += 1
            begin(hourOf: next.at)
            store(next.chunk)
        }
        begin(hourOf: now)
        guard recentHead >= 1024, recentHead * 2 >= recent.count else { return }
        recent.removeFirst(recentHead)
        recentHead = 0
    }

    private mutating func store(_ chunk: UInt64) {
        if stored == capacity { dropOldestInHours() }
        if stored == homes.count { growRing() }
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
        homes[ringIndex(stored)] = home
        stored += 1
        hourly[Self.slot(of: hour)] += 1
    }

    /// Returns the ring index of the chunk with `number` older chunks.
    @inline(__always) private func ringIndex(_ number: Int) -> Int {
        let index = oldest + number
        return index < homes.count ? index : index - homes.count
    }

    private mutating func dropOldest() {
        counts[Int(homes[oldest]) & (counts.count - 1)] -= 1
        oldest = ringIndex(1)
        stored -= 1
    }
}

// MARK: - Hours

extension TrackMemory {
    private static func slot(of hour: Int64) -> Int {
        let count = Int64(hoursHeld)
        return Int((hour % count + count) % count)
    }

    /// Drops the chunks of expired hours when a new hour begins; earlier times count as the current hour.
    private mutating func begin(hourOf time: Timestamp) {
        let milliseconds: Int64 = 3_600_000
        let next = time.milliseconds / milliseconds - (time.milliseconds % milliseconds < 0 ? 1 : 0)
        guard next > hour else { return }
        if stored > 0 {
            for passed in 1...min(Int64(Self.hoursHeld), next - hour) {
                let slot = Self.slot(of: hour + passed)
                for _ in 0..<hourly[slot] { dropOldest() }
                hourly[slot] = 0
            }
        }
        hour = next
    }

    private mutating func dropOldestInHours() {
        var slot = Self.slot(of: hour + 1)
        while hourly[slot] == 0 { slot = slot + 1 == Self.hoursHeld ? 0 : slot + 1 }
        hourly[slot] -= 1
        dropOldest()
    }
}

// MARK: - Growth

extension TrackMemory {
    private mutating func growRing() {
        var larger = (0..<stored).map { homes[ringIndex($0)] }
        larger += Array(repeating: 0, count: min(capacity, 2 * stored) - stored)
        homes = larger
        oldest = 0
    }

    /// Distributes the chunks over twice as many buckets without loss.
    private mutating func doubleBuckets() {
        let (former, narrow) = (fingerprints, counts.count)
        var moved = Array(repeating: 0, count: narrow)
        counts = Array(repeating: 0, count: 2 * narrow)
        fingerprints = Array(repeating: 0, count: 2 * narrow * Self.width)
        for number in (0..<stored).reversed() {
            let home = Int(homes[ringIndex(number)])
            let (from, bucket) = (home & (narrow - 1), home & (2 * narrow - 1))
            fingerprints[bucket * Self.width + Int(counts[bucket])] = former[from * Self.width + moved[from]]
            moved[from] += 1
            counts[bucket] += 1
        }
    }
}
