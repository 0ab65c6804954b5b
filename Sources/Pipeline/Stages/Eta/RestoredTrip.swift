import Bytes
import Pipeline
import Tracking

/// The state header of an ETA record: how far the inputs had been taken in, what was learned from the record's cause,
/// the trip's driver, and the trip's progress.
struct RestoredTrip {
    /// A trip of one driver: a trip that another driver took over is two, one after the other, under one id.
    struct Key: Hashable {
        var tripID: String
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
    var lesson: Lesson
    var progress: [UInt8]

    private static let version: UInt8 = 4

    private static let fixedByteCount = 9 + EventID.byteCount

    static func write(tripsPosition: Int64, held: HeldTrip, lesson: Lesson, into writer: inout ByteWriter) {
        writer.append(version)
        writer.append(littleEndian: tripsPosition)
        EventID.write(held.seen, into: &writer)
        let driverID = held.trip.message.driverID
        // An identifier has at most 128 bytes.
        writer.append(UInt8(truncatingIfNeeded: driverID.utf8.count))
        writer.append(driverID)
        lesson.encode(into: &writer)
        writer.append(atMost: held.trip.maximumProgressByteCount) { held.trip.encodeProgress(into: $0) }
    }

    /// Takes a header apart; `nil` when it is not one.
    init?(_ header: ByteSlice) {
        let buffer = header.buffer
        guard buffer.count >= Self.fixedByteCount, buffer[0] == Self.version else { return nil }
        tripsPosition = Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: Int64.self))
        seen = EventID(buffer, at: 9)
        guard buffer.count > Self.fixedByteCount else { return nil }
        var offset = Self.fixedByteCount + 1 + Int(buffer[Self.fixedByteCount])
        guard offset <= buffer.count else { return nil }
        driverID = String(decoding: buffer[(Self.fixedByteCount + 1)..<offset], as: UTF8.self)
        guard let lesson = Lesson(buffer, at: &offset) else { return nil }
        self.lesson = lesson
        progress = Array(buffer[offset...])
    }
}

// MARK: - Restoring

extension EtaStage {
    package func restore(_ record: InputRecord) {
        if record.input == Topic.paces { return learning.recall(record) }
        guard record.input == Topic.etas, let event = record.clock, let trip = RestoredTrip(record.state),
            clock.advance(to: event)
        else { return }
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
        let key = RestoredTrip.Key(of: held)
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
