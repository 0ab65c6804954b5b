import Model

/// Compares rows of the history with the records that they were made from, both in event order.
final class RowComparison<Fields> {
    /// A record and the row that it makes.
    struct Expected {
        var event: EventID
        var key: String
        /// The record's own offset.
        var offset: Int64
        /// The time that its row is kept by, in epoch milliseconds.
        var at: Int64
        var fields: Fields
        /// Why there may be no row; `nil` when there has to be one.
        var mayBeAbsent: AuditCheck.Excuse?
        /// Why there may be no row where none of an earlier record was found either.
        var mayBeAbsentFirst: AuditCheck.Excuse?
    }

    private let check: AuditCheck
    private let partition: Int32
    private let nextExpected: () throws -> Expected?
    private let difference: (Fields, Fields) -> String?
    private let mayBeNew: (EventID) throws -> Bool
    private var ahead: Expected?
    private var isAtEnd = false
    private var last: EventID?
    /// The time of the first record; `nil` before it was read, and where there is none.
    private var firstAt: Int64?

    /// Makes a comparison of rows.
    ///
    /// `difference`: what differs between the fields of a row expected and one found, in words.
    /// `mayBeNew`: whether a row may be of a record that came after the topic was read.
    /// `nextExpected`: the next record that has a row; `nil` at the end.
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

    /// Takes the next row of the table, which is kept by the time `at`, in epoch milliseconds.
    ///
    /// Rows of one event come by their times. Where topics were created anew, their events begin anew, and the rows that
    /// are older than the records stay.
    func take(_ event: EventID, at: Int64, _ fields: Fields, key: String) throws {
        while let expected = try peek(), event.isAfter(expected.event) {
            noteAbsent(expected, excuse: last == nil ? expected.mayBeAbsentFirst : nil)
            ahead = nil
        }
        if try isEarlier(event, at) { return check.excuse(.earlierTopics) }
        if let last, !event.isAfter(last) {
            return note(.doubled, event, key, "there is more than one row of the event")
        }
        last = event
        guard let expected = try peek(), expected.event == event else {
            if try mayBeNew(event) { return check.excuse(.tooNew) }
            return note(.foreign, event, key, "no record of the topic makes such a row")
        }
        ahead = nil
        check.compared += 1
        if let what = difference(expected.fields, fields) { note(.wrong, event, key, what) }
    }

    /// Whether a row was written before the topics were created anew: it is older than the record of its event or, where
    /// no record has the event, than the first one.
    private func isEarlier(_ event: EventID, _ at: Int64) throws -> Bool {
        if let expected = try peek(), expected.event == event { return at < expected.at }
        return firstAt.map { at < $0 } ?? true
    }

    /// Ends the comparison: what has no row by now has none.
    func finish() throws {
        while let expected = try peek() {
            noteAbsent(expected)
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

    private func noteAbsent(_ expected: Expected, excuse: AuditCheck.Excuse? = nil) {
        if let excuse = expected.mayBeAbsent ?? excuse { return check.excuse(excuse) }
        check.compared += 1
        check.note(
            AuditDifference(
                kind: .missing, partition: partition, offset: expected.offset, event: expected.event, key: expected.key,
                what: "the record has no row"))
    }

    private func note(_ kind: AuditDifference.Kind, _ event: EventID, _ key: String, _ what: String) {
        check.note(AuditDifference(kind: kind, partition: partition, offset: nil, event: event, key: key, what: what))
    }
}
