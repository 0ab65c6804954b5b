import Support

/// The records of one connection that Kafka has not acknowledged yet, and up to where it has acknowledged all.
///
/// Records are sent in the order of the connection and acknowledged in any order. A device is told how far everything
/// is acknowledged, and clears its buffer up to there. If a record fails for good, the connection is closed, and the
/// device sends again what was not acknowledged.
package struct AcknowledgementWindow: Sendable {
    /// How far everything is acknowledged.
    package struct Progress: Sendable, Equatable {
        /// How many of the connection's records, from its first on.
        package var records: Int
        /// The device's session of the newest of them that has a sequence; empty where the device names none.
        package var session: String
        /// All that was sent on this connection with a sequence up to this one, in this session, is acknowledged;
        /// `nil` while that cannot be said of any.
        package var sequence: Int64?
    }

    private struct Entry {
        var session: String
        /// Empty where the device gives no sequences.
        var sequences: ClosedRange<Int64>?
        var isAcknowledged = false
    }

    /// A ring: the record of ticket t is at t modulo its size.
    private var entries: [Entry]
    /// The oldest record that is not acknowledged.
    private var first = 0
    /// The next ticket.
    private var next = 0
    /// The session of the newest record that was sent, so that its text is made once.
    private var sentSession = ""
    private var session = ""
    /// Of all that is acknowledged without a gap, in this session.
    private var highest: Int64?
    private var told: Int64?

    /// - Parameter capacity: how many records may be waited for, from 1.
    package init(capacity: Int) {
        precondition(capacity > 0, "A window has room for one record at least.")
        entries = Array(repeating: Entry(session: "", sequences: nil), count: capacity)
    }

    /// How many records are waited for, with those behind the oldest that are acknowledged already.
    package var outstanding: Int { next - first }

    /// Whether another record may be sent; the connection is not read while there is no room.
    package var hasRoom: Bool { outstanding < entries.count }

    /// Enters the next record.
    /// - Parameter sequences: those of its fixes, `nil` where the device gives none.
    /// - Returns: the ticket by which it is acknowledged, or `nil` where there is no room.
    package mutating func send(_ sequences: SequenceSpan?) -> Int? {
        guard hasRoom else { return nil }
        if let sequences, !ByteSlice.withBytes(of: sentSession, { $0 == sequences.session }) {
            sentSession = sequences.session.string
        }
        entries[next % entries.count] = Entry(session: sentSession, sequences: sequences.map { $0.lowest...$0.highest })
        next += 1
        return next - 1
    }

    /// Notes that Kafka has acknowledged a record.
    /// - Parameter ticket: from ``send(_:)``.
    /// - Returns: how far everything is acknowledged now; `nil` while the oldest record is still waited for, and for
    ///   what is acknowledged again.
    package mutating func acknowledge(_ ticket: Int) -> Progress? {
        precondition(ticket >= 0 && ticket < next, "A record was acknowledged that was not sent.")
        guard ticket >= first else { return nil }
        entries[ticket % entries.count].isAcknowledged = true
        guard ticket == first else { return nil }
        while first < next, entries[first % entries.count].isAcknowledged {
            advance(over: entries[first % entries.count])
            first += 1
        }
        if let highest, lowestOutstanding().map({ $0 > highest }) ?? true { told = highest }
        return Progress(records: first, session: session, sequence: told)
    }

    private mutating func advance(over entry: Entry) {
        guard let sequences = entry.sequences else { return }
        if session != entry.session { (session, highest, told) = (entry.session, nil, nil) }
        highest = max(highest ?? sequences.upperBound, sequences.upperBound)
    }

    /// A device that sends its backlog after newer fixes has lower sequences outstanding than are acknowledged.
    private func lowestOutstanding() -> Int64? {
        var lowest: Int64?
        for ticket in first..<next {
            let entry = entries[ticket % entries.count]
            guard !entry.isAcknowledged, entry.session == session, let sequences = entry.sequences else { continue }
            lowest = min(lowest ?? sequences.lowerBound, sequences.lowerBound)
        }
        return lowest
    }
}
