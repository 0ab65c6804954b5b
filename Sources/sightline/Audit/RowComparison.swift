import Domain

/// A comparison of rows of the history with their records, both in event order.
final class RowComparison {
    /// A record and its expected row.
    struct Expected {
        var event: EventID
        var key: String
        /// The offset of the record.
        var offset: Int64
        /// The time of its row, in epoch milliseconds.
        var at: Int64
        /// The values of its row; `nil` to compare only the event.
        var values: [StoredValue?]?
        /// The reason why the row may be missing; `nil` if it is required.
        var mayBeAbsent: AuditCheck.ToleratedReason?
        /// The reason why the row may be missing if no earlier record has a row.
        var mayBeAbsentFirst: AuditCheck.ToleratedReason?
    }

    private let check: AuditCheck
    private let scope: PartitionScope
    private let columns: [String]
    private let nextExpected: () throws -> Expected?
    private var ahead: Expected?
    private var isAtEnd = false
    private var last: EventID?
    /// The time of the first record.
    private var firstAt: Int64?

    /// Creates a comparison of `columns`; `nextExpected` returns the next record that has a row.
    init(check: AuditCheck, _ scope: PartitionScope, columns: [String], nextExpected: @escaping () throws -> Expected?)
    {
        self.check = check
        self.scope = scope
        self.columns = columns
        self.nextExpected = nextExpected
    }

    /// Compares the next row of the table; `at` is its time in epoch milliseconds.
    ///
    /// Rows of one event must be ordered by time: after topics are recreated, event ids start at 0 again, and rows of
    /// the old topics remain.
    func compare(_ event: EventID, at: Int64, _ values: [StoredValue?], key: String) throws {
        while let expected = try peek(), event.isAfter(expected.event) {
            addAbsent(expected, reason: last == nil ? expected.mayBeAbsentFirst : nil)
            ahead = nil
        }
        if try isEarlier(event, at) { return check.tolerate(.earlierTopics) }
        if let last, !event.isAfter(last) {
            return check.add(.duplicate, event, key: key, "the event has more than one row")
        }
        last = event
        guard let expected = try peek(), expected.event == event else {
            if try scope.mayBeNew(event) { return check.tolerate(.tooNew) }
            return check.add(.unexpected, event, key: key, "the topic has no record for this row")
        }
        ahead = nil
        check.compared += 1
        guard let expectedValues = expected.values, expectedValues != values else { return }
        let differences = zip(columns, zip(expectedValues, values)).compactMap { name, pair -> String? in
            guard pair.0 != pair.1 else { return nil }
            return "\(name) is \(pair.1?.description ?? "null"), expected \(pair.0?.description ?? "null")"
        }
        check.add(.wrong, event, key: key, differences.joined(separator: "; "))
    }

    /// Returns whether a row is from before the topics were recreated.
    ///
    /// Such a row is older than the record of its event, or than the first record if its event has no record.
    private func isEarlier(_ event: EventID, _ at: Int64) throws -> Bool {
        if let expected = try peek(), expected.event == event { return at < expected.at }
        return firstAt.map { at < $0 } ?? true
    }

    /// Ends the comparison; the remaining records have no row.
    func finish() throws {
        while let expected = try peek() {
            addAbsent(expected)
            ahead = nil
        }
    }

    private func peek() throws -> Expected? {
        guard ahead == nil, !isAtEnd else { return ahead }
        ahead = try nextExpected()
        firstAt = firstAt ?? ahead?.at
        isAtEnd = ahead == nil
        return ahead
    }

    private func addAbsent(_ expected: Expected, reason: AuditCheck.ToleratedReason? = nil) {
        if let reason = expected.mayBeAbsent ?? reason { return check.tolerate(reason) }
        check.compared += 1
        check.add(.missing, expected.event, offset: expected.offset, key: expected.key, "the record has no row")
    }
}
