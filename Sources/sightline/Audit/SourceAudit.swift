import ArrivalTimes
import Codec
import Model
import Runtime
import Support

/// Checks of a partition where arrival times and rider updates come from: an accepted verdict of their driver, a
/// punctuation after one, or a trip message.
///
/// And that a trip has a record of every accepted verdict of its driver between two of its records that no trip message
/// stands between. Arrival times are not computed again: they depend on how two topics' records came between one
/// another, which no topic tells.
final class SourceAudit {
    private let verdicts: VerdictIndex
    /// The offset after the partition's last trip message.
    private let tripsEnd: Int64
    private let scope: PartitionScope
    private let delays: DelayCheck
    private let reader = TripEtaReader()
    private var visited = 0
    /// Of every driver, the last verdict that riders may see, and the one before.
    private var drives: [UInt64: (last: EventID, before: EventID?)] = [:]
    /// The last verdict in the record of each trip, since its last message.
    private var followed: [Drive: EventID] = [:]

    private struct Drive: Hashable {
        var trip: String
        var driver: String
    }

    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// `verdicts`: all of the partition; `delay`: by which settings delays were judged.
    init(
        _ verdicts: VerdictIndex, tripsEnd: Int64, _ scope: PartitionScope,
        delay: DelayClassifier.Settings = DelayClassifier.Settings()
    ) {
        self.verdicts = verdicts
        self.tripsEnd = tripsEnd
        self.scope = scope
        delays = DelayCheck(settings: delay)
    }

    /// Checks the arrival times of the partition.
    func checkEtas(_ source: any RecordSource, into check: AuditCheck) throws {
        let changelog = ChangelogReader(source, check: check)
        while let (record, event) = try changelog.next() {
            guard isWhole(event, check) else { continue }
            check.compared += 1
            let isRead = record.withRecord(0) { record, _ in record.value.flatMap { reader.read($0, into: &eta) } }
            guard isRead == event else {
                check.note(.unreadable, record, "the record is no arrival time, or of another event")
                continue
            }
            if let what = delays.contradiction(in: eta.stops) { check.note(.wrong, record, what) }
            let drive = Drive(trip: eta.tripID, driver: eta.driverID)
            if event.origin == .trips { followed[drive] = nil }
            guard event.origin == .raw, event.punctuation == 0 else {
                noteSource(of: record, event, into: check)
                continue
            }
            follow(drive, to: event.withMessage(0), record, check)
            switch verdicts.find(event.withMessage(0), driver: eta.driverID) {
            case nil: check.note(.foreign, record, "there is no such verdict")
            case (isDriver: false, _)?: check.note(.foreign, record, "its verdict is not of driver \(eta.driverID)")
            case (_, isShown: false)?: check.note(.foreign, record, "its verdict has no position, or is flagged")
            default: break
            }
        }
    }

    /// Notes the verdict before `event` if the trip has no record of it.
    private func follow(_ drive: Drive, to event: EventID, _ record: AuditedRecord, _ check: AuditCheck) {
        visited = verdicts.visitShown(from: visited, through: event) { event, driver in
            drives[driver] = (event, drives[driver]?.last)
        }
        let before = drives[VerdictIndex.number(of: drive.driver)]?.before
        if let last = followed[drive], let before, before.isAfter(last) {
            check.note(
                AuditDifference(
                    kind: .missing, partition: record.partition, offset: record.offset, event: before, key: drive.trip,
                    what: "the trip has records of \(last) and \(event), and none of this verdict of its driver"))
        }
        followed[drive] = event
    }

    /// Checks a rider update's source.
    func checkUpdate(_ record: AuditedRecord, _ event: EventID, into check: AuditCheck) {
        guard isWhole(event, check) else { return }
        check.compared += 1
        noteSource(of: record, event, into: check)
    }

    /// Whether the verdict or message that an event came from should still be there.
    private func isWhole(_ event: EventID, _ check: AuditCheck) -> Bool {
        guard event.origin == .raw, event.offset < scope.firstRaw else { return true }
        check.excuse(.retention)
        return false
    }

    private func noteSource(of record: AuditedRecord, _ event: EventID, into check: AuditCheck) {
        guard event.origin == .raw else {
            if event.offset >= tripsEnd { check.note(.foreign, record, "there is no such trip message") }
            return
        }
        // A punctuation counts from the last verdict, whatever that says.
        guard let isShown = verdicts.isShown(event.withPunctuation(0)) else {
            return check.note(.foreign, record, "there is no such verdict")
        }
        guard event.punctuation == 0, !isShown else { return }
        check.note(.foreign, record, "its verdict has no position, or is flagged")
    }
}
