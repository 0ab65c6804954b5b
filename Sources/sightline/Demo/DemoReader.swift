import Codec
import Model
import Processing
import Support

/// Reads records of every topic and enters them into a run's figures.
///
/// Belongs to one thread.
final class DemoReader {
    /// The topics read; their places number them.
    static let topics: [PipelineTopic] = [
        .rawLocations, .locations, .locationsDeadLetter, .warnings, .tripEtas, .riderUpdates,
    ]

    private let raw = RawRecordReader()
    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let etas = TripEtaReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// Enters a record whose ``InputRecord/input`` is its topic's place, read at `seenAt` by the wall clock.
    func take(_ record: InputRecord, seenAt: Timestamp, into figures: inout DemoFigures) {
        let topic = Self.topics[record.input]
        if topic == .rawLocations { return takeRaw(record, into: &figures) }
        guard let event = record.clock, figures.isNew(event, in: topic) else { return }
        switch topic {
        case .locations: takeVerdict(record, into: &figures)
        case .locationsDeadLetter: figures.deadLetters += 1
        case .warnings: takeWarning(record, into: &figures)
        case .tripEtas:
            figures.etas += 1
            if let value = record.value, etas.read(value, into: &eta) != nil { figures.arrivals.note(eta) }
        case .riderUpdates:
            figures.riderUpdates += 1
            figures.latency.note(event, seenAt: seenAt)
        case .rawLocations, .trips, .tripsDeadLetter, .tripWarnings, .tracks, .paces: break
        }
    }

    private func takeRaw(_ record: InputRecord, into figures: inout DemoFigures) {
        figures.rawRecords += 1
        figures.latency.noteRaw(partition: record.partition, offset: record.offset, sentAt: record.timestamp)
        guard case .fixes = raw.read(key: record.key, value: record.value) else {
            figures.outcomesOwed += 1
            return
        }
        let readable = raw.fixes.count - raw.unreadableCount
        // All fixes of a batch that cannot be read make one dead letter.
        figures.outcomesOwed += readable + min(1, raw.unreadableCount)
        figures.fixes += readable
        if readable > 0 { figures.drivers.insert(record.key.string) }
    }

    private func takeVerdict(_ record: InputRecord, into figures: inout DemoFigures) {
        guard let value = record.value, let verdict = verdicts.read(value) else { return }
        figures.verdicts[verdict.verdict, default: 0] += 1
        let driver = verdict.driverID.string
        if let sequence = verdict.sequence {
            figures.accuracy.note(
                AccuracyScore.Fix(driverID: driver, sessionID: verdict.sessionID.string, sequence: sequence),
                reported: verdict.raw.coordinate, estimate: verdict.estimate?.coordinate)
        }
        if let estimate = verdict.estimate { figures.places.note(driver, at: estimate.coordinate) }
        if verdict.verdict == .rejected {
            figures.spoofing.noteRejection(of: driver, reasons: verdict.reasons, at: verdict.receivedAt)
        }
        if verdict.reasons.contains(.flagged) { figures.spoofing.noteFlag(of: driver) }
    }

    private func takeWarning(_ record: InputRecord, into figures: inout DemoFigures) {
        figures.warnings += 1
        guard let value = record.value, let warning = warnings.read(value) else { return }
        let driver = warning.driverID.string
        figures.spoofing.noteWarning(of: driver, reason: warning.warning.reason, at: warning.at)
        figures.places.note(driver, warning.warning)
    }
}
