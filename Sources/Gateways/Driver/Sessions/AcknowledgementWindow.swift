import Support

/// Unacknowledged records of a connection and its acknowledged prefix.
///
/// Kafka acknowledges records in any order. The device receives the end of the acknowledged prefix and deletes these
/// records from its buffer. If a record cannot be written, the connection is closed and the device resends
/// everything unacknowledged.
struct AcknowledgementWindow: Sendable {
    struct Progress: Sendable, Equatable {
        /// Number of acknowledged records from the start of the connection.
        var records: Int
        /// Session of the newest acknowledged record with a sequence; empty if the device sends none.
        var session: String
        /// All records of the session up to this sequence are acknowledged; `nil` while an earlier one is outstanding.
        var sequence: Int64?
    }

    private struct Entry {
        var session: String
        /// `nil` if the device sends no sequences.
        var sequences: ClosedRange<Int64>?
        var isAcknowledged = false
    }

    /// Ring buffer: the record with index i is at i modulo the capacity.
    private var entries: [Entry]
    /// Index of the oldest unacknowledged record.
    private var first = 0
    private(set) var next = 0
    /// Session of the newest record; avoids creating the same string for each record.
    private var sentSession = ""
    private var session = ""
    /// Highest sequence of the acknowledged prefix in this session.
    private var highest: Int64?
    private var reported: Int64?

    init(capacity: Int) {
        precondition(capacity > 0, "capacity must be at least 1.")
        entries = Array(repeating: Entry(session: "", sequences: nil), count: capacity)
    }

    /// Number of records from the oldest unacknowledged one on.
    var outstanding: Int { next - first }

    /// Whether another record fits; otherwise reading pauses.
    var hasRoom: Bool { outstanding < entries.count }

    /// Appends a record, for which there must be room; `sequences` is `nil` if its fixes have none.
    /// - Returns: the record's index.
    @discardableResult
    mutating func append(_ sequences: SequenceSpan?) -> Int {
        precondition(hasRoom, "A record is appended only if the window has room.")
        if let sequences, !ByteSlice.withBytes(of: sentSession, { $0 == sequences.session }) {
            sentSession = sequences.session.string
        }
        entries[next % entries.count] = Entry(session: sentSession, sequences: sequences.map { $0.lowest...$0.highest })
        next += 1
        return next - 1
    }

    /// Records the acknowledgement of a record.
    /// - Returns: the acknowledged prefix if it has grown, otherwise `nil`.
    mutating func acknowledge(_ index: Int) -> Progress? {
        precondition(index >= 0 && index < next, "The acknowledged record was never appended.")
        guard index >= first else { return nil }
        entries[index % entries.count].isAcknowledged = true
        guard index == first else { return nil }
        while first < next, entries[first % entries.count].isAcknowledged {
            advance(over: entries[first % entries.count])
            first += 1
        }
        if let highest, lowestOutstanding().map({ $0 > highest }) ?? true { reported = highest }
        return Progress(records: first, session: session, sequence: reported)
    }

    private mutating func advance(over entry: Entry) {
        guard let sequences = entry.sequences else { return }
        if session != entry.session { (session, highest, reported) = (entry.session, nil, nil) }
        highest = max(highest ?? sequences.upperBound, sequences.upperBound)
    }

    /// A device that sends its backlog after newer fixes may have lower sequences outstanding.
    private func lowestOutstanding() -> Int64? {
        var lowest: Int64?
        for index in first..<next {
            let entry = entries[index % entries.count]
            guard !entry.isAcknowledged, entry.session == session, let sequences = entry.sequences else { continue }
            lowest = min(lowest ?? sequences.lowerBound, sequences.lowerBound)
        }
        return lowest
    }
}
