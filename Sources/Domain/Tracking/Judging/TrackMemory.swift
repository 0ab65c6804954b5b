import Bytes

/// The chunks of tracks that a partition remembers, to recognise one that is driven again point by point.
///
/// First in, first out, with a bounded number of chunks; so its content depends only on the order in which chunks were
/// remembered. Memory grows with the chunks held, up to 28 bytes each.
package struct TrackMemory: Sendable {
    private struct Entry {
        var chunk: UInt64
        var at: Timestamp
    }

    /// A ring once it is full.
    private var entries: [Entry] = []
    /// Where the oldest entry is.
    private var head = 0
    /// Open addressing, a power of two and at most half full: indices of entries, or -1.
    private var slots: [Int32]
    private let capacity: Int

    /// Remembers up to `capacity` chunks.
    package init(capacity: Int = TrackingSettings.Replay().rememberedChunks) {
        precondition(capacity >= 1 && capacity <= 1 << 24, "A partition remembers between one and 16 million chunks.")
        self.capacity = capacity
        slots = Array(repeating: -1, count: 64)
    }

    /// Chunks held.
    package var count: Int { entries.count }

    /// Remembers `chunk` as first seen at `time`, and forgets the oldest when there are too many.
    ///
    /// A chunk that is held already keeps its time and its place.
    package mutating func remember(chunk: UInt64, at time: Timestamp) {
        guard find(chunk) == nil else { return }
        if entries.count < capacity {
            if (entries.count + 1) * 2 > slots.count { rehash(to: slots.count * 2) }
            entries.append(Entry(chunk: chunk, at: time))
            place(entries.count - 1)
        } else {
            removeSlot(of: head)
            entries[head] = Entry(chunk: chunk, at: time)
            place(head)
            head = head + 1 == capacity ? 0 : head + 1
        }
    }

    /// When `chunk` was first seen; `nil` when it is not remembered.
    package func firstSeen(chunk: UInt64) -> Timestamp? { find(chunk).map { entries[$0].at } }

    private func find(_ chunk: UInt64) -> Int? {
        var position = home(of: chunk)
        while case let slot = slots[position], slot >= 0 {
            if entries[Int(slot)].chunk == chunk { return Int(slot) }
            position = (position + 1) & (slots.count - 1)
        }
        return nil
    }

    /// The chunk is a mixed hash already.
    @inline(__always)
    private static func home(of chunk: UInt64, slots: Int) -> Int { Int(truncatingIfNeeded: chunk >> 16) & (slots - 1) }

    @inline(__always)
    private func home(of chunk: UInt64) -> Int { Self.home(of: chunk, slots: slots.count) }

    private mutating func place(_ index: Int) {
        var position = home(of: entries[index].chunk)
        while slots[position] >= 0 { position = (position + 1) & (slots.count - 1) }
        slots[position] = Int32(index)
    }

    private mutating func removeSlot(of index: Int) {
        let count = slots.count
        slots.removeProbed(Int32(index)) { [entries] in Self.home(of: entries[Int($0)].chunk, slots: count) }
    }

    private mutating func rehash(to size: Int) {
        slots = Array(repeating: -1, count: size)
        for index in entries.indices { place(index) }
    }
}
