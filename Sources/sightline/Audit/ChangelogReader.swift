import Model

/// A partition of a topic that the pipeline writes, read as all its readers do: a record whose event does not advance
/// the partition's clock was there before, or comes too late, and is dropped.
///
/// What is dropped has to be a repetition byte for byte; the rest is noted.
final class ChangelogReader {
    private let source: any RecordSource
    private let check: AuditCheck
    private var clock = Watermark()
    private var written = EventTable()
    /// Events that others waited for in vain, until they come too late.
    private var missed: [EventID: AuditDifference] = [:]
    /// Missing events remembered, to tell those that come too late; further ones just count.
    private static let missedLimit = 100_000

    init(_ source: any RecordSource, check: AuditCheck) {
        self.source = source
        self.check = check
    }

    /// The next record that readers do not drop; `nil` at the end.
    func next() throws -> (record: AuditedRecord, event: EventID)? {
        while let record = try source.next() {
            guard let event = record.event else {
                check.note(.unreadable, record, "the record carries no event")
                continue
            }
            if clock.advance(to: event) {
                written.append(event, record.fingerprint)
                return (record, event)
            }
            noteDropped(record, event)
        }
        return nil
    }

    /// Notes an event that is not where it should be: missing, unless it comes later.
    func noteMissing(_ difference: AuditDifference) {
        guard let event = difference.event, missed.count < Self.missedLimit else { return check.note(difference) }
        missed[event] = difference
    }

    /// Ends the reading; what has not come is missing.
    func finish() {
        for difference in missed.values.sorted(by: { $1.event.map($0.comesBefore) ?? false }) { check.note(difference) }
        missed = [:]
    }

    private func noteDropped(_ record: AuditedRecord, _ event: EventID) {
        if let before = written[event] {
            if before == record.fingerprint { return check.noteRepeat(record) }
            check.note(
                .contradicted, record, "the event stands on the topic before, with other bytes; readers drop this one")
        } else {
            missed[event] = nil
            let last = clock.last(of: event.origin)?.description ?? "-"
            check.note(.outOfOrder, record, "the record comes after \(last), so that readers drop it")
        }
    }
}

extension AuditDifference {
    fileprivate func comesBefore(_ other: EventID) -> Bool {
        guard let event else { return true }
        if event.origin != other.origin { return event.origin == .raw }
        return other.isAfter(event)
    }
}
