import Redis

/// What the position sink has in Redis that names events and offsets of the topics: the partitions' progress, trips and
/// routes.
///
/// All of it has to go where the topics are created anew, because their events and offsets begin anew: a trip or route
/// would take new updates for old ones. Drivers stay: what they hold is overwritten by what is received later.
///
/// Belongs to one thread.
package struct PositionProgress {
    /// Keys of each kind.
    package struct Counts: Equatable, Sendable {
        /// `progress:{topic}:{partition}`.
        package var progress = 0
        /// `trip:{id}`, `route:{id}` and their streams.
        package var channels = 0

        package init(progress: Int = 0, channels: Int = 0) {
            self.progress = progress
            self.channels = channels
        }

        package var total: Int { progress + channels }
    }

    private static let kinds = ["progress:", "trip:", "route:"]
    /// Keys that one command deletes at most.
    private static let batch = 500
    private let connection: RedisConnection
    private let prefix: String

    /// Connects.
    package init(_ configuration: PositionSinkConfiguration) throws {
        connection = try RedisConnection(configuration.redis)
        prefix = configuration.keyPrefix
    }

    /// Counts the keys under the prefix.
    package func count() throws -> Counts {
        var counts = Counts()
        try visit { keys in counts.add(keys.map { $0.dropFirst(prefix.count) }) }
        return counts
    }

    /// Finds out whether ``delete(deleted:)`` may do its work, before anything depends on that.
    /// - Throws: `RedisError` where a right is missing or Redis takes no writes.
    package func requireRights() throws {
        // No partition has this key.
        try connection.call("UNLINK", "\(prefix)progress:")
    }

    /// Deletes the keys under the prefix, in batches between which Redis serves others.
    ///
    /// Safe to repeat after it was interrupted. `deleted`: called with the number of keys deleted so far.
    /// - Returns: how many keys were deleted.
    package func delete(deleted: (Int) -> Void = { _ in }) throws -> Int {
        var sum = 0
        try visit { keys in
            for start in stride(from: 0, to: keys.count, by: Self.batch) {
                let some = keys[start..<min(start + Self.batch, keys.count)]
                var commands = RedisCommands(capacity: 1 << 14)
                // Frees memory in the background, so that one large stream does not keep others waiting.
                commands.begin("UNLINK", arguments: some.count)
                for key in some { commands.add(key) }
                try connection.send(&commands)
                sum += Int(try connection.receive().integer ?? 0)
                deleted(sum)
            }
        }
        return sum
    }

    private func visit(_ body: ([String]) throws -> Void) throws {
        // One pass over the names of all keys: Redis looks at each of them whatever the pattern is.
        try connection.scan(prefix: prefix, "[prt]*") { keys in
            let found = keys.filter { key in Self.kinds.contains { key.dropFirst(prefix.count).hasPrefix($0) } }
            if !found.isEmpty { try body(found) }
        }
    }
}

extension PositionProgress.Counts {
    fileprivate mutating func add(_ names: [Substring]) {
        let found = names.count { $0.hasPrefix("progress:") }
        progress += found
        channels += names.count - found
    }
}
