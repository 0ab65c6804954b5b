import Codec
import Domain
import Processing

/// The verdicts of a partition, from which data for later comparisons is collected.
///
/// Use on one thread only.
final class VerdictStream {
    struct Verdict {
        var event: EventID
        var offset: Int64
        var driver: String
        var row: LocationRow
    }

    private let changelog: ChangelogReader
    private let check: AuditCheck
    private let reader = VerdictReader()
    private(set) var index = VerdictIndex()
    /// The newest position of every driver, with the risk of later verdicts.
    private(set) var positions: [String: ExpectedPosition] = [:]
    /// The earliest receipt time of the verdicts so far, in epoch milliseconds.
    private(set) var oldestReceivedAt: Int64?

    /// Creates a stream; `check` counts unreadable verdicts.
    init(_ source: any RecordSource, check: AuditCheck) {
        self.check = check
        changelog = ChangelogReader(source)
    }

    /// Returns the next verdict; `nil` at the end.
    func next() throws -> Verdict? {
        while let (record, event) = try changelog.next() {
            let verdict = record.withRecord(0) { record, _ in read(record, event) }
            if let verdict { return verdict }
            check.add(.unreadable, record, "the record is not a verdict")
        }
        return nil
    }

    /// Reads the remaining verdicts.
    func finish() throws { while try next() != nil {} }

    private func read(_ record: InputRecord, _ event: EventID) -> Verdict? {
        guard let value = record.value, let verdict = reader.read(value) else { return nil }
        index.append(verdict, event: event)
        let row = LocationRow(verdict)
        let driver = row.text("driver_id")
        oldestReceivedAt = min(oldestReceivedAt ?? row.receivedAt, row.receivedAt)
        if verdict.estimate == nil {
            positions[driver]?.apply(ExpectedPosition.Risk(row, event: event, offset: record.offset))
        } else if ExpectedPosition.isStored(driver: driver) {
            positions[driver] = ExpectedPosition(row, event: event, offset: record.offset)
        }
        return Verdict(event: event, offset: record.offset, driver: driver, row: row)
    }
}
