import Support

extension RoadSpeedTable {
    /// A road cell in one band of time.
    package struct Key: Sendable, Hashable {
        /// The cell, as ``RouteCells`` numbers them.
        package var cell: UInt64
        /// 0 to 23 for an hour of the day, UTC; ``RoadSpeedTable/recently`` for lately, ``RoadSpeedTable/always`` for any hour.
        package var band: UInt8

        package init(cell: UInt64, band: UInt8) {
            self.cell = cell
            self.band = band
        }

        /// Cell and band as one well-spread number.
        var hash: UInt64 {
            var hash = cell &+ (UInt64(band) &+ 1) &* 0x9e37_79b9_7f4a_7c15
            hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
            hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
            return hash ^ (hash >> 31)
        }
    }

    /// What is known of one cell in one band of time: metres driven and the seconds they took, both fading.
    package struct Entry: Sendable, Equatable {
        package var meters: Double
        package var seconds: Double
        /// When it was last driven.
        package var at: Timestamp
        /// Last, because its nine bytes then leave room for those of ``Slot``: a slot takes 40 bytes and not 48.
        package var key: Key

        package init(key: Key, meters: Double, seconds: Double, at: Timestamp) {
            self.key = key
            self.meters = meters
            self.seconds = seconds
            self.at = at
        }
    }

    /// All that is known; its order means nothing.
    package var allEntries: [Entry] { slots.compactMap { $0?.entry } }

    /// How many changes ``takeChanges(_:)`` would hand over.
    package var changeCount: Int { changed.count + removed.count }

    /// Hands over what changed since the last call: first each key taken out (`nil`), then each entry that is new or
    /// has another value, once.
    ///
    /// With ``restore(_:)`` of the last entry handed over of each key another memory becomes this one.
    package mutating func takeChanges(_ body: (Key, Entry?) -> Void) {
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

    /// Takes back an entry that was handed over.
    package mutating func restore(_ entry: Entry) {
        let index = place(for: entry.key, at: entry.at)
        let before = slots[index]
        if let before, before.entry.key != entry.key {
            evictions += 1
            if before.isStored { removed.append(before.entry.key) }
        }
        slots[index] = Slot(entry: entry, isChanged: before?.isChanged == true, isStored: true)
    }

    /// Has it handed over again what there is of `key`, or that there is nothing.
    package mutating func handOverAgain(_ key: Key) {
        let first = firstPlace(of: key)
        for index in first..<first + Self.ways {
            guard let slot = slots[index], slot.entry.key == key else { continue }
            if !slot.isChanged { changed.append(Int32(index)) }
            slots[index] = Slot(entry: slot.entry, isChanged: true, isStored: true)
            return
        }
        removed.append(key)
    }

    func find(_ key: Key) -> Entry? {
        let first = firstPlace(of: key)
        for index in first..<first + Self.ways {
            if let slot = slots[index], slot.entry.key == key { return slot.entry }
        }
        return nil
    }

    /// Where a key is, or else may go: a free place, or that of the entry that says least by `time`.
    ///
    /// Which entry that is does not depend on the places they take, so that a restored memory decides alike.
    func place(for key: Key, at time: Timestamp) -> Int {
        let first = firstPlace(of: key)
        let places = first..<first + Self.ways
        // Looked for first: entries have to be compared only if the set is full and the key is new.
        var free: Int?
        for index in places {
            guard let slot = slots[index] else {
                free = free ?? index
                continue
            }
            if slot.entry.key == key { return index }
        }
        return free ?? leastPlace(in: places, at: time)
    }

    /// The place of the entry that says least by `time`; all of them are taken.
    private func leastPlace(in places: Range<Int>, at time: Timestamp) -> Int {
        var least = places.lowerBound
        for index in places.dropFirst() {
            if let entry = slots[index]?.entry, let other = slots[least]?.entry,
                says(entry, lessThan: other, at: time)
            {
                least = index
            }
        }
        return least
    }

    /// Puts an entry in a place, displacing any other key there.
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

    private func says(_ entry: Entry, lessThan other: Entry, at time: Timestamp) -> Bool {
        let (mine, theirs) = (entry.meters * kept(entry, at: time), other.meters * kept(other, at: time))
        if mine != theirs { return mine < theirs }
        if entry.at != other.at { return entry.at < other.at }
        return (entry.key.cell, entry.key.band) < (other.key.cell, other.key.band)
    }

    private func firstPlace(of key: Key) -> Int {
        let sets = UInt64(slots.count / Self.ways)
        return Int(((key.hash >> 32) &* sets) >> 32) * Self.ways
    }
}
