/// Texts of the longer statements of `history-worker`, with single spaces.
enum PostgresStatementText {
    static let dayBounds = """
        SELECT (now() AT TIME ZONE 'UTC')::date - date '1970-01-01', earliest - date '1970-01-01', \
        latest - date '1970-01-01' FROM history_day_bounds()
        """

    static let ensureDays = """
        SELECT ensure_history_partitions(ARRAY( \
        SELECT day FROM (SELECT date '1970-01-01' + n::integer AS day FROM unnest($1::bigint[]) n) d, \
        history_day_bounds() b WHERE day BETWEEN b.earliest AND b.latest \
        ORDER BY day DESC LIMIT (SELECT most FROM history_day_bounds())))
        """

    static let progressCondition = """
         FROM sink_progress WHERE sink = $1 AND (topic, kafka_partition) IN \
        (SELECT * FROM unnest($2::text[], $3::integer[]))
        """

    static let insertProgress = """
        INSERT INTO sink_progress (sink, topic, kafka_partition, next_offset) \
        SELECT $1, n.topic, n.kafka_partition, 0 FROM unnest($2::text[], $3::integer[]) AS n (topic, kafka_partition)
        """

    /// Columns of the parameters `$2`, `$3` … of the update.
    static let updateColumns = [
        "topic", "kafka_partition", "next_offset", "raw_event", "trip_event", "smoothing_offset", "smoothed_event",
    ]

    static let updateSource = """
         FROM unnest($2::text[], $3::integer[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[]) \
        AS n (topic, kafka_partition, next_offset, raw_event, trip_event, smoothing_offset, smoothed_event) \
        WHERE c.sink = $1 AND c.topic = n.topic AND c.kafka_partition = n.kafka_partition
        """

    static let deleteProgress = """
        WITH gone AS (DELETE FROM sink_progress WHERE topic = ANY($1) RETURNING 1) SELECT count(*) FROM gone
        """

    static let endFrozenWriters = """
        SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a \
        WHERE a.datname = current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid() \
        AND a.wait_event = 'ClientRead' AND a.xact_start < now() - $1::interval \
        AND EXISTS ( SELECT 1 FROM pg_locks l WHERE l.pid = a.pid AND l.granted \
        AND l.relation = 'sink_progress'::regclass AND l.mode IN ('RowShareLock', 'RowExclusiveLock'))
        """

    static let keptEvents = """
        SELECT event_offset, event_part FROM location_history \
        WHERE kafka_partition = $1 AND received_at >= to_timestamp($2::bigint / 1000.0)
        """

    static let tripSamples = """
        SELECT e.trip_id, (extract(epoch FROM max(e.computed_at) FILTER (WHERE NOT e.is_passed)) * 1000)::bigint, \
        coalesce(max(e.stop_index) FILTER (WHERE e.is_passed) + 1, 0) \
        FROM eta_history e WHERE e.trip_id = ANY ($1::text[]) GROUP BY e.trip_id
        """

    static let driverSamples = """
        SELECT d.driver_id, (extract(epoch FROM h.fixed_at) * 1000)::bigint, h.latitude, h.longitude \
        FROM unnest($1::text[]) AS d (driver_id) CROSS JOIN LATERAL ( \
        SELECT l.fixed_at, l.latitude, l.longitude FROM location_history l \
        WHERE l.driver_id = d.driver_id AND l.latitude IS NOT NULL ORDER BY l.fixed_at DESC LIMIT 1) h
        """
}
