import Pipeline

/// Matches fixes with what became of them: every fix of the raw topic gets one outcome, a verdict or a dead letter.
///
/// Holds only what is still open, so a run may last for days. Raw records and outcomes come in any order to one
/// another.
struct OutcomeBook: Sendable {
    private struct Place: Hashable {
        var partition: Int32
        var offset: Int64
    }

    private struct Open {
        /// `nil` until the raw record is seen.
        var expected: Int?
        var seen = 0
    }

    private var open: [Place: Open] = [:]
    /// The raw record expected next, by partition.
    private var nextRaw: [Int32: Int64] = [:]
    /// Outcomes of fixes that had all of theirs already.
    private(set) var surplus = 0

    /// A raw record whose `fixes` get an outcome each; a record that is unreadable as a whole counts as one.
    mutating func noteRaw(partition: Int32, offset: Int64, fixes: Int) {
        nextRaw[partition] = max(nextRaw[partition] ?? 0, offset + 1)
        let place = Place(partition: partition, offset: offset)
        var entry = open[place] ?? Open()
        entry.expected = fixes
        settle(entry, at: place)
    }

    /// An outcome of a fix of that record, not heard of before.
    mutating func noteOutcome(of event: EventID) {
        let place = Place(partition: event.partition, offset: event.offset)
        guard var entry = open[place] ?? (event.offset >= nextRaw[event.partition] ?? 0 ? Open() : nil) else {
            surplus += 1
            return
        }
        entry.seen += 1
        settle(entry, at: place)
    }

    /// Fixes of raw records seen that have no outcome yet.
    var missing: Int { open.values.reduce(0) { $0 + max(0, ($1.expected ?? 0) - $1.seen) } }

    /// Outcomes of raw records that nobody has seen.
    var unexplained: Int { open.values.reduce(0) { $0 + ($1.expected == nil ? $1.seen : 0) } }

    private mutating func settle(_ entry: Open, at place: Place) {
        guard let expected = entry.expected, entry.seen >= expected else {
            open[place] = entry
            return
        }
        surplus += entry.seen - expected
        open[place] = nil
    }
}
