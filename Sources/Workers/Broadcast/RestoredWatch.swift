import Model
import RiderUpdates
import Support

/// The state header of an event's last rider update: the trip, the events taken in, and what its watchers know.
struct RestoredWatch {
    let seen: Watermark
    /// Of the event, in the stage's input.
    let offset: Int64
    let state: BroadcastState
    private let trip: ByteSlice

    /// Of the header; the state in it has its own.
    private static let versions = StateVersions(current: 2, previous: 2)

    static func write(
        trip: ByteSlice, seen: Watermark, offset: Int64, state: BroadcastState, as form: StateForm,
        into writer: inout ByteWriter
    ) {
        writer.append(versions.version(as: form))
        writer.append(littleEndian: UInt16(clamping: trip.count))
        writer.append(trip)
        EventID.write(seen.raw, into: &writer)
        EventID.write(seen.trips, into: &writer)
        writer.append(littleEndian: UInt64(bitPattern: offset))
        writer.append(atMost: state.maximumEncodedByteCount) { state.encode(into: $0, as: form) }
    }

    /// Why a header is of a version that cannot be read; `nil` where it is not.
    static func problem(of header: ByteSlice) -> StateProblem? {
        let buffer = header.buffer
        guard let version = buffer.first else { return nil }
        if let problem = versions.problem(of: version) { return problem }
        guard let start = stateStart(in: buffer) else { return nil }
        return BroadcastState.versions.problem(of: buffer[start])
    }

    /// Where the state begins.
    private static func stateStart(in buffer: UnsafeRawBufferPointer) -> Int? {
        guard buffer.count > 3 else { return nil }
        let count = Int(UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
        let start = 3 + count + 2 * EventID.byteCount + MemoryLayout<Int64>.size
        return buffer.count > start ? start : nil
    }

    /// Takes a header apart; `nil` when it is not one, or of another version.
    ///
    /// The header's memory must outlive the value.
    init?(_ header: ByteSlice) {
        let buffer = header.buffer
        guard let version = buffer.first, Self.versions.problem(of: version) == nil,
            let start = Self.stateStart(in: buffer)
        else { return nil }
        let place = start - MemoryLayout<Int64>.size
        let clocks = place - 2 * EventID.byteCount
        guard let state = BroadcastState(UnsafeRawBufferPointer(rebasing: buffer[start...]))
        else { return nil }
        trip = ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[3..<clocks]))
        seen = Watermark(
            raw: EventID(buffer, at: clocks), trips: EventID(buffer, at: clocks + EventID.byteCount))
        offset = Int64(
            bitPattern: UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        self.state = state
    }

    func withTrip<Result>(_ body: (ByteSlice) -> Result) -> Result { body(trip) }
}
