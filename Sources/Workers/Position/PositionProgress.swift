import Redis

/// Redis keys to delete when topics are recreated: progress of the sinks, trips and routes.
///
/// They contain event ids or offsets. Recreated topics start at offset 0, so new updates would look like duplicates.
/// Driver keys stay, because later positions overwrite them.
///
/// Confined to one thread.
package struct PositionProgress {
    package struct Counts: Equatable, Sendable {
        /// Number of `progress:{topic}:{partition}`, with `progress:push:…` of push-worker.
        package var progress = 0
        /// Number of `trip:{id}`, `route:{id}` and their streams.
        package var channels = 0

        package var total: Int { progress + channels }
    }

    private static let kinds = ["progress:", "trip:", "route:"]
    /// Maximum keys that one command deletes.
    private static let batchSize = 500
    private let connection: RedisConnection
    private let prefix: String

    package init(_ configuration: PositionSinkConfiguration) throws {
        connection = try RedisConnection(configuration.redis)
        prefix = configuration.keyPrefix
    }

    package func count() throws -> Counts {
        var counts = Counts()
        try visit { keys in
            let found = keys.count { $0.dropFirst(prefix.count).hasPrefix("progress:") }
            counts.progress += found
            counts.channels += keys.count - found
        }
        return counts
    }

    /// Checks that ``delete(deleted:)`` is permitted, before topics are changed.
    /// - Throws: `RedisError` if a permission is missing or Redis accepts no writes.
    package func requireRights() throws {
        // This key never exists.
        try connection.call("UNLINK", "\(prefix)progress:")
    }

    /// Deletes the keys in batches, between which Redis serves other clients; safe to repeat after an interruption.
    ///
    /// `deleted` receives the number of keys deleted so far.
    /// - Returns: the number of deleted keys.
    package func delete(deleted: (Int) -> Void = { _ in }) throws -> Int {
        var sum = 0
        try visit { keys in
            for start in stride(from: 0, to: keys.count, by: Self.batchSize) {
                var commands = RedisCommands(capacity: 1 << 14)
                // Frees memory in the background, so that a large stream does not block other clients.
                commands.add(command: "UNLINK", Array(keys[start...].prefix(Self.batchSize)))
                try connection.send(&commands)
                sum += Int(try connection.receive().integer ?? 0)
                deleted(sum)
            }
        }
        return sum
    }

    private func visit(_ body: ([String]) throws -> Void) throws {
        // One scan for all kinds, because Redis examines every key for any pattern.
        try connection.scan(prefix: prefix, "[prt]*") { keys in
            let found = keys.filter { key in Self.kinds.contains { key.dropFirst(prefix.count).hasPrefix($0) } }
            if !found.isEmpty { try body(found) }
        }
    }
}
