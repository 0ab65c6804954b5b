import ArrivalTimes
import Model
import Processing
import Support

/// A record of the paces topic: one pace that a partition has learned, as of a checkpoint, or the checkpoint itself.
///
/// What a restore needs is in the state header, in exactly the bits it has in memory; the value is for people who look.
/// A tombstone says that the partition has given the key up.
struct RoadSpeedRecord {
    /// Orders checkpoints of a partition, of whichever process.
    struct Stamp: Comparable {
        /// Grows when the partition's offsets have begun anew.
        var epoch: UInt32
        /// The last event that is contained.
        var event: EventID

        static func < (left: Stamp, right: Stamp) -> Bool {
            left.epoch != right.epoch ? left.epoch < right.epoch : right.event.isAfter(left.event)
        }
    }

    enum Content {
        case pace(RoadSpeedTable.Entry)
        case noPace(RoadSpeedTable.Key)
        /// Everything stamped like this has been written.
        case end
    }

    private enum Kind {
        static let pace: UInt8 = 0
        static let noPace: UInt8 = 1
        static let end: UInt8 = 2
    }

    private static let versions = StateVersions(current: 3, previous: 2)
    /// The version whose cells at negative longitudes shared their keys; see ``RouteCells/mayHaveBeenShared(_:)``.
    private static let versionWithSharedKeys: UInt8 = 2
    /// Version, epoch and kind.
    private static let fixedByteCount = 6
    private static let keyByteCount = 9

    var stamp: Stamp
    var content: Content

    // MARK: Writing

    static func write(
        _ content: Content, _ stamp: Stamp, at time: Timestamp, topic: Int, key scratch: inout ByteWriter,
        into outputs: inout OutputBatch
    ) {
        scratch.removeAll()
        writeKey(of: content, into: &scratch)
        outputs.begin(topic: topic, clock: stamp.event, timestamp: time, key: scratch.bytes)
        switch content {
        case .pace(let entry): outputs.writeValue { writeValue(entry, stamp.event, into: &$0) }
        case .noPace: break
        case .end:
            outputs.writeValue {
                writeEvent(stamp.event, into: &$0)
                $0.append("}")
            }
        }
        outputs.writeHeader(RecordHeader.state) { writeState(content, stamp.epoch, into: &$0) }
    }

    private static func writeKey(of content: Content, into writer: inout ByteWriter) {
        switch content {
        case .pace(let entry): write(entry.key, into: &writer)
        case .noPace(let key): write(key, into: &writer)
        case .end: writer.append("checkpoint")
        }
    }

    private static func write(_ key: RoadSpeedTable.Key, into writer: inout ByteWriter) {
        writer.append(hexadecimal: key.cell)
        switch key.band {
        case RoadSpeedTable.recently: writer.append("@lately")
        case RoadSpeedTable.always: writer.append("@always")
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
        if entry.key.band == RoadSpeedTable.recently || entry.key.band == RoadSpeedTable.always {
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

    private static func writeState(_ content: Content, _ epoch: UInt32, into writer: inout ByteWriter) {
        writer.append(versions.current)
        writer.append(littleEndian: epoch)
        switch content {
        case .pace(let entry):
            writer.append(Kind.pace)
            writer.append(littleEndian: entry.key.cell)
            writer.append(entry.key.band)
            writer.append(littleEndian: entry.meters.bitPattern)
            writer.append(littleEndian: entry.seconds.bitPattern)
            writer.append(littleEndian: entry.at.milliseconds)
        case .noPace(let key):
            writer.append(Kind.noPace)
            writer.append(littleEndian: key.cell)
            writer.append(key.band)
        case .end: writer.append(Kind.end)
        }
    }

    // MARK: Reading

    /// Why a record's state is of a version that cannot be read; `nil` where it is not.
    static func problem(of state: ByteSlice) -> StateProblem? {
        state.buffer.first.flatMap { versions.problem(of: $0) }
    }

    /// Reads a record of the topic; `nil` when it is none of ours, or the pace of a key that many cells shared.
    init?(_ record: InputRecord) {
        let bytes = record.state.buffer
        guard let event = record.clock, bytes.count >= Self.fixedByteCount,
            Self.versions.problem(of: bytes[0]) == nil
        else { return nil }
        stamp = Stamp(
            epoch: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)), event: event)
        let rest = UnsafeRawBufferPointer(rebasing: bytes[Self.fixedByteCount...])
        switch bytes[5] {
        case Kind.pace:
            guard let key = Self.key(rest), rest.count == Self.keyByteCount + 24 else { return nil }
            let numbers = (0..<3).map { index in
                let start = Self.keyByteCount + index * 8
                return UInt64(littleEndian: rest.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
            guard bytes[0] != Self.versionWithSharedKeys || !RouteCells.mayHaveBeenShared(key.cell) else { return nil }
            let entry = RoadSpeedTable.Entry(
                key: key, meters: Double(bitPattern: numbers[0]), seconds: Double(bitPattern: numbers[1]),
                at: Timestamp(milliseconds: Int64(bitPattern: numbers[2])))
            guard SpeedObservation.isPossible(meters: entry.meters, seconds: entry.seconds), entry.at.isReadable else {
                return nil
            }
            content = .pace(entry)
        case Kind.noPace:
            guard let key = Self.key(rest), rest.count == Self.keyByteCount else { return nil }
            content = .noPace(key)
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
