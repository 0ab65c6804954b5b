import BroadcastWorker
import Domain
import EtaWorker
import LocationWorker
import Processing
import Recordings
import Support

/// Runs the location processor, and with trips the ETA and broadcast processors, over one partition in memory.
///
/// Each processor gets the outputs of the one before with offsets from 0. The results equal those of the workers for the
/// same records in the same order.
final class OfflinePipeline {
    private var location: InMemoryRunner
    private var eta: InMemoryRunner
    private var broadcast: InMemoryRunner
    private let hasTrips: Bool
    private var verdictOffset: Int64 = 0
    private var tripOffset: Int64 = 0
    private var etaOffset: Int64 = 0
    private(set) var records: Int64 = 0
    private var verdicts = 0
    private var deadLetters = 0
    private var warnings = 0
    private var updates = 0
    private let score = OfflineScore()
    /// Unreadable records, by line of the file.
    private(set) var unreadable = ReadingTally()

    init(tracking: TrackingSettings, arrival: ArrivalSettings, broadcast: BroadcastSettings, hasTrips: Bool) {
        self.hasTrips = hasTrips
        location = InMemoryRunner(
            layout: LocationProcessor.layout(settings: tracking),
            processor: LocationProcessor(partition: 0, settings: tracking))
        eta = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: tracking.memorySeconds),
            processor: EtaProcessor(partition: 0, arrival: arrival, memorySeconds: tracking.memorySeconds))
        self.broadcast = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: tracking.memorySeconds),
            processor: BroadcastProcessor(partition: 0, settings: broadcast, memorySeconds: tracking.memorySeconds))
        location.finishRestore()
        eta.finishRestore()
        self.broadcast.finishRestore()
    }

    /// Counts of all outputs, in one line.
    var summary: String {
        var counts = [pluralize(verdicts, "verdict"), pluralize(warnings, "warning")]
        if hasTrips { counts += [pluralize(etaOffset, "arrival time"), pluralize(updates, "rider update")] }
        counts.append(pluralize(deadLetters, "dead letter"))
        return "\(pluralize(records, "record")): \(counts.joined(separator: ", "))"
    }

    /// Accuracy figures, a line each.
    var figures: [String] { score.lines }

    /// Processes one raw record.
    func process(_ record: RecordedFile.Record, into outputs: OfflineOutputs) throws {
        let offset = records
        let verdictsBefore = verdicts
        var deadLetter: String?
        records += 1
        score.expect(record.truth)
        withInput(record.key ?? "", record.value, offset: offset, at: record.at, input: 0) {
            location.process($0)
        }
        try location.drainOutputs { output in
            switch output.topic {
            case 0:
                verdicts += 1
                score.addVerdict(output.value)
                try outputs.verdicts.write(line: output.value)
                if hasTrips {
                    eta.process(output.record(input: 0, offset: verdictOffset))
                    verdictOffset += 1
                }
            case 1:
                deadLetters += 1
                deadLetter = output.errorMessage
                try outputs.deadLetters?.write(line: output.value)
            case 2:
                warnings += 1
                try outputs.warnings?.write(line: output.value)
            default: break
            }
        }
        if let deadLetter, verdicts == verdictsBefore {
            unreadable.recordSkipped(
                RowFault(line: record.line ?? 0, name: "dead letters", problem: .other(deadLetter)))
        }
        try processEtas(into: outputs)
    }

    /// Processes one trip message.
    func processTrip(_ trip: TripTimeline.Entry, into outputs: OfflineOutputs) throws {
        let offset = tripOffset
        tripOffset += 1
        score.addTrip(driverID: trip.driverID, trip.value)
        withInput(trip.driverID, trip.value, offset: offset, at: trip.at, input: 1) { eta.process($0) }
        try processEtas(into: outputs)
    }

    /// Writes the outputs of the ETA processor, and runs the broadcast processor over them.
    private func processEtas(into outputs: OfflineOutputs) throws {
        try eta.drainOutputs { output in
            switch output.topic {
            case 0:
                try outputs.etas?.write(line: output.value)
                score.addEta(output.value)
                broadcast.process(output.record(input: 0, offset: etaOffset))
                etaOffset += 1
            case 1:
                deadLetters += 1
                try outputs.deadLetters?.write(line: output.value)
            default: break
            }
        }
        try broadcast.drainOutputs { output in
            guard output.topic == 0 else { return }
            updates += 1
            try outputs.updates?.write(line: output.value)
        }
    }
}

extension InMemoryRunner.Output {
    /// The error message of a dead letter.
    fileprivate var errorMessage: String {
        headers.first { "\($0.name)" == "__connect.errors.exception.message" }?.value.string ?? ""
    }
}

/// Calls `body` with a record whose bytes are valid during the call.
private func withInput(
    _ key: String, _ value: [UInt8], offset: Int64, at time: Timestamp, input: Int, _ body: (InputRecord) -> Void
) {
    ByteSlice.withBytes(of: key) { key in
        value.withUnsafeBytes { value in
            body(
                InputRecord(
                    input: input, partition: 0, offset: offset, timestamp: time, key: key, value: ByteSlice(value)))
        }
    }
}
