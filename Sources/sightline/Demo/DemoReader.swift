import Codec
import Domain
import Processing
import Support

/// A decoder of records that adds them to the figures of a run.
///
/// Use on one thread only.
final class DemoReader {
    /// The topics in the order of ``InputRecord/input``.
    static let topics: [PipelineTopic] = [
        .rawLocations, .locations, .locationsDeadLetter, .warnings, .tripEtas, .riderUpdates,
    ]

    private let raw = RawRecordReader()
    private let verdicts = VerdictReader()
    private let warnings = WarningReader()
    private let etas = TripEtaReader()
    private var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))

    /// Adds a record that was read at the wall-clock time `seenAt`.
    func add(_ record: InputRecord, seenAt: Timestamp, to figures: inout DemoFigures) {
        let topic = Self.topics[record.input]
        if topic == .rawLocations { return addRaw(record, to: &figures) }
        guard let event = record.event, figures.isNew(event, in: topic) else { return }
        switch topic {
        case .locations: addVerdict(record, to: &figures)
        case .locationsDeadLetter: figures.deadLetters += 1
        case .warnings: addWarning(record, to: &figures)
        case .tripEtas:
            figures.etas += 1
            if let value = record.value, etas.read(value, into: &eta) != nil { figures.arrivals.add(eta) }
        case .riderUpdates:
            figures.riderUpdates += 1
            figures.latency.recordOutput(event, seenAt: seenAt)
        case .rawLocations, .trips, .tripsDeadLetter, .tripWarnings, .tracks, .roadSpeeds: break
        }
    }

    private func addRaw(_ record: InputRecord, to figures: inout DemoFigures) {
        figures.rawRecords += 1
        figures.latency.recordSource(partition: record.partition, offset: record.offset, sentAt: record.timestamp)
        guard case .fixes = raw.read(key: record.key, value: record.value) else {
            figures.expectedOutcomes += 1
            return
        }
        let readable = raw.fixes.count - raw.unreadableCount
        // The unreadable fixes of a batch share one dead letter.
        figures.expectedOutcomes += readable + min(1, raw.unreadableCount)
        figures.fixes += readable
        if readable > 0 { figures.drivers.insert(record.key.string) }
    }

    private func addVerdict(_ record: InputRecord, to figures: inout DemoFigures) {
        guard let value = record.value, let verdict = verdicts.read(value) else { return }
        figures.verdicts[verdict.verdict, default: 0] += 1
        let driver = verdict.driverID.string
        figures.accuracy.add(verdict)
        if let estimate = verdict.estimate { figures.positions[driver] = estimate.coordinate }
        if verdict.verdict == .rejected {
            figures.spoofing.addRejection(of: driver, reasons: verdict.reasons, at: verdict.receivedAt)
        }
        if verdict.reasons.contains(.flagged) { figures.spoofing.addFlag(of: driver) }
    }

    private func addWarning(_ record: InputRecord, to figures: inout DemoFigures) {
        figures.warnings += 1
        guard let value = record.value, let warning = warnings.read(value) else { return }
        figures.spoofing.addWarning(of: warning.driverID.string, reason: warning.warning.reason, at: warning.at)
    }
}
