import Domain
import Support

/// State header of an event's last rider update: trip, input progress and published state.
struct BroadcastStateHeader {
    /// Trip id in the memory of the header, which must outlive this value.
    let trip: ByteSlice
    let seen: Watermark
    /// Offset of the event in trip.etas.
    let offset: Int64
    let state: BroadcastState

    /// Versions of the header; ``state`` has its own version.
    private static let versions = StateVersions(current: 1, previous: 1)

    static func write(
        trip: ByteSlice, seen: Watermark, offset: Int64, state: BroadcastState, into writer: inout ByteWriter
    ) {
        writer.append(versions.current)
        writer.append(littleEndian: UInt16(clamping: trip.count))
        writer.append(trip)
        EventID.write(seen.raw, into: &writer)
        EventID.write(seen.trips, into: &writer)
        writer.append(littleEndian: UInt64(bitPattern: offset))
        writer.append(atMost: state.maximumEncodedByteCount) { state.encode(into: $0) }
    }

    /// Returns the version problem of the header or its state; `nil` if readable or malformed.
    static func problem(of header: ByteSlice) -> StateProblem? {
        let buffer = header.buffer
        guard let version = buffer.first else { return nil }
        if let problem = versions.problem(of: version) { return problem }
        guard let start = stateStart(in: buffer) else { return nil }
        return BroadcastState.versions.problem(of: buffer[start])
    }

    private static func stateStart(in buffer: UnsafeRawBufferPointer) -> Int? {
        guard buffer.count > 3 else { return nil }
        let count = Int(UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
        let start = 3 + count + 2 * EventID.byteCount + MemoryLayout<Int64>.size
        return buffer.count > start ? start : nil
    }

    /// Parses a header; `nil` if it is malformed or its version is unsupported.
    init?(_ header: ByteSlice) {
        let buffer = header.buffer
        guard let version = buffer.first, Self.versions.problem(of: version) == nil,
            let start = Self.stateStart(in: buffer)
        else { return nil }
        let offsetStart = start - MemoryLayout<Int64>.size
        let events = offsetStart - 2 * EventID.byteCount
        guard let state = BroadcastState(UnsafeRawBufferPointer(rebasing: buffer[start...])) else { return nil }
        trip = ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[3..<events]))
        seen = Watermark(raw: EventID(buffer, at: events), trips: EventID(buffer, at: events + EventID.byteCount))
        offset = Int64(littleEndian: buffer.loadUnaligned(fromByteOffset: offsetStart, as: Int64.self))
        self.state = state
    }
}
