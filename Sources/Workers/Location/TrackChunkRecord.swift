import Domain
import Support

/// Record of `driver.tracks`: hash of a track chunk, read from the state header; the JSON value is for inspection.
enum TrackChunkRecord {
    static func write(event: EventID, driverID: ByteSlice, chunk: UInt64, into writer: inout ByteWriter) {
        writer.append("{\"event_id\":\"")
        event.write(into: &writer)
        // Valid driver ids contain no character that JSON escapes.
        writer.append("\",\"driver_id\":\"")
        writer.append(driverID)
        writer.append("\",\"chunk\":\"")
        writer.append(hexadecimal: chunk)
        writer.append("\"}")
    }

    /// Reads the hash from a state header; `nil` if the header is not 8 bytes long.
    static func chunk(of state: ByteSlice) -> UInt64? {
        guard state.count == 8 else { return nil }
        return UInt64(littleEndian: state.buffer.loadUnaligned(as: UInt64.self))
    }
}
