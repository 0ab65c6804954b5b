import Codec
import Domain
import Redis
import Support

extension RedisCommands {
    @inline(__always)
    mutating func add(_ bytes: ByteSlice) { add(bytes.buffer) }

    /// Adds the text of an event id, without allocating.
    mutating func add(_ event: EventID) { add { event.write(into: &$0) } }

    /// Adds the text of a watermark, without allocating.
    mutating func add(_ watermark: Watermark) { add { watermark.write(into: &$0) } }

    /// Adds the name of a channel's hash field with the watermark of a partition.
    mutating func addWatermarkField(of partition: Int32) {
        add { writer in
            writer.append("watermark:")
            writer.append(decimal: Int64(partition))
        }
    }

    /// Adds a command with texts as arguments; for rare commands only, because it allocates.
    package mutating func add(command name: StaticString, _ arguments: [String] = []) {
        begin(name, arguments: arguments.count)
        for argument in arguments { add(argument) }
    }

    /// Adds `PEXPIRE` for the key `{prefix}{kind}{id}{aspect}`.
    mutating func addExpiry(
        _ prefix: UnsafeRawBufferPointer, _ kind: StaticString, _ id: UnsafeRawBufferPointer,
        _ aspect: StaticString = "", after lifetime: Duration
    ) {
        begin("PEXPIRE", arguments: 2)
        add(prefix, kind, id, aspect)
        add(lifetime.wholeMilliseconds)
    }
}
