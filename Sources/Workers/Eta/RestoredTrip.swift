import ArrivalTimes
import Model
import Processing
import Support

/// The state header of an ETA record: how far the inputs had been taken in, what was learned from the record's cause,
/// the trip's driver, and the trip's progress.
struct RestoredTrip {
    /// A trip of one driver: a trip that another driver took over is two, one after the other, under one id.
    struct Key: Hashable {
        var tripID: String
        /// Empty in what the previous release wrote.
        var driverID: String

        init(tripID: String, driverID: String) {
            self.tripID = tripID
            self.driverID = driverID
        }

        init(of held: HeldTrip) {
            self.init(tripID: held.trip.message.tripID, driverID: held.trip.message.driverID)
        }
    }

    /// The offset after the last trip message that the progress contains.
    var tripsPosition: Int64
    /// The last verdict that the progress contains; `nil` before the first.
    var seen: EventID?
    var driverID: String
    var lesson: SpeedObservation
    var progress: [UInt8]

    /// Of the header; the progress in it has its own.
    private static let versions = StateVersions(current: 4, previous: 3)

    private static let fixedByteCount = 9 + EventID.byteCount

    static func write(
        tripsPosition: Int64, held: HeldTrip, lesson: SpeedObservation, as form: StateForm,
        into writer: inout ByteWriter
    ) {
        writer.append(versions.version(as: form))
        writer.append(littleEndian: tripsPosition)
        EventID.write(held.seen, into: &writer)
        if form == .current {
            let driverID = held.trip.message.driverID
            // An identifier has at most 128 bytes.
            writer.append(UInt8(truncatingIfNeeded: driverID.utf8.count))
            writer.append(driverID)
        }
        lesson.encode(into: &writer)
        writer.append(atMost: held.trip.maximumProgressByteCount) { held.trip.encodeProgress(into: $0, as: form) }
    }

    /// Why a header is of a version that cannot be read; `nil` where it is not.
    static func problem(of header: ByteSlice) -> StateProblem? {
        header.buffer.first.flatMap { versions.problem(of: $0) }
    }

    /// The same of the progress in it.
    var progressProblem: StateProblem? { progress.first.flatMap { ActiveTrip.progressVersions.problem(of: $0) } }

    /// Takes a header apart, but for the progress; `nil` when it is not one, or of another version.
    init?(_ header: ByteSlice) {
        let buffer = header.buffer
        guard buffer.count >= Self.fixedByteCount, Self.versions.problem(of: buffer[0]) == nil else { return nil }
        tripsPosition = Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: Int64.self))
        seen = EventID(buffer, at: 9)
        var offset = Self.fixedByteCount
        var driverID = ""
        if buffer[0] >= 4 {
            guard buffer.count > offset else { return nil }
            offset += 1 + Int(buffer[Self.fixedByteCount])
            guard offset <= buffer.count else { return nil }
            driverID = String(decoding: buffer[(Self.fixedByteCount + 1)..<offset], as: UTF8.self)
        }
        self.driverID = driverID
        guard let lesson = SpeedObservation(buffer, at: &offset) else { return nil }
        self.lesson = lesson
        progress = Array(buffer[offset...])
    }
}

// MARK: - Restoring

extension EtaProcessor {
    package func restore(_ record: InputRecord) {
        if record.input == Topic.paces {
            if let problem = RoadSpeedRecord.problem(of: record.state) { unreadable.note("a learned pace", problem) }
            return learning.recall(record)
        }
        guard record.input == Topic.etas, let event = record.clock else { return }
        guard let trip = RestoredTrip(record.state) else {
            return unreadable.note("a trip", RestoredTrip.problem(of: record.state))
        }
        if let problem = trip.progressProblem { return unreadable.note("a trip", problem) }
        guard clock.advance(to: event) else { return }
        restored[RestoredTrip.Key(tripID: record.key.string, driverID: trip.driverID)] = trip
        learning.recall(trip.lesson, at: event)
        restoredAt = max(restoredAt ?? record.timestamp, record.timestamp)
    }

    package func finishRestore(into outputs: inout OutputBatch) {
        learning.finishRestore(changelog: clock.raw, at: restoredAt, topic: Topic.paces, into: &outputs)
    }

    /// Gives a replayed trip the progress that its last changelog record carried.
    ///
    /// `offset` is that of the trip message just taken in.
    /// - Returns: whether that message had been answered before the restart, so that there is nothing to write.
    func restore(_ held: HeldTrip, before offset: Int64) -> Bool {
        var key = RestoredTrip.Key(of: held)
        // The previous release wrote no driver.
        if restored[key] == nil { key.driverID = "" }
        guard let found = restored[key] else { return false }
        guard offset < found.tripsPosition else {
            restored[key] = nil
            return false
        }
        // Refused while later messages are still to come that change the plan; the last one fits.
        _ = found.progress.withUnsafeBytes { held.trip.restoreProgress($0) }
        held.seen = found.seen
        return true
    }
}
