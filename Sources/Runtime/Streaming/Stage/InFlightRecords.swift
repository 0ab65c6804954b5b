/// Which outputs of a partition are acknowledged, so that input offsets are given out only in order and never too early.
///
/// Every batch has a ticket; every output is produced under its batch's ticket. A ticket's offsets come out of
/// ``release(_:)`` when all outputs of it *and of every ticket before it* are acknowledged.
struct InFlightRecords {
    /// An input partition that a batch brought forward.
    struct Progress: Equatable {
        var input: Int
        var partition: Int32
        /// The offset of the next record to process.
        var next: Int64
    }

    private struct Entry {
        var outstanding = 0
        /// Bytes of the outputs since ``outstanding`` was 0.
        var byteCount = 0
        /// When the oldest of the outputs that may be outstanding was produced.
        var since = ContinuousClock.now
        var isClosed = false
        var progress: [Progress] = []
    }

    /// A ring; ticket `n` lives at `n` modulo the size, which is a power of two.
    private var entries = [Entry](repeating: Entry(), count: 64)
    private var first = 0
    private var end = 0
    /// Outputs not acknowledged yet, over all tickets.
    private(set) var outstanding = 0
    /// Bytes of outputs not acknowledged yet, and of those that share a ticket with them.
    private(set) var outstandingBytes = 0

    /// Whether every ticket was released.
    var isEmpty: Bool { first == end }

    /// Since when the oldest ticket that waits for acknowledgements has waited; `nil` when none waits.
    var waitingSince: ContinuousClock.Instant? {
        guard outstanding > 0 else { return nil }
        var ticket = first
        while entries[slot(ticket)].outstanding == 0 { ticket += 1 }
        return entries[slot(ticket)].since
    }

    /// Starts a ticket; the one before is closed by now.
    mutating func open() -> Int {
        if end - first == entries.count { grow() }
        let ticket = end
        end += 1
        entries[slot(ticket)].outstanding = 0
        entries[slot(ticket)].byteCount = 0
        entries[slot(ticket)].isClosed = false
        entries[slot(ticket)].progress.removeAll(keepingCapacity: true)
        return ticket
    }

    /// Counts an output of `byteCount` bytes that was produced under `ticket`.
    @inline(__always)
    mutating func expect(
        _ ticket: Int, byteCount: Int = 0, at now: @autoclosure () -> ContinuousClock.Instant = .now
    ) {
        // Its outputs go in steps: those of a later one have not waited with those of an earlier one.
        if entries[slot(ticket)].outstanding == 0 { entries[slot(ticket)].since = now() }
        entries[slot(ticket)].outstanding += 1
        entries[slot(ticket)].byteCount += byteCount
        outstanding += 1
        outstandingBytes += byteCount
    }

    /// Adds an offset that `ticket` gives out when it is released.
    mutating func note(_ progress: Progress, for ticket: Int) { entries[slot(ticket)].progress.append(progress) }

    /// No more outputs come under `ticket`.
    mutating func close(_ ticket: Int) { entries[slot(ticket)].isClosed = true }

    /// Counts the acknowledgement of an output of `ticket`.
    /// - Returns: by how much ``outstandingBytes`` became less: the ticket's bytes are freed together.
    @inline(__always)
    @discardableResult
    mutating func acknowledge(_ ticket: Int) -> Int {
        precondition(
            ticket >= first && ticket < end, "An output was acknowledged twice, or under a ticket that is closed.")
        entries[slot(ticket)].outstanding -= 1
        outstanding -= 1
        guard entries[slot(ticket)].outstanding == 0 else { return 0 }
        let freed = entries[slot(ticket)].byteCount
        entries[slot(ticket)].byteCount = 0
        outstandingBytes -= freed
        return freed
    }

    /// Gives out, oldest first, the progress of every ticket that is complete.
    mutating func release(_ body: (Progress) -> Void) {
        while first < end, entries[slot(first)].isClosed, entries[slot(first)].outstanding == 0 {
            entries[slot(first)].progress.forEach(body)
            first += 1
        }
    }

    @inline(__always)
    private func slot(_ ticket: Int) -> Int { ticket & (entries.count - 1) }

    private mutating func grow() {
        var larger = [Entry](repeating: Entry(), count: entries.count * 2)
        for ticket in first..<end { larger[ticket & (larger.count - 1)] = entries[slot(ticket)] }
        entries = larger
    }
}
