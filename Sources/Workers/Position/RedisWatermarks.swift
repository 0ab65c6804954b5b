import Domain
import Processing
import Redis
import Support

/// Watermarks of partitions in Redis, one key `{keyPrefix}{topic}:{partition}` each.
package struct RedisWatermarks: Sendable {
    private let keyPrefix: String

    package init(keyPrefix: String) { self.keyPrefix = keyPrefix }

    package func key(of partition: SinkPartition) -> String { "\(keyPrefix)\(partition.topic):\(partition.partition)" }

    /// Adds the commands that watch and read the watermarks; a change by another client aborts the next transaction.
    package func addWatch(of partitions: [SinkPartition], to commands: inout RedisCommands) {
        commands.add(command: "WATCH", partitions.map(key))
        commands.add(command: "MGET", partitions.map(key))
    }

    /// Parses the reply to `MGET`; `nil` for partitions never written.
    package func watermarks(in reply: RedisReply, of partitions: [SinkPartition]) throws -> [StoredWatermark?] {
        try zip(partitions, reply.elements).map { partition, element in
            guard let text = element.text else { return nil }
            guard let watermark = StoredWatermark(text) else {
                throw RedisError(
                    .wrongType,
                    "The Redis key \(key(of: partition)) contains no valid watermark. Delete it to read the partition again from "
                        + "its beginning.")
            }
            return watermark
        }
    }

    /// Reads the positions of the partitions that were written before.
    package func positions(
        of partitions: [SinkPartition], over connection: RedisConnection
    ) throws -> [SinkPartition: SinkPosition] {
        var commands = RedisCommands()
        commands.add(command: "MGET", partitions.map(key))
        try connection.send(&commands)
        let stored = try watermarks(in: try connection.receive(), of: partitions)
        var positions: [SinkPartition: SinkPosition] = [:]
        for (partition, watermark) in zip(partitions, stored) {
            positions[partition] = watermark.map { SinkPosition(next: $0.next) }
        }
        return positions
    }
}

extension RedisReply {
    /// Parses the reply to `TIME`: seconds and microseconds.
    package func time() throws -> Timestamp {
        let parts = elements.compactMap(\.integer)
        guard parts.count == 2 else { throw RedisError(.refused, "Redis sent an unexpected reply to TIME.") }
        return Timestamp(milliseconds: parts[0] * 1000 + parts[1] / 1000)
    }
}
