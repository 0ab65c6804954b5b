import Domain
import Processing
import Support

/// Record of the topic road.speeds: a learned road speed, its removal (a tombstone), or the end of a checkpoint.
///
/// A restore reads the state header; the JSON value is for inspection.
struct RoadSpeedRecord {
    /// Identifier of a partition's checkpoint, which never decreases, even after a restart.
    struct CheckpointID: Comparable {
        /// Incremented when the partition's offsets restart from 0 because its topics were recreated.
        var generation: UInt32
        var event: EventID

        static func < (left: CheckpointID, right: CheckpointID) -> Bool {
            left.generation != right.generation
                ? left.generation < right.generation : right.event.isAfter(left.event)
        }
    }

    enum Content {
        case entry(RoadSpeedTable.Entry)
        case removed(RoadSpeedTable.Key)
        /// All records of the checkpoint have been written.
        case end
    }

    private enum Kind {
        static let entry: UInt8 = 0
        static let removed: UInt8 = 1
        static let end: UInt8 = 2
    }

    private static let versions = StateVersions(current: 1, previous: 1)
    /// Bytes of version, generation and kind.
    private static let fixedByteCount = 6
    private static let keyByteCount = 9

    var checkpoint: CheckpointID
    var content: Content

    // MARK: Writing

    static func write(
        _ content: Content, _ checkpoint: CheckpointID, at time: Timestamp, topic: Int, key scratch: inout ByteWriter,
        into outputs: inout OutputBatch
    ) {
        scratch.removeAll()
        writeKey(of: content, into: &scratch)
        outputs.begin(topic: topic, event: checkpoint.event, timestamp: time, key: scratch.bytes)
        switch content {
        case .entry(let entry): outputs.writeValue { writeValue(entry, checkpoint.event, into: &$0) }
        case .removed: break
        case .end:
            outputs.writeValue {
                writeEvent(checkpoint.event, into: &$0)
                $0.append("}")
            }
        }
        outputs.writeHeader(RecordHeader.state) { writeState(content, checkpoint.generation, into: &$0) }
    }

    private static func writeKey(of content: Content, into writer: inout ByteWriter) {
        switch content {
        case .entry(let entry): write(entry.key, into: &writer)
        case .removed(let key): write(key, into: &writer)
        case .end: writer.append("checkpoint")
        }
    }

    private static func write(_ key: RoadSpeedTable.Key, into writer: inout ByteWriter) {
        writer.append(hexadecimal: key.cell)
        switch key.band {
        case RoadSpeedTable.recentBand: writer.append("@recent")
        case RoadSpeedTable.allTimeBand: writer.append("@always")
        default:
            writer.append("@")
            writer.append(decimal: Int64(key.band))
        }
    }

    private static func writeEvent(_ event: EventID, into writer: inout ByteWriter) {
        writer.append("{\"event_id\":\"")
        event.write(into: &writer)
        writer.append("\"")
    }

    private static func writeValue(_ entry: RoadSpeedTable.Entry, _ event: EventID, into writer: inout ByteWriter) {
        writeEvent(event, into: &writer)
        writer.append(",\"cell\":\"")
        writer.append(hexadecimal: entry.key.cell)
        writer.append("\",\"hour\":")
        if entry.key.band == RoadSpeedTable.recentBand || entry.key.band == RoadSpeedTable.allTimeBand {
            writer.append("null")
        } else {
            writer.append(decimal: Int64(entry.key.band))
        }
        writer.append(",\"meters\":")
        writer.append(decimal: Int64(exactly: entry.meters.rounded()) ?? 0)
        writer.append(",\"seconds\":")
        writer.append(decimal: Int64(exactly: entry.seconds.rounded()) ?? 0)
        writer.append(",\"driven_at\":")
        writer.append(decimal: entry.at.milliseconds)
        writer.append("}")
    }

    private static func writeState(_ content: Content, _ generation: UInt32, into writer: inout ByteWriter) {
        writer.append(versions.current)
        writer.append(littleEndian: generation)
        switch content {
        case .entry(let entry):
            writer.append(Kind.entry)
            writer.append(littleEndian: entry.key.cell)
            writer.append(entry.key.band)
            writer.append(littleEndian: entry.meters.bitPattern)
            writer.append(littleEndian: entry.seconds.bitPattern)
            writer.append(littleEndian: entry.at.milliseconds)
        case .removed(let key):
            writer.append(Kind.removed)
            writer.append(littleEndian: key.cell)
            writer.append(key.band)
        case .end: writer.append(Kind.end)
        }
    }

    // MARK: Reading

    /// Returns the version problem of a record's state; `nil` if it is readable or empty.
    static func problem(of state: ByteSlice) -> StateProblem? {
        state.buffer.first.flatMap { versions.problem(of: $0) }
    }

    /// Parses a record; `nil` if it is malformed or its version is unsupported.
    init?(_ record: InputRecord) {
        let bytes = record.state.buffer
        guard let event = record.event, bytes.count >= Self.fixedByteCount,
            Self.versions.problem(of: bytes[0]) == nil
        else { return nil }
        checkpoint = CheckpointID(
            generation: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)), event: event)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[Self.fixedByteCount...])
        switch bytes[5] {
        case Kind.entry:
            guard let key = Self.key(rest), rest.count == Self.keyByteCount + 24 else { return nil }
            let numbers = (0..<3).map { index in
                let start = Self.keyByteCount + index * 8
                return UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
            let entry = RoadSpeedTable.Entry(
                key: key, meters: Double(bitPattern: numbers[0]), seconds: Double(bitPattern: numbers[1]),
                at: Timestamp(milliseconds: Int64(bitPattern: numbers[2])))
            guard SpeedObservation.isPossible(meters: entry.meters, seconds: entry.seconds), entry.at.isReadable else {
                return nil
            }
            content = .entry(entry)
        case Kind.removed:
            guard let key = Self.key(rest), rest.count == Self.keyByteCount else { return nil }
            content = .removed(key)
        case Kind.end: content = .end
        default: return nil
        }
    }

    private static func key(_ bytes: UnsafeRawBufferPointer) -> RoadSpeedTable.Key? {
        guard bytes.count >= keyByteCount else { return nil }
        return RoadSpeedTable.Key(
            cell: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)), band: bytes[keyByteCount - 1])
    }
}
