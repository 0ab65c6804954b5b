import Pipeline
import Postgres
import Redis
import Settings
import SinkCommands
import Tracking

/// Asks the stores what they hold of a run, and how far they have come.
///
/// Belongs to one thread.
final class StoreAudit {
    private let settings: Settings
    private let progress: SinkProgress

    /// - Throws: what is wrong with the addresses; nothing is connected yet.
    init(_ settings: Settings) throws {
        self.settings = settings
        progress = try SinkProgress(settings)
    }

    /// How many of these records, given as the next offset of each partition, the sinks have still to write.
    func backlog(of ends: [SinkPartition: Int64]) throws -> Int {
        try progress.backlogs(of: ends).reduce(0) { $0 + Int($1.records) }
    }

    /// Counts the rows and keys of a run.
    func count(_ ledger: RunLedger) throws -> StoreCounts {
        var counts = StoreCounts()
        let connection = try PostgresConnection(
            PostgresConfiguration(url: settings.postgres.url.reveal(), applicationName: "sightline-demo"))
        defer { connection.close() }
        let since = ledger.earliest ?? Timestamp(milliseconds: 0)
        counts.locations = try rows(of: "location_history", "received_at", ledger.scope, since, connection)
        counts.warnings = try rows(of: "location_warnings", "received_at", ledger.scope, since, connection)
        counts.tripEvents = try rows(
            of: "trip_events", "computed_at", ledger.scope, since, connection, hasTripEvents: true)
        counts.isSampled =
            settings.postgres.minimumIntervalMilliseconds > 0 || settings.postgres.minimumDistanceMeters > 0
        (counts.drivers, counts.missingDrivers) = try drivers(ledger)
        progress.disconnect()
        return counts
    }

    /// Rows made from records of the run.
    ///
    /// Offsets alone would do, were it not for brokers that were emptied and count from 0 again; so the rows must also
    /// be no older than the run's first record.
    private func rows(
        of table: String, _ time: String, _ scope: RunScope, _ since: Timestamp, _ connection: PostgresConnection,
        hasTripEvents: Bool = false
    ) throws -> StoreCounts.Rows {
        var partitions: [(isTrip: Int64, partition: Int32, start: Int64)] = scope.raw.map { (0, $0.key, $0.value) }
        if hasTripEvents { partitions += scope.trips.map { (1, $0.key, $0.value) } }
        let origin = hasTripEvents ? "row.event_is_trip::integer" : "0"
        let result = try connection.execute(
            """
            SELECT count(*), count(DISTINCT (\(origin), row.kafka_partition, row.event_offset, row.event_part))
            FROM \(table) AS row
            JOIN unnest($1::integer[], $2::integer[], $3::bigint[]) AS run (is_trip, kafka_partition, start)
                ON \(origin) = run.is_trip AND row.kafka_partition = run.kafka_partition
                AND row.event_offset >= run.start
            WHERE row.\(time) >= to_timestamp($4::bigint / 1000.0) - interval '1 second'
            """,
            [
                .integers(partitions.map(\.isTrip)), .integers(partitions.map { Int64($0.partition) }),
                .integers(partitions.map(\.start)),
                .integer(since.milliseconds),
            ])
        guard let row = result.first else { return StoreCounts.Rows() }
        return StoreCounts.Rows(all: Int(try row.integer(0)), distinct: Int(try row.integer(1)))
    }

    /// How many of the run's drivers have a key, and how many that should have none.
    private func drivers(_ ledger: RunLedger) throws -> (found: Int, missing: Int) {
        let connection = try RedisConnection(settings.redisConfiguration())
        var commands = RedisCommands()
        var found = 0
        var missing = 0
        let all = Array(ledger.drivers.union(ledger.acceptedDrivers))
        for start in stride(from: 0, to: all.count, by: 1000) {
            let some = all[start..<min(start + 1000, all.count)]
            for driver in some {
                commands.begin("EXISTS", arguments: 1)
                commands.add("\(settings.redis.keyPrefix)driver:\(driver)")
            }
            try connection.send(&commands)
            for driver in some {
                let isThere = try connection.receive().integer == 1
                if isThere { found += 1 }
                if !isThere, ledger.acceptedDrivers.contains(driver) { missing += 1 }
            }
        }
        return (found, missing)
    }
}
