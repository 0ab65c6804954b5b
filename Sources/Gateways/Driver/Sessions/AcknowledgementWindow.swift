import DequeModule
import Support

/// Records of a connection: the acknowledged prefix, and the records after it.
///
/// Kafka acknowledges records in any order. The device receives the end of the prefix and deletes the prefix from its
/// buffer. If a record cannot be written, the connection is closed and the device resends everything after the prefix.
struct AcknowledgementWindow: Sendable {
    struct Progress: Sendable, Equatable {
        /// Number of records in the acknowledged prefix.
        var records: Int
        /// Session of the prefix's last record with sequences; empty if the device sends no sequences or sessions.
        var session: String
        /// Highest sequence in the prefix, updated when the session has no lower outstanding sequence; at first `nil`.
        var sequence: Int64?
    }

    private struct Entry {
        var session: String
        /// `nil` if the device sends no sequences.
        var sequences: ClosedRange<Int64>?
        var isAcknowledged = false
    }

    /// The records from the oldest unacknowledged one on.
    private var entries: Deque<Entry>
    private let capacity: Int
    /// Index of the oldest unacknowledged record.
    private var first = 0
    /// Session of the last appended record with sequences; avoids creating the same string for each record.
    private var sentSession = ""
    /// ``Progress/session``, and its highest sequence in the prefix.
    private var session = ""
    private var highest: Int64?
    /// ``Progress/sequence``.
    private var reported: Int64?

    init(capacity: Int) {
        precondition(capacity > 0, "capacity must be at least 1.")
        self.capacity = capacity
        entries = Deque(minimumCapacity: capacity)
    }

    var outstanding: Int { entries.count }

    var next: Int { first + entries.count }

    /// Whether another record fits; if not, reading pauses.
    var hasRoom: Bool { outstanding < capacity }

    /// Appends a record (requires room); `sequences` is `nil` if the record's fixes have none.
    /// - Returns: the record's index.
    @discardableResult
    mutating func append(_ sequences: SequenceSpan?) -> Int {
        precondition(hasRoom, "The window must have room for the record.")
        if let sequences, !ByteSlice.withBytes(of: sentSession, { $0 == sequences.session }) {
            sentSession = sequences.session.string
        }
        entries.append(Entry(session: sentSession, sequences: sequences.map { $0.lowest...$0.highest }))
        return next - 1
    }

    /// Records the acknowledgement of a record.
    /// - Returns: the acknowledged prefix if it has grown, otherwise `nil`.
    mutating func acknowledge(_ index: Int) -> Progress? {
        precondition(index >= 0 && index < next, "The acknowledged record was never appended.")
        guard index >= first else { return nil }
        entries[index - first].isAcknowledged = true
        guard index == first else { return nil }
        while entries.first?.isAcknowledged == true {
            advance(over: entries.removeFirst())
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

    /// Returns the lowest outstanding sequence of ``session``; a device may send its backlog after newer fixes.
    private func lowestOutstanding() -> Int64? {
        entries.lazy.filter { !$0.isAcknowledged && $0.session == session }.compactMap(\.sequences?.lowerBound).min()
    }
}
