import Support

extension RoadSpeedTable {
    /// A road cell, leg, class of trips or histogram bin, in one time band.
    package struct Key: Sendable, Hashable {
        /// Key of the cell by ``RouteCells``, or hash of a leg, class or bin.
        package var cell: UInt64
        /// Hour of day in UTC, ``RoadSpeedTable/recentBand`` or ``RoadSpeedTable/allTimeBand``.
        package var band: UInt8

        package init(cell: UInt64, band: UInt8) {
            self.cell = cell
            self.band = band
        }

        var hash: UInt64 {
            var hash = cell &+ (UInt64(band) &+ 1) &* 0x9e37_79b9_7f4a_7c15
            hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
            hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
            return hash ^ (hash >> 31)
        }
    }

    /// Metres driven and their seconds for one key, with decaying weights.
    package struct Entry: Sendable, Equatable {
        package var meters: Double
        package var seconds: Double
        /// Time of the last observation.
        package var at: Timestamp
        /// Declared last, so that the flags of ``Slot`` fit into its padding and a slot uses 40 bytes instead of 48.
        package var key: Key

        package init(key: Key, meters: Double, seconds: Double, at: Timestamp) {
            (self.key, self.meters, self.seconds, self.at) = (key, meters, seconds, at)
        }
    }

    /// All entries, in no particular order.
    package var allEntries: [Entry] { slots.compactMap { $0?.entry } }

    /// Number of changes that ``drainChanges(_:)`` would pass.
    package var changeCount: Int { changed.count + removed.count }

    /// Passes the changes since the last call: first each removed key (`nil`), then each new or changed entry once.
    package mutating func drainChanges(_ body: (Key, Entry?) -> Void) {
        for key in removed { body(key, nil) }
        removed.removeAll(keepingCapacity: true)
        for index in changed {
            guard let slot = slots[Int(index)] else { continue }
            body(slot.entry.key, slot.entry)
            slots[Int(index)]?.isChanged = false
            slots[Int(index)]?.isStored = true
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// Restores an entry from ``drainChanges(_:)``.
    package mutating func restore(_ entry: Entry) {
        let index = slot(for: entry.key, at: entry.at)
        let before = slots[index]
        if let before, before.entry.key != entry.key {
            evictions += 1
            if before.isStored { removed.append(before.entry.key) }
        }
        slots[index] = Slot(entry: entry, isChanged: before?.isChanged == true, isStored: true)
    }

    /// Adds the entry of `key`, or its removal, to the changes that the next ``drainChanges(_:)`` passes.
    package mutating func markChanged(_ key: Key) {
        let first = firstSlot(of: key)
        for index in first..<first + Self.associativity {
            guard let slot = slots[index], slot.entry.key == key else { continue }
            if !slot.isChanged { changed.append(Int32(index)) }
            slots[index] = Slot(entry: slot.entry, isChanged: true, isStored: true)
            return
        }
        removed.append(key)
    }

    func find(_ key: Key) -> Entry? {
        let first = firstSlot(of: key)
        for index in first..<first + Self.associativity {
            if let slot = slots[index], slot.entry.key == key { return slot.entry }
        }
        return nil
    }

    /// Returns the slot of a key; for a new key, a free slot or the slot of the entry with the least weight.
    func slot(for key: Key, at time: Timestamp) -> Int {
        let first = firstSlot(of: key)
        let set = first..<first + Self.associativity
        // Entries are compared only if the set is full and the key is new.
        var free: Int?
        for index in set {
            guard let slot = slots[index] else {
                free = free ?? index
                continue
            }
            if slot.entry.key == key { return index }
        }
        return free ?? lightestSlot(in: set, at: time)
    }

    /// Returns the slot of the entry with the least weight at `time`, in a full set.
    private func lightestSlot(in set: Range<Int>, at time: Timestamp) -> Int {
        var least = set.lowerBound
        for index in set.dropFirst() {
            if let entry = slots[index]?.entry, let other = slots[least]?.entry,
                hasLessWeight(entry, than: other, at: time)
            {
                least = index
            }
        }
        return least
    }

    /// Stores an entry in a slot, evicting any other key.
    mutating func put(_ entry: Entry, at index: Int) {
        let before = slots[index]
        var isStored = false
        if let before {
            if before.entry.key == entry.key {
                isStored = before.isStored
            } else {
                evictions += 1
                if before.isStored { removed.append(before.entry.key) }
            }
        }
        if before?.isChanged != true { changed.append(Int32(index)) }
        slots[index] = Slot(entry: entry, isChanged: true, isStored: isStored)
    }

    private func hasLessWeight(_ entry: Entry, than other: Entry, at time: Timestamp) -> Bool {
        let (mine, theirs) = (entry.meters * weight(entry, at: time), other.meters * weight(other, at: time))
        if mine != theirs { return mine < theirs }
        if entry.at != other.at { return entry.at < other.at }
        return (entry.key.cell, entry.key.band) < (other.key.cell, other.key.band)
    }

    private func firstSlot(of key: Key) -> Int {
        let sets = UInt64(slots.count / Self.associativity)
        return Int(((key.hash >> 32) &* sets) >> 32) * Self.associativity
    }
}
