import Domain
import Processing
import Support

/// State header of a record of trip.etas: input progress, learned road speeds, driver and progress of the trip.
struct RestoredTrip {
    /// Trip id and driver: a trip that another driver took over has one state per driver.
    struct Key: Hashable {
        var tripID: String
        var driverID: String

        init(tripID: String, driverID: String) {
            self.tripID = tripID
            self.driverID = driverID
        }

        init(of entry: TripEntry) {
            self.init(tripID: entry.trip.message.tripID, driverID: entry.trip.message.driverID)
        }
    }

    /// Offset after the last trip message that the progress contains.
    var tripsPosition: Int64
    /// The last verdict that the progress contains; `nil` before the first.
    var seen: EventID?
    var driverID: String
    var observation: SpeedObservation
    var progress: [UInt8]

    /// Versions of the header; ``progress`` has its own version.
    private static let versions = StateVersions(current: 1, previous: 1)

    private static let fixedByteCount = 9 + EventID.byteCount

    static func write(
        tripsPosition: Int64, entry: TripEntry, observation: SpeedObservation, into writer: inout ByteWriter
    ) {
        writer.append(versions.current)
        writer.append(littleEndian: tripsPosition)
        EventID.write(entry.seen, into: &writer)
        let driverID = entry.trip.message.driverID
        // Identifiers have at most 128 bytes.
        writer.append(UInt8(truncatingIfNeeded: driverID.utf8.count))
        writer.append(driverID)
        observation.encode(into: &writer)
        writer.append(atMost: entry.trip.maximumProgressByteCount) { entry.trip.encodeProgress(into: $0) }
    }

    /// Returns the version problem of the header; `nil` if it is readable or empty.
    static func problem(of header: ByteSlice) -> StateProblem? {
        header.buffer.first.flatMap { versions.problem(of: $0) }
    }

    var progressProblem: StateProblem? { progress.first.flatMap { ActiveTrip.progressVersions.problem(of: $0) } }

    /// Parses a header, except for the progress; `nil` if it is malformed or its version is unsupported.
    init?(_ header: ByteSlice) {
        let buffer = header.buffer
        guard buffer.count > Self.fixedByteCount, Self.versions.problem(of: buffer[0]) == nil else { return nil }
        tripsPosition = Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: Int64.self))
        seen = EventID(buffer, at: 9)
        let start = Self.fixedByteCount + 1
        var offset = start + Int(buffer[Self.fixedByteCount])
        guard offset <= buffer.count else { return nil }
        driverID = String(decoding: buffer[start..<offset], as: UTF8.self)
        guard let observation = SpeedObservation(buffer, at: &offset) else { return nil }
        self.observation = observation
        progress = Array(buffer[offset...])
    }
}

// MARK: - Restoring

extension EtaProcessor {
    package func restore(_ record: InputRecord) {
        if record.input == Topic.roadSpeeds {
            if let problem = RoadSpeedRecord.problem(of: record.state) {
                unreadable.record("a learned road speed", problem)
            }
            return learner.restore(record)
        }
        guard record.input == Topic.etas, let event = record.event else { return }
        guard let trip = RestoredTrip(record.state) else {
            return unreadable.record("a trip", RestoredTrip.problem(of: record.state))
        }
        if let problem = trip.progressProblem { return unreadable.record("a trip", problem) }
        guard newestEvents.advance(to: event) else { return }
        restored[RestoredTrip.Key(tripID: record.key.string, driverID: trip.driverID)] = trip
        learner.restore(trip.observation, at: event)
        restoredAt = max(restoredAt ?? record.timestamp, record.timestamp)
    }

    package func finishRestore(into outputs: inout OutputBatch) {
        learner.finishRestore(changelog: newestEvents.raw, at: restoredAt, topic: Topic.roadSpeeds, into: &outputs)
    }

    /// Restores a trip's progress from its last changelog record, while the message at `offset` is replayed.
    ///
    /// - Returns: whether the output of that message was written before the restart.
    func restore(_ entry: TripEntry, replaying offset: Int64) -> Bool {
        let key = RestoredTrip.Key(of: entry)
        guard let found = restored[key] else { return false }
        guard offset < found.tripsPosition else {
            restored[key] = nil
            return false
        }
        // Fails while later messages that change the plan are still to be replayed; succeeds with the last one.
        _ = found.progress.withUnsafeBytes { entry.trip.restoreProgress($0) }
        entry.seen = found.seen
        return true
    }
}
