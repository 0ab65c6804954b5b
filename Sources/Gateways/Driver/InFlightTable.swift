/// What waits for the acknowledgement of which record, by numbers that are used again.
///
/// Belongs to one event loop. In steady state nothing is allocated.
struct InFlightTable<Waiting> {
    private var entries: [Waiting?] = []
    private var free: [Int] = []

    /// How many places are taken.
    var count: Int { entries.count - free.count }

    /// Takes a place, which is empty until ``fill(_:with:)``.
    mutating func reserve() -> Int {
        if let place = free.popLast() { return place }
        entries.append(nil)
        return entries.count - 1
    }

    mutating func fill(_ place: Int, with waiting: Waiting) { entries[place] = waiting }

    /// Gives a place back, with what waited there; `nil` where it was empty.
    @discardableResult
    mutating func release(_ place: Int) -> Waiting? {
        let waiting = entries[place]
        entries[place] = nil
        free.append(place)
        return waiting
    }
}
