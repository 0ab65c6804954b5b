import Model
import Support

/// A record of the tracks topic: one piece of a driven track, as a hash of its points.
///
/// The number that a restore needs is in the state header; the value is for people who look.
enum TrackChunkRecord {
    static func write(event: EventID, driverID: ByteSlice, chunk: UInt64, into writer: inout ByteWriter) {
        writer.append("{\"event_id\":\"")
        event.write(into: &writer)
        // A driver id that was read has no character that JSON escapes.
        writer.append("\",\"driver_id\":\"")
        writer.append(driverID)
        writer.append("\",\"chunk\":\"")
        writer.append(hexadecimal: chunk)
        writer.append("\"}")
    }

    /// The hash in a state header; `nil` when it is not one.
    static func chunk(of state: ByteSlice) -> UInt64? {
        guard state.count == 8 else { return nil }
        return UInt64(littleEndian: state.buffer.loadUnaligned(as: UInt64.self))
    }
}
