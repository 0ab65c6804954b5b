import Codec
import Domain
import Postgres
import Processing
import Support

/// Sink that writes verdicts, warnings, trips and arrival times to Postgres without duplicates.
///
/// Each write is one transaction: it locks the partitions' rows in `sink_progress`, compares their
/// next offsets with the batches, copies the rows in binary format and advances the progress. A
/// partition with another next offset has another writer, and is reported as superseded. Confined
/// to one thread.
package final class HistorySink: Sink {
    package static let name = "history"
    package static let topics = [PipelineTopic.locations, .warnings, .tripEtas, .tripWarnings].map(\.rawValue)
    let configuration: HistorySinkConfiguration
    private var connection: PostgresConnection?

    /// Kafka partitions that have a row in `sink_progress`.
    var knownPartitions: Set<SinkPartition> = []
    /// Days since 1970 whose partitions were requested since the last ``maintain(now:)``.
    var ensuredDays: Set<Int64> = []
    /// Days since 1970 for which partitions are created: within the retention and `history_day_bounds()`.
    ///
    /// Rows of other days go to the default partition, where queries find them. The next
    /// maintenance deletes rows older than the retention.
    var partitionedDays: ClosedRange<Int64> = 0...0

    let verdicts = VerdictReader()
    let warnings = WarningReader()
    let tripWarnings = TripWarningReader()
    let etas = TripEtaReader()
    var eta = TripEta(tripID: "", driverID: "", state: .requested, computedAt: Timestamp(milliseconds: 0))
    var buffer = CopyBuffer()
    var etaRows = CopyBuffer()
    var smoothedRows = CopyBuffer()
    var smoothing: [SinkPartition: PartitionSmoothing] = [:]
    /// During a write, events of reread fixes that have a row in `location_history`; `nil` if all fixes have one.
    var keptEvents: Set<EventID>?
    var fixSampler: FixSampler
    var etaSampler: EtaSampler

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

    package func positions(of partitions: [SinkPartition]) throws -> [SinkPartition: SinkPosition] {
        // Other workers may have written these partitions; their samples are in the database.
        resetSamplers()
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
            var write = HistoryWrite(connection: connection)
            write.report.outsideDays = try ensurePartitions(for: batches, connection)
            var written: [LockedBatch] = []
            try connection.transaction {
                write.locked = try lock(batches, connection, &write.report)
                guard !write.locked.isEmpty else { return }
                try restoreSamplers(for: write.locked, connection)
                try copyLocations(&write, meanwhile)
                try copyWarnings(&write, meanwhile)
                try copyTrips(&write, meanwhile)
                try copyTripWarnings(&write, meanwhile)
                written = try advance(write.locked, connection)
            }
            knownPartitions.formUnion(written.map(\.batch.partition))
            for one in written { one.smoothing?.commit(stored: one.batch.to) }
            if !write.report.superseded.isEmpty { resetSamplers() }
            return write.report
        } catch {
            // It may be unknown whether the rows were written, so the samplers are restored before the next attempt.
            resetSamplers()
            for one in smoothing.values { one.rollback() }
            if let error = error as? PostgresError, error.sqlState == "55P03" { endFrozenWriters() }
            throw error
        }
    }

    package func now() throws -> Timestamp {
        let result = try openConnection().execute("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        guard let row = result.first else { throw PostgresError.server("no time returned", sqlState: "02000") }
        return Timestamp(milliseconds: try row.integer(0))
    }

    package func maintain(now: Timestamp) throws {
        let connection = try openConnection()
        try setPartitionedDays(connection)
        ensuredDays.removeAll(keepingCapacity: true)
        var failure: (any Error)?
        for table in HistoryTables.names {
            do {
                try connection.execute(
                    "SELECT maintain_history_partitions($1, $2)",
                    [.text(table), .integer(Int64(configuration.retentionDays))])
            } catch {
                failure = failure ?? error
                guard connection.isOpen else { break }
            }
        }
        if let failure { throw failure }
    }

    /// Returns the open connection, or opens and checks a new one.
    private func openConnection() throws -> PostgresConnection {
        if let connection, connection.isOpen { return connection }
        connection = nil
        let opened = try PostgresConnection(configuration.writerConnection)
        try Migrator.requireCurrent(opened)
        let state = try opened.execute("SELECT current_setting('transaction_read_only') = 'on'")
        if let row = state.first, try row.boolean(0) {
            throw PostgresError.server("the server is read-only", sqlState: "25006")
        }
        try setPartitionedDays(opened)
        resetSamplers()
        connection = opened
        return opened
    }

    private func setPartitionedDays(_ connection: PostgresConnection) throws {
        let result = try connection.execute(
            """
            SELECT (now() AT TIME ZONE 'UTC')::date - date '1970-01-01', earliest - date '1970-01-01',
                latest - date '1970-01-01' FROM history_day_bounds()
            """)
        guard let row = result.first else { throw PostgresError.server("no bounds returned", sqlState: "02000") }
        let (today, earliest, latest) = (try row.integer(0), try row.integer(1), try row.integer(2))
        let kept = configuration.retentionDays > 0 ? today - Int64(configuration.retentionDays) : .min
        let oldest = max(kept, earliest)
        partitionedDays = oldest...max(oldest, latest)
    }

    /// Terminates frozen writers that hold locks on `sink_progress`.
    ///
    /// No server timeout ends a client that was stopped in the middle of a `COPY`. Best effort: the user may lack the
    /// right, and the write is retried in any case.
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

extension PostgresError: ClassifiedError {}

extension Timestamp {
    /// Days since 1970-01-01, UTC.
    var day: Int64 { index(ofInterval: 86_400_000) }

    /// Returns the index of the interval of `length` milliseconds since 1970; negative before.
    func index(ofInterval length: Int64) -> Int64 { milliseconds.quotientRoundedDown(by: length).quotient }
}
