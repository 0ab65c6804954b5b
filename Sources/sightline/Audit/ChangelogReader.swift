import Domain

/// A reader of a partition that drops records which do not advance the watermark, as all readers do.
///
/// The dropped records are added to an ``AuditCheck``: unchanged ones as repeated, others as differences.
final class ChangelogReader {
    private let source: any RecordSource
    private let check: AuditCheck
    private var watermark = Watermark()
    /// Fingerprints of the returned records, by event.
    private var written = EventTable()
    /// Missing events, which may still appear out of order.
    private var missed: [EventID: AuditDifference] = [:]
    /// Maximum size of `missed`; further missing events are counted at once.
    private static let missedLimit = 100_000

    /// Creates a reader; omit `check` if another reader of the topic counts the dropped records.
    init(_ source: any RecordSource, check: AuditCheck = AuditCheck("", "", exampleLimit: 0)) {
        self.source = source
        self.check = check
    }

    /// Returns the next record that readers do not drop; `nil` at the end.
    func next() throws -> (record: AuditedRecord, event: EventID)? {
        while let record = try source.next() {
            guard let event = record.event else {
                check.add(.unreadable, record, "the record has no event id")
                continue
            }
            if watermark.advance(to: event) {
                written.append(event, record.fingerprint)
                return (record, event)
            }
            checkDropped(record, event)
        }
        return nil
    }

    /// Adds a missing event, which counts as out of order instead if it is read later.
    func addMissing(_ difference: AuditDifference) {
        guard let event = difference.event, missed.count < Self.missedLimit else { return check.add(difference) }
        missed[event] = difference
    }

    /// Adds the events that are still missing to the check.
    func finish() {
        func order(_ event: EventID) -> (Int, Int64, UInt64) {
            (event.origin == .raw ? 0 : 1, event.offset, event.part)
        }
        for (_, difference) in missed.sorted(by: { order($0.key) < order($1.key) }) { check.add(difference) }
        missed = [:]
    }

    private func checkDropped(_ record: AuditedRecord, _ event: EventID) {
        if let before = written[event] {
            if before == record.fingerprint { return check.addRepeat(record) }
            check.add(
                .contradicted, record, "the topic already has the event with other bytes; readers drop this record")
        } else {
            missed[event] = nil
            let last = watermark.last(of: event.origin)?.description ?? "-"
            check.add(.outOfOrder, record, "the record is after \(last), so readers drop it")
        }
    }
}
