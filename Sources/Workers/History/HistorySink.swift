import Codec
import Model
import Postgres
import Processing
import Support

/// Writes verdicts, warnings and trips to Postgres, each exactly once.
///
/// One call is one transaction: the rows of the partitions in ``sink_progress`` are locked and compared with where the
/// batches begin, the rows are copied in binary, the clocks are moved, and all of it is committed. A partition whose
/// clock is elsewhere belongs to another writer and is left alone. Belongs to one thread.
package final class HistorySink: Sink {
    package static let name = "history"
    package static let topics = [PipelineTopic.locations, .warnings, .tripEtas, .tripWarnings].map(\.rawValue)
    let configuration: HistorySinkConfiguration
    private var connection: PostgresConnection?

    /// Partitions that are known to have their row.
    var knownPartitions: Set<SinkPartition> = []
    /// Days since 1970 whose partitions were asked for since the last ``maintain(now:)``.
    var ensuredDays: Set<Int64> = []
    /// Days since 1970 that rows have a partition for: what retention keeps, within the bounds of the database.
    ///
    /// Other rows go to the default partition: those that are too old are deleted by the next maintenance, the others
    /// stay there and are found by every question.
    var partitionedDays: ClosedRange<Int64> = 0...0

    let verdicts = VerdictReader()
    let warnings = WarningReader()
    let tripWarnings = TripWarningReader()
    let etas = TripEtaReader()
    var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    var buffer = CopyBuffer()
    var etaRows = CopyBuffer()
    var smoothedRows = CopyBuffer()
    /// By partition of verdicts: what waits for later fixes.
    var smoothing: [SinkPartition: PartitionSmoothing] = [:]
    /// The events before ``PartitionBatch/from`` that have a row, of the write at hand; `nil` where all have.
    var keptEvents: Set<EventID>?
    var fixSampler: FixSampler
    var etaSampler: EtaSampler

    /// - Parameter configuration: connects with the first call of ``connect()`` or ``write(_:)``.
    package init(_ configuration: HistorySinkConfiguration) {
        self.configuration = configuration
        fixSampler = FixSampler(
            intervalMilliseconds: configuration.minimumIntervalMilliseconds,
            distanceMeters: configuration.minimumDistanceMeters)
        etaSampler = EtaSampler(windowMilliseconds: configuration.etaWindowMilliseconds)
    }

    package func connect() throws {
        if let connection, connection.isOpen {
            try connection.execute("SELECT 1")
            return
        }
        _ = try openConnection()
    }

    package func disconnect() {
        connection?.close()
        connection = nil
    }

    package func clocks(of partitions: [SinkPartition]) throws -> [SinkPartition: Int64] {
        try positions(of: partitions).mapValues(\.next)
    }

    package func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        // Partitions change hands now; what their last holder sampled is in the database.
        forgetSamples()
        let result = try openConnection().execute(
            """
            SELECT topic, kafka_partition, next_offset, smoothing_offset FROM sink_progress
            WHERE sink = $1 AND (topic, kafka_partition) IN (SELECT * FROM unnest($2::text[], $3::integer[]))
            """,
            [.text(Self.name), .texts(partitions.map(\.topic)), .integers(partitions.map { Int64($0.partition) })])
        var positions: [SinkPartition: SinkPosition] = [:]
        for row in result.rows {
            let partition = SinkPartition(topic: try row.text(0), partition: Int32(clamping: try row.integer(1)))
            let smoothingOffset = configuration.smoothsPaths && !row.isNull(3) ? try row.integer(3) : nil
            positions[partition] = SinkPosition(next: try row.integer(2), readFrom: smoothingOffset)
            knownPartitions.insert(partition)
        }
        return positions
    }

    package func release(_ partitions: [SinkPartition]) {
        for partition in partitions { smoothing[partition] = nil }
    }

    package func write(_ batches: [PartitionBatch], meanwhile: () -> Void) throws -> SinkReport {
        do {
            let connection = try openConnection()
            var report = SinkReport()
            let outsideDays = try ensurePartitions(for: batches, connection)
            var written: [HeldBatch] = []
            try connection.transaction {
                var held = try hold(batches, connection, &report)
                guard !held.isEmpty else { return }
                try recallSamples(for: held, connection)
                try copyLocations(&held, connection, &report, meanwhile)
                try copyWarnings(&held, connection, &report, meanwhile)
                try copyTrips(&held, connection, &report, meanwhile)
                try copyTripWarnings(&held, connection, &report, meanwhile)
                written = try advance(held, connection)
            }
            knownPartitions.formUnion(written.map(\.batch.partition))
            for one in written { one.smoothing?.commit(stored: one.batch.to) }
            if !report.superseded.isEmpty { forgetSamples() }
            report.outsideDays = outsideDays
            return report
        } catch {
            // Nothing was written, or that is unknown; either way what was sampled is read back before the next try.
            forgetSamples()
            for one in smoothing.values { one.rollback() }
            if let error = error as? PostgresError, error.sqlState == "55P03" { endFrozenWriters() }
            throw error
        }
    }

    package func now() throws -> Timestamp {
        let result = try openConnection().execute("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        guard let row = result.first else { throw PostgresError.server("no time came", sqlState: "02000") }
        return Timestamp(milliseconds: try row.integer(0))
    }

    package func maintain(now: Timestamp) throws {
        let connection = try openConnection()
        try setPartitionedDays(connection)
        ensuredDays.removeAll(keepingCapacity: true)
        var failure: (any Error)?
        for table in HistoryTable.allCases {
            do {
                try connection.execute(
                    "SELECT maintain_history_partitions($1, $2)",
                    [.text(table.rawValue), .integer(Int64(configuration.retentionDays))])
            } catch {
                failure = failure ?? error
                guard connection.isOpen else { break }
            }
        }
        if let failure { throw failure }
    }

    /// The connection, made and checked if there is none.
    private func openConnection() throws -> PostgresConnection {
        if let connection, connection.isOpen { return connection }
        connection = nil
        let made = try PostgresConnection(configuration.writerConnection)
        try Migrator.requireCurrent(made)
        let state = try made.execute(
            """
            SELECT current_setting('transaction_read_only') = 'on'
            """)
        if let row = state.first, try row.boolean(0) {
            throw PostgresError.server("the server is read-only", sqlState: "25006")
        }
        try setPartitionedDays(made)
        forgetSamples()
        connection = made
        return made
    }

    private func setPartitionedDays(_ connection: PostgresConnection) throws {
        let result = try connection.execute(
            """
            SELECT (now() AT TIME ZONE 'UTC')::date - date '1970-01-01', earliest - date '1970-01-01',
                latest - date '1970-01-01' FROM history_day_bounds()
            """)
        guard let row = result.first else { throw PostgresError.server("no bounds came", sqlState: "02000") }
        let (today, earliest, latest) = (try row.integer(0), try row.integer(1), try row.integer(2))
        let kept = configuration.retentionDays > 0 ? today - Int64(configuration.retentionDays) : .min
        let oldest = max(kept, earliest)
        partitionedDays = oldest...max(oldest, latest)
    }

    /// Ends the transactions of writers that hold partitions and have fallen silent, such as a stopped process in the
    /// middle of a copy, which no timeout of the server ends.
    ///
    /// Best effort: it may not be allowed, and the write is tried again in any case.
    private func endFrozenWriters() {
        guard let connection, connection.isOpen else { return }
        _ = try? connection.execute(
            """
            SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a
            WHERE a.datname = current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid()
                AND a.wait_event = 'ClientRead' AND a.xact_start < now() - $1::interval
                AND EXISTS (
                    SELECT 1 FROM pg_locks l WHERE l.pid = a.pid AND l.granted
                        AND l.relation = 'sink_progress'::regclass AND l.mode IN ('RowShareLock', 'RowExclusiveLock'))
            """,
            [.text("\(configuration.frozenWriterAge.wholeMilliseconds) milliseconds")])
    }
}

extension Timestamp {
    /// Days since 1970-01-01, UTC.
    var day: Int64 {
        let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
