import HistoryWorker
import PositionWorker
import Postgres
import Recordings

/// What the stores hold that names offsets and events of the pipeline's topics.
///
/// Belongs to one thread.
final class StoredProgress {
    /// Which stores are left out.
    struct Options {
        var skipsRedis: Bool
        var skipsPostgres: Bool
    }

    private let redis: PositionProgress?
    private let hasRedisPrefix: Bool
    private let history: HistoryProgress?

    /// Connects to the stores.
    ///
    /// - Throws: ``InputError``, which names the option that leaves the store out.
    init(_ access: PipelineAccess, _ options: Options) throws {
        hasRedisPrefix = !access.settings.redis.keyPrefix.isEmpty
        redis = try Self.naming("--skip-redis", "Redis") {
            options.skipsRedis ? nil : try PositionProgress(access.settings.positionSink())
        }
        history = try Self.naming("--skip-postgres", "Postgres") {
            guard !options.skipsPostgres else { return nil }
            let connection = try PostgresConnection(
                access.settings.postgresConfiguration.forCommand("sightline-cli"))
            try Migrator.requireCurrent(connection)
            return HistoryProgress(connection)
        }
    }

    /// Finds out whether everything may be deleted, before anything is.
    /// - Throws: ``InputError``, which names the option that leaves the store out.
    func requireRights() throws {
        if let redis { try Self.naming("--skip-redis", "Redis") { try redis.requireRights() } }
        if let history { try Self.naming("--skip-postgres", "Postgres") { try history.requireRights() } }
    }

    /// What would be deleted, a line for each store.
    func describe() throws -> [String] {
        var lines: [String] = []
        if let redis {
            let counts = try Self.naming("--skip-redis", "Redis") { try redis.count() }
            lines.append(
                "Redis: \(counts.channels) keys of trips and routes, \(counts.progress) of progress; drivers stay")
            if !hasRedisPrefix, counts.total > 0 {
                lines.append(
                    "Redis: SIGHTLINE_REDIS_PREFIX is empty, so keys trip:*, route:* and progress:* of other "
                        + "applications in this database are among them; --skip-redis leaves all of them")
            }
        } else {
            lines.append("Redis: left as it is (--skip-redis)")
        }
        if let history {
            let count = try Self.naming("--skip-postgres", "Postgres") { try history.count() }
            lines.append("Postgres: \(count) rows of sink_progress; the history stays")
        } else {
            lines.append("Postgres: left as it is (--skip-postgres)")
        }
        return lines
    }

    /// Deletes it all; safe to repeat.
    ///
    /// `show`: told what is under way.
    /// - Returns: what was deleted, a line for each store.
    func delete(show: (String) -> Void) throws -> [String] {
        var lines: [String] = []
        if let redis {
            let count = try redis.delete { show("Redis: \($0) keys deleted") }
            lines.append("deleted \(count) keys in Redis")
        }
        if let history { lines.append("deleted \(try history.delete()) rows of sink_progress in Postgres") }
        return lines
    }

    private static func naming<Result>(_ option: String, _ store: String, _ body: () throws -> Result) throws -> Result
    {
        do {
            return try body()
        } catch {
            throw InputError(
                "\(error) Nothing was deleted. With \(option), \(store) is left as it is: right only where no worker "
                    + "writes to it, or where it is emptied otherwise.")
        }
    }
}
