import Pipeline
import Redis
import Wire

extension RedisCommands {
    /// Adds borrowed bytes.
    @inline(__always)
    mutating func add(_ bytes: ByteSlice) { add(bytes.buffer) }

    /// Adds an event's id in its text form, without allocating.
    mutating func add(_ event: EventID) { event.withText { add($0) } }

    /// Adds a clock in its text form, without allocating; see ``StoredClock``.
    mutating func add(_ clock: PartitionClock) { clock.withText { add($0) } }

    /// Adds the name of the field that holds a partition's clock in the hash of a channel.
    mutating func addClockField(of partition: Int32) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalText.maximumByteCount) { scratch in
            let used = DecimalText.write(Int64(partition), into: scratch)
            let number = UnsafeRawBufferPointer(start: scratch.baseAddress, count: used)
            add(UnsafeRawBufferPointer(start: nil, count: 0), "clock:", number)
        }
    }
}
