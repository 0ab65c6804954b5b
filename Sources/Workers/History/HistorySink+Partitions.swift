import Domain
import Postgres
import Processing
import Support

/// Row of a partition in `sink_progress`.
private struct StoredProgress {
    var next: Int64
    var watermark: Watermark
    /// The last smoothed event, or the last event before smoothing began; not smoothed again.
    var smoothed: EventID?
}

/// Progress of Kafka partitions, and creation of the tables' day partitions.
extension HistorySink {
    /// Locks the partitions' rows in `sink_progress`; returns the batches that begin at the stored next offset.
    ///
    /// Other writers of these partitions wait until the commit, so this comparison and ``advance(_:_:)`` together are
    /// one compare-and-swap.
    func lock(
        _ batches: [PartitionBatch], _ connection: PostgresConnection, _ report: inout SinkReport
    ) throws -> [LockedBatch] {
        let partitions = Array(Set(batches.map(\.partition)))
        try insertProgress(of: partitions.filter { !knownPartitions.contains($0) }, connection)
        var stored = try lockProgress(of: partitions, connection)
        var locked: [LockedBatch] = []
        for batch in batches {
            guard let state = stored[batch.partition], state.next == batch.from else {
                if !report.superseded.contains(batch.partition) { report.superseded.append(batch.partition) }
                if stored[batch.partition] == nil { knownPartitions.remove(batch.partition) }
                continue
            }
            stored[batch.partition]?.next = batch.to
            let before = locked.last { $0.batch.partition == batch.partition }
            locked.append(
                LockedBatch(
                    batch: batch, watermark: state.watermark,
                    smoothing: before?.smoothing ?? smoothing(of: batch, state)))
        }
        return locked
    }

    /// Returns the smoothing state of the batch's partition: the existing one if the batch continues it.
    private func smoothing(of batch: PartitionBatch, _ state: StoredProgress) -> PartitionSmoothing? {
        guard configuration.smoothsPaths, batch.partition.topic == PipelineTopic.locations.rawValue else { return nil }
        if let known = smoothing[batch.partition], known.isFollowed(by: batch) { return known }
        let fresh = PartitionSmoothing(after: state.smoothed)
        smoothing[batch.partition] = fresh
        return fresh
    }

    /// Advances the progress of the locked partitions; returns the last batch of each.
    func advance(_ locked: [LockedBatch], _ connection: PostgresConnection) throws -> [LockedBatch] {
        var last: [SinkPartition: LockedBatch] = [:]
        for one in locked { last[one.batch.partition] = one }
        let moved = Array(last.values)
        let result = try connection.execute(
            """
            UPDATE sink_progress c SET next_offset = n.next_offset, raw_event = nullif(n.raw_event, ''),
                trip_event = nullif(n.trip_event, ''), smoothing_offset = nullif(n.smoothing_offset, -1),
                smoothed_event = coalesce(nullif(n.smoothed_event, ''), c.smoothed_event), updated_at = now()
            FROM unnest($2::text[], $3::integer[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[])
                AS n (topic, kafka_partition, next_offset, raw_event, trip_event, smoothing_offset, smoothed_event)
            WHERE c.sink = $1 AND c.topic = n.topic AND c.kafka_partition = n.kafka_partition
            """,
            [
                .text(Self.name), .texts(moved.map(\.batch.partition.topic)),
                .integers(moved.map { Int64($0.batch.partition.partition) }), .integers(moved.map(\.batch.to)),
                .texts(moved.map { $0.watermark.raw?.description ?? "" }),
                .texts(moved.map { $0.watermark.trips?.description ?? "" }),
                .integers(moved.map { $0.smoothing?.resumeOffset ?? -1 }),
                .texts(moved.map { $0.smoothing?.smoothed?.description ?? "" }),
            ])
        precondition(
            result.affectedRows == moved.count, "A locked row of sink_progress disappeared during its transaction.")
        return moved
    }

