import Codec
import Model
import Processing

/// The verdicts of a partition as readers see them; remembers on the way what later comparisons need.
///
/// Belongs to one thread.
final class VerdictStream {
    struct Verdict {
        var event: EventID
        var offset: Int64
        var driver: String
        var verdict: Model.Verdict
        var row: LocationRow
    }

    private let changelog: ChangelogReader
    private let check: AuditCheck
    private let reader = VerdictReader()
    private(set) var index = VerdictIndex()
    /// The newest judged position of every driver, and its risk since.
    private(set) var positions: [String: ExpectedPosition] = [:]
    /// The smallest time of receipt of the verdicts so far, in epoch milliseconds; `nil` before the first.
    private(set) var oldestReceivedAt: Int64?

    /// Makes a stream of the verdicts of a source.
    ///
    /// `check`: where verdicts that cannot be read are noted.
    init(_ source: any RecordSource, check: AuditCheck) {
        self.check = check
        // What readers drop is noted where the topic is compared.
        changelog = ChangelogReader(source, check: AuditCheck("", "", exampleLimit: 0))
    }

    /// The next verdict; `nil` at the end.
    func next() throws -> Verdict? {
        while let (record, event) = try changelog.next() {
            let verdict = record.withRecord(0) { record, _ in read(record, event) }
            if let verdict { return verdict }
            check.note(.unreadable, record, "the record is no verdict")
        }
        return nil
    }

    /// Reads the rest.
    func finish() throws { while try next() != nil {} }

    private func read(_ record: InputRecord, _ event: EventID) -> Verdict? {
        guard let value = record.value, let verdict = reader.read(value) else { return nil }
        index.append(verdict, event: event)
        let row = LocationRow(verdict)
        oldestReceivedAt = min(oldestReceivedAt ?? row.receivedAt, row.receivedAt)
        if verdict.estimate == nil {
            positions[row.driverID]?.take(ExpectedPosition.Risk(row, event: event, offset: record.offset))
        } else if ExpectedPosition.isKept(driver: row.driverID) {
            positions[row.driverID] = ExpectedPosition(row, event: event, offset: record.offset)
        }
        return Verdict(
            event: event, offset: record.offset, driver: row.driverID, verdict: verdict.verdict, row: row)
    }
}
