import Processors
import Domain
import Processing
import Recordings
import Support

/// An output of `sightline process`.
enum OfflineOutput {
    case verdicts, etas, updates, warnings, deadLetters
}

/// The files for outputs; records of an output without a file are only counted.
typealias OfflineOutputs = [OfflineOutput: TextOutput]

/// The location processor, and with trips the ETA and broadcast processors, for one partition in memory.
///
/// Each processor reads the outputs of the previous one, with offsets from 0. For the same records in the same order,
/// the results equal those of the workers.
final class OfflinePipeline {
    private var location: InMemoryRunner
    private var eta: InMemoryRunner
    private var broadcast: InMemoryRunner
    private let hasTrips: Bool
    private var trips: Int64 = 0
    private(set) var records: Int64 = 0
    private var counts: [OfflineOutput: Int] = [:]
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
        func count(_ output: OfflineOutput, _ noun: String) -> String { pluralize(counts[output] ?? 0, noun) }
        let parts =
            [count(.verdicts, "verdict"), count(.warnings, "warning")]
            + (hasTrips ? [count(.etas, "arrival time"), count(.updates, "rider update")] : [])
            + [count(.deadLetters, "dead letter")]
        return "\(pluralize(records, "record")): \(parts.joined(separator: ", "))"
    }

    /// Accuracy figures, a line each.
    var figures: [String] { score.lines }

    func process(_ record: RecordedFile.Record, into outputs: OfflineOutputs) throws {
        let verdictsBefore = counts[.verdicts]
        var deadLetter: String?
        score.expect(record.truth)
        withInput(record.key ?? "", record.value, offset: records, at: record.at, input: 0) { location.process($0) }
        records += 1
        try location.drainOutputs { output in
            switch output.topic {
            case 0:
                score.addVerdict(output.value)
                if hasTrips { eta.process(output.record(input: 0, offset: Int64(counts[.verdicts] ?? 0))) }
                try write(output, .verdicts, outputs)
            case 1:
                deadLetter = output.errorMessage
                try write(output, .deadLetters, outputs)
            case 2: try write(output, .warnings, outputs)
            default: break
            }
        }
        if let deadLetter, counts[.verdicts] == verdictsBefore {
            unreadable.recordSkipped(
                RowFault(line: record.line ?? 0, name: "dead letters", problem: .other(deadLetter)))
        }
        try processEtas(into: outputs)
    }

    func processTrip(_ trip: TripTimeline.Entry, into outputs: OfflineOutputs) throws {
        score.addTrip(driverID: trip.driverID, trip.value)
        withInput(trip.driverID, trip.value, offset: trips, at: trip.at, input: 1) { eta.process($0) }
        trips += 1
        try processEtas(into: outputs)
    }

    /// Writes the outputs of the ETA processor, and runs the broadcast processor over them.
    private func processEtas(into outputs: OfflineOutputs) throws {
        try eta.drainOutputs { output in
            switch output.topic {
            case 0:
                score.addEta(output.value)
                broadcast.process(output.record(input: 0, offset: Int64(counts[.etas] ?? 0)))
                try write(output, .etas, outputs)
            case 1: try write(output, .deadLetters, outputs)
            default: break
            }
        }
        try broadcast.drainOutputs { output in
            if output.topic == 0 { try write(output, .updates, outputs) }
        }
    }

    private func write(_ record: InMemoryRunner.Output, _ output: OfflineOutput, _ outputs: OfflineOutputs) throws {
        counts[output, default: 0] += 1
        try outputs[output]?.write(line: record.value)
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
