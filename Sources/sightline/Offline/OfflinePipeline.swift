import ArrivalTimes
import BroadcastWorker
import EtaWorker
import LocationWorker
import Processing
import Recordings
import RiderUpdates
import SpoofDetection
import Support

/// The location stage, and behind it the eta and broadcast stages when there are trips, over one partition in memory.
///
/// Each stage gets what the one before it wrote, in that order and with the offsets of a topic that begins at 0: what
/// the workers write for the same records that come in the same order.
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
    /// Records that could not be read, by the line of the file.
    private(set) var refused = ReadingTally()

    init(tracking: TrackingSettings, arrival: ArrivalSettings, broadcast: BroadcastSettings, hasTrips: Bool) {
        self.hasTrips = hasTrips
        location = InMemoryRunner(
            layout: LocationProcessor.layout(settings: tracking),
            stage: LocationProcessor(partition: 0, settings: tracking))
        eta = InMemoryRunner(
            layout: EtaProcessor.layout(memorySeconds: tracking.memorySeconds),
            stage: EtaProcessor(partition: 0, arrival: arrival, memorySeconds: tracking.memorySeconds))
        self.broadcast = InMemoryRunner(
            layout: BroadcastProcessor.layout(memorySeconds: tracking.memorySeconds),
            stage: BroadcastProcessor(partition: 0, settings: broadcast, memorySeconds: tracking.memorySeconds))
        location.finishRestore()
        eta.finishRestore()
        self.broadcast.finishRestore()
    }

    /// One sentence about what was done.
    var summary: String {
        var counts = [Noun("verdict").count(verdicts), Noun("warning").count(warnings)]
        if hasTrips { counts += [Noun("arrival time").count(etaOffset), Noun("rider update").count(updates)] }
        counts.append(Noun("dead letter").count(deadLetters))
        return "\(Noun.record.count(records)): \(counts.joined(separator: ", "))"
    }

    /// How right it was, a line for each thing that could be measured.
    var figures: [String] { score.lines }

    /// Judges one raw record.
    func take(_ record: RecordedFile.Record, into outputs: OfflineOutputs) throws {
        let offset = records
        let verdictsBefore = verdicts
        var deadLetter: String?
        records += 1
        score.expect(record.truth)
        withInput(record.key ?? "", record.value, offset: offset, at: record.at, input: 0) {
            location.process($0)
        }
        try location.takeOutputs { output in
            switch output.topic {
            case 0:
                verdicts += 1
                score.noteVerdict(output.value)
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
            refused.note(RowFault(line: record.line ?? 0, name: "dead letters", problem: .other(deadLetter)))
        }
        try passOn(into: outputs)
    }

    /// Takes in one trip message.
    func takeTrip(_ trip: TripTimeline.Entry, into outputs: OfflineOutputs) throws {
        let offset = tripOffset
        tripOffset += 1
        score.noteTrip(driverID: trip.driverID, trip.value)
        withInput(trip.driverID, trip.value, offset: offset, at: trip.at, input: 1) { eta.process($0) }
        try passOn(into: outputs)
    }

    /// Writes what the eta stage has made, and what the broadcast stage makes of it.
    private func passOn(into outputs: OfflineOutputs) throws {
        try eta.takeOutputs { output in
            switch output.topic {
            case 0:
                try outputs.etas?.write(line: output.value)
                score.noteEta(output.value)
                broadcast.process(output.record(input: 0, offset: etaOffset))
                etaOffset += 1
            case 1:
                deadLetters += 1
                try outputs.deadLetters?.write(line: output.value)
            default: break
            }
        }
        try broadcast.takeOutputs { output in
            guard output.topic == 0 else { return }
            updates += 1
            try outputs.updates?.write(line: output.value)
        }
    }
}

extension InMemoryRunner.Output {
    /// What a dead letter says is wrong.
    fileprivate var errorMessage: String {
        headers.first { "\($0.name)" == "__connect.errors.exception.message" }?.value.string ?? ""
    }
}

/// Calls `body` with a record whose bytes stay where they are meanwhile.
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
