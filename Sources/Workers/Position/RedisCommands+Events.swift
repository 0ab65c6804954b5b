import Model
import Redis
import Support

extension RedisCommands {
    /// Adds borrowed bytes.
    @inline(__always)
    mutating func add(_ bytes: ByteSlice) { add(bytes.buffer) }

    /// Adds an event's id in its text form, without allocating.
    mutating func add(_ event: EventID) { add { event.write(into: &$0) } }

    /// Adds a clock in its text form, without allocating; see ``StoredWatermark``.
    mutating func add(_ clock: Watermark) { add { clock.write(into: &$0) } }

    /// Adds the name of the field that holds a partition's clock in the hash of a channel.
    mutating func addClockField(of partition: Int32) {
        add { writer in
            writer.append("clock:")
            writer.append(decimal: Int64(partition))
        }
    }
}
