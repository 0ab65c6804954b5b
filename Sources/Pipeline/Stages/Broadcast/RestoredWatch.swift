import Bytes
import Pipeline
import Tracking

/// The state header of an event's last rider update: the trip, the events taken in, and what its watchers know.
struct RestoredWatch {
    let seen: PartitionClock
    /// Of the event, in the stage's input.
    let offset: Int64
    let state: BroadcastState
    private let trip: ByteSlice

    private static let version: UInt8 = 2

    static func write(
        trip: ByteSlice, seen: PartitionClock, offset: Int64, state: BroadcastState, into writer: inout ByteWriter
    ) {
        writer.append(version)
        writer.append(littleEndian: UInt16(clamping: trip.count))
        writer.append(trip)
        EventID.write(seen.raw, into: &writer)
        EventID.write(seen.trips, into: &writer)
        writer.append(littleEndian: UInt64(bitPattern: offset))
        writer.append(atMost: state.maximumEncodedByteCount) { state.encode(into: $0) }
    }

    /// Takes a header apart; `nil` when it is not one.
    ///
    /// The header's memory must outlive the value.
    init?(_ header: ByteSlice) {
        let buffer = header.buffer
        guard buffer.count > 3, buffer[0] == Self.version else { return nil }
        let count = Int(UInt16(littleEndian: buffer.loadUnaligned(fromByteOffset: 1, as: UInt16.self)))
        let clocks = 3 + count
        let place = clocks + 2 * EventID.byteCount
        let start = place + MemoryLayout<Int64>.size
        guard buffer.count > start, let state = BroadcastState(UnsafeRawBufferPointer(rebasing: buffer[start...]))
        else { return nil }
        trip = ByteSlice(UnsafeRawBufferPointer(rebasing: buffer[3..<clocks]))
        seen = PartitionClock(
            raw: EventID(buffer, at: clocks), trips: EventID(buffer, at: clocks + EventID.byteCount))
        offset = Int64(
            bitPattern: UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        self.state = state
    }

    func withTrip<Result>(_ body: (ByteSlice) -> Result) -> Result { body(trip) }
}