    /// Creates the day partitions for `batches`, in a transaction of its own, to keep its locks short.
    ///
    /// A day is requested once between maintenances; if the day gets no partition, its rows go to
    /// the default partition.
    /// - Returns: the number of new records whose day gets no partition.
    func ensurePartitions(for batches: [PartitionBatch], _ connection: PostgresConnection) throws -> Int {
        var missing: Set<Int64> = []
        var outside = 0
        for batch in batches {
            var last: Int64?
            var isOutside = false
            for record in batch.records {
                let day = record.timestamp.day
                if day != last {
                    last = day
                    isOutside = !partitionedDays.contains(day)
                    if !isOutside, !ensuredDays.contains(day) { missing.insert(day) }
                }
                if isOutside, record.offset >= batch.writtenBefore { outside += 1 }
            }
        }
        guard !missing.isEmpty else { return outside }
        ensuredDays.formUnion(missing)
        do {
            // The statement applies the current bounds itself, because midnight may have passed. Rows of days beyond
            // the allowed number go to the default partition, from which a later maintenance moves them.
            try connection.execute(
                """
                SELECT ensure_history_partitions(ARRAY(
                    SELECT day FROM (SELECT date '1970-01-01' + n::integer AS day FROM unnest($1::bigint[]) n) d,
                        history_day_bounds() b
                    WHERE day BETWEEN b.earliest AND b.latest
                    ORDER BY day DESC LIMIT (SELECT most FROM history_day_bounds())))
                """,
                [.integers(missing.sorted())])
        } catch let error as PostgresError where error.sqlState == "55P03" {
            // Lock timeout: a long query reads the default partition. The next maintenance moves the rows.
        }
        return outside
    }

    private func insertProgress(of partitions: [SinkPartition], _ connection: PostgresConnection) throws {
        guard !partitions.isEmpty else { return }
        let sorted = partitions.sorted { ($0.topic, $0.partition) < ($1.topic, $1.partition) }
        try connection.execute(
            """
            INSERT INTO sink_progress (sink, topic, kafka_partition, next_offset)
            SELECT $1, n.topic, n.kafka_partition, 0 FROM unnest($2::text[], $3::integer[]) AS n (topic, kafka_partition)
            ON CONFLICT DO NOTHING
            """,
            [.text(Self.name), .texts(sorted.map(\.topic)), .integers(sorted.map { Int64($0.partition) })])
    }

    private func lockProgress(
        of partitions: [SinkPartition], _ connection: PostgresConnection
    ) throws -> [SinkPartition: StoredProgress] {
        let result = try connection.execute(
            """
            SELECT topic, kafka_partition, next_offset, raw_event, trip_event, smoothing_offset, smoothed_event
            FROM sink_progress
            WHERE sink = $1 AND (topic, kafka_partition) IN (SELECT * FROM unnest($2::text[], $3::integer[]))
            ORDER BY topic, kafka_partition FOR UPDATE
            """,
            [.text(Self.name), .texts(partitions.map(\.topic)), .integers(partitions.map { Int64($0.partition) })])
        var stored: [SinkPartition: StoredProgress] = [:]
        for row in result.rows {
            let partition = SinkPartition(topic: try row.text(0), partition: Int32(clamping: try row.integer(1)))
            let watermark = Watermark(
                raw: row.string(3).flatMap { EventID($0) }, trips: row.string(4).flatMap { EventID($0) })
            stored[partition] = StoredProgress(
                next: try row.integer(2), watermark: watermark,
                smoothed: row.isNull(5) ? watermark.raw : row.string(6).flatMap { EventID($0) })
        }
        return stored
    }
}

/// State of one write transaction.
struct HistoryWrite {
    let connection: PostgresConnection
    var locked: [LockedBatch] = []
    var report = SinkReport()
}

/// Batch whose partition is locked by this writer and begins at the partition's next offset.
struct LockedBatch {
    let batch: PartitionBatch
    /// Starts as the partition's stored watermark, and advances with the records.
    var watermark: Watermark
    /// Smoothing state of the partition; `nil` if it is not smoothed.
    var smoothing: PartitionSmoothing?

    /// Returns the record's event if it is new.
    ///
    /// Uses the event of the header, so that duplicates need not be parsed; without a header,
    /// `read` parses the value. A header advances the watermark even if the value is unreadable.
    @inline(__always)
    mutating func event(
        of record: InputRecord, _ report: inout SinkReport, _ read: (ByteSlice) -> EventID?
    ) -> EventID? {
        guard let event = record.event ?? record.value.flatMap(read) else {
            if isCounted(record) { report.unreadable += 1 }
            return nil
        }
        guard watermark.advance(to: event) else {
            if isCounted(record) { report.repeated += 1 }
            return nil
        }
        return event
    }

    /// Returns whether the record counts in the report, unlike records reread for smoothing.
    func isCounted(_ record: InputRecord) -> Bool { record.offset >= batch.writtenBefore }
}
