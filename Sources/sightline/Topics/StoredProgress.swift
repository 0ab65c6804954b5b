import HistoryWorker
import PositionWorker
import Postgres
import Recordings

/// The data in the stores that refers to offsets and events of topics.
///
/// Use on one thread only.
final class StoredProgress {
    private let redis: PositionProgress?
    private let hasRedisPrefix: Bool
    private let history: HistoryProgress?

    /// Connects to the stores.
    /// - Throws: ``InputError`` with the option that skips the store.
    init(_ access: PipelineAccess, skipsRedis: Bool, skipsPostgres: Bool) throws {
        hasRedisPrefix = !access.settings.redis.keyPrefix.isEmpty
        redis = try Self.addingSkipOption("--skip-redis", "Redis") {
            skipsRedis ? nil : try PositionProgress(access.settings.positionSink())
        }
        history = try Self.addingSkipOption("--skip-postgres", "Postgres") {
            guard !skipsPostgres else { return nil }
            let connection = try PostgresConnection(
                access.settings.postgresConfiguration.forCommand("sightline-cli"))
            try Migrator.requireCurrent(connection)
            return HistoryProgress(connection)
        }
    }

    /// Checks the rights to delete, before anything is deleted.
    /// - Throws: ``InputError`` with the option that skips the store.
    func requireRights() throws {
        if let redis { try Self.addingSkipOption("--skip-redis", "Redis") { try redis.requireRights() } }
        if let history { try Self.addingSkipOption("--skip-postgres", "Postgres") { try history.requireRights() } }
    }

    /// Describes the data to delete, in one or two lines per store.
    func describe() throws -> [String] {
        var lines: [String] = []
        if let redis {
            let counts = try Self.addingSkipOption("--skip-redis", "Redis") { try redis.count() }
            lines.append(
                "Redis: \(counts.channels) keys of trips and routes, \(counts.progress) of progress; drivers are kept")
            if !hasRedisPrefix, counts.total > 0 {
                lines.append(
                    "Redis: SIGHTLINE_REDIS_PREFIX is empty, so this includes keys trip:*, route:* and progress:* of "
                        + "other applications in this database; --skip-redis keeps all of them")
            }
        } else {
            lines.append("Redis: not changed (--skip-redis)")
        }
        if let history {
            let count = try Self.addingSkipOption("--skip-postgres", "Postgres") { try history.count() }
            lines.append("Postgres: \(count) rows of sink_progress; the history is kept")
        } else {
            lines.append("Postgres: not changed (--skip-postgres)")
        }
        return lines
    }

    /// Deletes everything, and calls `show` with the progress; safe to repeat.
    /// - Returns: lines to print.
    func delete(show: (String) -> Void) throws -> [String] {
        var lines: [String] = []
        if let redis {
            let count = try redis.delete { show("Redis: \($0) keys deleted") }
            lines.append("deleted \(count) keys in Redis")
        }
        if let history { lines.append("deleted \(try history.delete()) rows of sink_progress in Postgres") }
        return lines
    }

    /// Adds the option that skips the store to an error of `body`.
    private static func addingSkipOption<Result>(
        _ option: String, _ store: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            throw InputError(
                "\(error) Nothing was deleted. \(option) skips \(store): only use it if no worker writes to it, or if you "
                    + "empty it yourself.")
        }
    }
}
