extension [Int32] {
    /// Removes an entry of a hash table with linear probing by backward shift, without tombstones.
    ///
    /// -1 marks a free slot; the number of slots is a power of two. `index` must be in the table; `home` returns the slot
    /// at which the probes for an entry begin.
    @inlinable public mutating func removeProbed(_ index: Int32, home: (Int32) -> Int) {
        let mask = count - 1
        var hole = home(index)
        while self[hole] != index { hole = (hole + 1) & mask }
        var probe = (hole + 1) & mask
        while case let slot = self[probe], slot >= 0 {
            if ((probe - home(slot)) & mask) >= ((probe - hole) & mask) {
                self[hole] = slot
                hole = probe
            }
            probe = (probe + 1) & mask
        }
        self[hole] = -1
    }
}
