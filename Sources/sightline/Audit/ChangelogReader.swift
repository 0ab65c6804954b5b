import Domain

/// Reads a partition as all readers do: drops records that do not advance the watermark.
///
/// Dropped records that are not exact repetitions are differences.
final class ChangelogReader {
    private let source: any RecordSource
    private let check: AuditCheck
    private var watermark = Watermark()
    private var written = EventTable()
    /// Missing events, which may still appear out of order.
    private var missed: [EventID: AuditDifference] = [:]
    /// Maximum size of `missed`; further missing events are counted at once.
    private static let missedLimit = 100_000

    /// `check`: without it, dropped records are counted elsewhere.
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

    /// Adds a missing event, which becomes out of order if it appears later.
    func addMissing(_ difference: AuditDifference) {
        guard let event = difference.event, missed.count < Self.missedLimit else { return check.add(difference) }
        missed[event] = difference
    }

    /// Ends the reading, and reports the missing events.
    func finish() {
        for difference in missed.values.sorted(by: { $1.event.map($0.comesBefore) ?? false }) { check.add(difference) }
        missed = [:]
    }

    private func checkDropped(_ record: AuditedRecord, _ event: EventID) {
        if let before = written[event] {
            if before == record.fingerprint { return check.addRepeat(record) }
            check.add(
                .contradicted, record, "the topic contains the event before with other bytes; readers drop this record")
        } else {
            missed[event] = nil
            let last = watermark.last(of: event.origin)?.description ?? "-"
            check.add(.outOfOrder, record, "the record is after \(last), so readers drop it")
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
