extension [Int32] {
    /// Removes a stored entry from a hash table with linear probing; later entries move back.
    ///
    /// A free slot contains -1; the number of slots is a power of two. `home` returns the slot at which the probes for
    /// an entry begin.
    @inlinable public mutating func removeProbed(_ entry: Int32, home: (Int32) -> Int) {
        let mask = count - 1
        var hole = home(entry)
        while self[hole] != entry { hole = (hole + 1) & mask }
        var probe = (hole + 1) & mask
        while case let later = self[probe], later >= 0 {
            if ((probe - home(later)) & mask) >= ((probe - hole) & mask) {
                self[hole] = later
                hole = probe
            }
            probe = (probe + 1) & mask
        }
        self[hole] = -1
    }
}
