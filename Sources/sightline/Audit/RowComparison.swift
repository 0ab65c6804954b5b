import Domain

/// Compares rows of the history with their records, both in event order.
final class RowComparison<Fields> {
    /// A record and its row.
    struct Expected {
        var event: EventID
        var key: String
        /// The offset of the record.
        var offset: Int64
        /// The time of its row, in epoch milliseconds.
        var at: Int64
        var fields: Fields
        /// The reason why the row may be missing; `nil` if it is required.
        var mayBeAbsent: AuditCheck.ToleratedReason?
        /// The reason why the row may be missing if no earlier record has one either.
        var mayBeAbsentFirst: AuditCheck.ToleratedReason?
    }

    private let check: AuditCheck
    private let partition: Int32
    private let nextExpected: () throws -> Expected?
    private let difference: (Fields, Fields) -> String?
    private let mayBeNew: (EventID) throws -> Bool
    private var ahead: Expected?
    private var isAtEnd = false
    private var last: EventID?
    /// The time of the first record.
    private var firstAt: Int64?

    /// Creates a comparison without results.
    ///
    /// `difference`: describes the difference between expected and found fields.
    /// `mayBeNew`: whether the record of a row may have arrived after the topic was read.
    /// `nextExpected`: returns the next record that has a row; `nil` at the end.
    init(
        check: AuditCheck, partition: Int32, difference: @escaping (Fields, Fields) -> String?,
        mayBeNew: @escaping (EventID) throws -> Bool,
        nextExpected: @escaping () throws -> Expected?
    ) {
        self.check = check
        self.partition = partition
        self.difference = difference
        self.mayBeNew = mayBeNew
        self.nextExpected = nextExpected
    }

    /// Compares the next row of the table with the time `at`, in epoch milliseconds.
    ///
    /// Rows of one event must be ordered by time. After topics are recreated, event ids start again, and older rows
    /// remain.
    func compare(_ event: EventID, at: Int64, _ fields: Fields, key: String) throws {
        while let expected = try peek(), event.isAfter(expected.event) {
            addAbsent(expected, reason: last == nil ? expected.mayBeAbsentFirst : nil)
            ahead = nil
        }
        if try isEarlier(event, at) { return check.tolerate(.earlierTopics) }
        if let last, !event.isAfter(last) {
            return add(.doubled, event, key, "the event has more than one row")
        }
        last = event
        guard let expected = try peek(), expected.event == event else {
            if try mayBeNew(event) { return check.tolerate(.tooNew) }
            return add(.foreign, event, key, "the topic has no record for this row")
        }
        ahead = nil
        check.compared += 1
        if let what = difference(expected.fields, fields) { add(.wrong, event, key, what) }
    }

    /// Whether a row is from before the topics were recreated: older than the record of its event or, without one, than
    /// the first record.
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
        check.add(
            AuditDifference(
                kind: .missing, partition: partition, offset: expected.offset, event: expected.event, key: expected.key,
                what: "the record has no row"))
    }

    private func add(_ kind: AuditDifference.Kind, _ event: EventID, _ key: String, _ what: String) {
        check.add(AuditDifference(kind: kind, partition: partition, offset: nil, event: event, key: key, what: what))
    }
}
