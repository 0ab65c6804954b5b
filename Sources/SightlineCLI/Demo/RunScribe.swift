import Pipeline
import Tracking
import Wire

/// Reads records of every topic and enters them into a ledger.
///
/// Belongs to one thread.
final class RunScribe {
    private let raw = RawRecordReader()
    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let etas = TripEtaReader()
    private let updates = RiderUpdateReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    func write(_ record: InputRecord, of topic: PipelineTopic, seenAt: Timestamp, into ledger: inout RunLedger) {
        switch topic {
        case .rawLocations: writeRaw(record, into: &ledger)
        case .trips: ledger.noteTripMessage(at: record.timestamp)
        case .locations: writeVerdict(record, into: &ledger)
        case .locationsDeadLetter: writeDeadLetter(record, into: &ledger)
        case .warnings: writeWarning(record, into: &ledger)
        case .tripEtas: writeEta(record, into: &ledger)
        case .tripsDeadLetter: ledger.noteTripDeadLetter()
        case .riderUpdates: writeUpdate(record, seenAt: seenAt, into: &ledger)
        case .tracks, .paces: break
        }
    }

    private func writeRaw(_ record: InputRecord, into ledger: inout RunLedger) {
        let owed: Int
        let readable: Int
        switch raw.read(key: record.key, value: record.value) {
        case .unreadable: (owed, readable) = (1, 0)
        case .fixes:
            readable = raw.fixes.count - raw.unreadableCount
            // All fixes of a batch that cannot be read make one dead letter.
            owed = readable + min(1, raw.unreadableCount)
        }
        ledger.noteRaw(
            partition: record.partition, offset: record.offset, at: record.timestamp, driverID: record.key.string,
            outcomes: owed,
            readable: readable)
    }

    private func writeVerdict(_ record: InputRecord, into ledger: inout RunLedger) {
        guard let value = record.value, let verdict = verdicts.read(value) else { return ledger.noteUnreadable() }
        ledger.note(
            RunLedger.SeenVerdict(
                event: verdict.eventID, driverID: verdict.driverID.string, sessionID: verdict.sessionID.string,
                sequence: verdict.sequence, verdict: verdict.verdict, reasons: verdict.reasons,
                reported: verdict.raw.coordinate, estimate: verdict.estimate?.coordinate,
                receivedAt: verdict.receivedAt))
    }

    /// A dead letter is the raw record unchanged; which one it was stands in its header.
    private func writeDeadLetter(_ record: InputRecord, into ledger: inout RunLedger) {
        guard let event = record.clock else { return ledger.noteUnreadable() }
        ledger.noteDeadLetter(event: event)
    }

    private func writeWarning(_ record: InputRecord, into ledger: inout RunLedger) {
        guard let value = record.value, let warning = warnings.read(value) else { return ledger.noteUnreadable() }
        ledger.noteWarning(
            event: warning.eventID, driverID: warning.driverID.string, reason: warning.warning.reason, at: warning.at)
    }

    private func writeEta(_ record: InputRecord, into ledger: inout RunLedger) {
        guard let value = record.value, let event = etas.read(value, into: &eta) else {
            return ledger.noteUnreadable()
        }
        ledger.note(eta, event: event)
    }

    private func writeUpdate(_ record: InputRecord, seenAt: Timestamp, into ledger: inout RunLedger) {
        guard let value = record.value, let update = updates.read(value) else { return ledger.noteUnreadable() }
        ledger.noteRiderUpdate(event: update.eventID, seenAt: seenAt)
    }
}
