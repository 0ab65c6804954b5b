import Model
import Postgres
import Processing

/// The partitions' clocks and the days' partitions.
extension HistorySink {
    /// Locks the partitions and picks the batches that begin where their partition stands.
    ///
    /// The lock keeps other writers of these partitions waiting until the commit, so comparing first and moving last is
    /// one compare-and-swap.
    func hold(
        _ batches: [PartitionBatch], _ connection: PostgresConnection, _ report: inout SinkReport
    ) throws -> [HeldBatch] {
        let partitions = Array(Set(batches.map(\.partition)))
        try enter(partitions.filter { !knownPartitions.contains($0) }, connection)
        var stored = try lock(partitions, connection)
        var held: [HeldBatch] = []
        for batch in batches {
            guard let state = stored[batch.partition], state.next == batch.from else {
                if !report.superseded.contains(batch.partition) { report.superseded.append(batch.partition) }
                if stored[batch.partition] == nil { knownPartitions.remove(batch.partition) }
                continue
            }
            stored[batch.partition]?.next = batch.to
            let before = held.last { $0.batch.partition == batch.partition }
            held.append(
                HeldBatch(
                    batch: batch, clock: state.clock, smoothing: before?.smoothing ?? smoothing(of: batch, state)))
        }
        return held
    }

    /// What waits for later fixes in the partition of a batch: what its last batch left, where this one follows it.
    private func smoothing(of batch: PartitionBatch, _ state: HistoryPosition) -> PartitionSmoothing? {
        guard configuration.smoothsPaths, batch.partition.topic == PipelineTopic.locations.rawValue else { return nil }
        if let known = smoothing[batch.partition], known.isFollowed(by: batch) { return known }
        let fresh = PartitionSmoothing(after: state.smoothed)
        smoothing[batch.partition] = fresh
        return fresh
    }

    /// Moves the clocks of the partitions held.
    /// - Returns: the last batch of each.
    func advance(_ held: [HeldBatch], _ connection: PostgresConnection) throws -> [HeldBatch] {
        // A later batch of the same partition stands for the earlier one.
        var last: [SinkPartition: HeldBatch] = [:]
        for one in held { last[one.batch.partition] = one }
        let moved = Array(last.values)
        let result = try connection.execute(
            """
            UPDATE sink_progress c SET next_offset = n.next_offset, raw_clock = nullif(n.raw_clock, ''),
                trip_clock = nullif(n.trip_clock, ''), smoothing_offset = nullif(n.smoothing_offset, -1),
                smoothed_event = coalesce(nullif(n.smoothed_event, ''), c.smoothed_event), updated_at = now()
            FROM unnest($2::text[], $3::integer[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[])
                AS n (topic, kafka_partition, next_offset, raw_clock, trip_clock, smoothing_offset, smoothed_event)
            WHERE c.sink = $1 AND c.topic = n.topic AND c.kafka_partition = n.kafka_partition
            """,
            [
                .text(Self.name), .texts(moved.map(\.batch.partition.topic)),
                .integers(moved.map { Int64($0.batch.partition.partition) }), .integers(moved.map(\.batch.to)),
                .texts(moved.map { $0.clock.raw?.description ?? "" }),
                .texts(moved.map { $0.clock.trips?.description ?? "" }),
                .integers(moved.map { $0.smoothing?.resumeOffset ?? -1 }),
                .texts(moved.map { $0.smoothing?.smoothed?.description ?? "" }),
            ])
        precondition(
            result.affectedRows == moved.count, "A locked row of sink_progress was gone before its transaction ended.")
        return moved
    }

    /// Makes the partitions for the days of `batches`, in transactions of their own, whose locks are short.
    ///
    /// A day is asked for once between maintenances; should its partition not come about, rows go to the default one.
    /// - Returns: how many records are of days that get no partition.
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
            // Asked for within the bounds as they are in this very statement, past midnight too. Days beyond the number
            // allowed begin in the default partition and are moved by the next maintenances.
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
            // A long query reads the default partition; the next maintenance moves the rows.
        }
        return outside
    }

    /// Gives partitions never written before their row.
    private func enter(_ partitions: [SinkPartition], _ connection: PostgresConnection) throws {
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

    private func lock(
        _ partitions: [SinkPartition], _ connection: PostgresConnection
    ) throws -> [SinkPartition: HistoryPosition] {
        let result = try connection.execute(
            """
            SELECT topic, kafka_partition, next_offset, raw_clock, trip_clock, smoothing_offset, smoothed_event
            FROM sink_progress
            WHERE sink = $1 AND (topic, kafka_partition) IN (SELECT * FROM unnest($2::text[], $3::integer[]))
            ORDER BY topic, kafka_partition FOR UPDATE
            """,
            [.text(Self.name), .texts(partitions.map(\.topic)), .integers(partitions.map { Int64($0.partition) })])
        var stored: [SinkPartition: HistoryPosition] = [:]
        for row in result.rows {
            let partition = SinkPartition(topic: try row.text(0), partition: Int32(clamping: try row.integer(1)))
            let clock = Watermark(
                raw: row.string(3).flatMap { EventID($0) }, trips: row.string(4).flatMap { EventID($0) })
            stored[partition] = HistoryPosition(
                next: try row.integer(2), clock: clock,
                smoothed: row.isNull(5) ? clock.raw : row.string(6).flatMap { EventID($0) })
        }
        return stored
    }
}
