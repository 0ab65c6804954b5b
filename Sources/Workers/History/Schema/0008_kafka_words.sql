-- The words of Kafka: a "lane" is a partition of a topic, and lane_clock is how far a sink has come in each. Only names
-- change; rows, rights and indexes stay as they are.

ALTER TABLE lane_clock RENAME TO sink_progress;
ALTER INDEX lane_clock_pkey RENAME TO sink_progress_pkey;
ALTER TABLE sink_progress RENAME COLUMN lane TO kafka_partition;
COMMENT ON TABLE sink_progress IS
    'How far a sink has written each partition of a topic. Moves in the transaction that writes the rows.';

ALTER TABLE location_history RENAME COLUMN lane TO kafka_partition;
ALTER TABLE location_warnings RENAME COLUMN lane TO kafka_partition;
ALTER TABLE trip_events RENAME COLUMN lane TO kafka_partition;
ALTER TABLE eta_history RENAME COLUMN lane TO kafka_partition;
COMMENT ON COLUMN location_history.kafka_partition IS
    'The partition of the record''s topic. With event_offset and event_part: the event id; see event_id().';

-- A function's parameter has its name for good, so this one is made anew.
DROP FUNCTION event_id(boolean, integer, bigint, bigint);
CREATE FUNCTION event_id(is_trip boolean, kafka_partition integer, event_offset bigint, event_part bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN is_trip THEN 't' ELSE '' END || kafka_partition || '-' || event_offset
        || CASE WHEN event_part >> 48 & 65535 > 0 THEN '.' || ((event_part >> 48 & 65535) - 1) ELSE '' END
        || CASE WHEN event_part >> 8 & 1099511627775 > 0 THEN '+' || (event_part >> 8 & 1099511627775) ELSE '' END
        || CASE WHEN event_part & 255 > 0 THEN '/' || (event_part & 255) ELSE '' END
$$;
COMMENT ON FUNCTION event_id(boolean, integer, bigint, bigint) IS
    'An event id as topics and logs write it: partition-offset, then .fix, +punctuation and /message where there are several.';

CREATE OR REPLACE FUNCTION driver_track(
    driver text, from_time timestamptz, to_time timestamptz, all_verdicts boolean DEFAULT false
) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real, verdict location_verdict, reasons text[], trip_id text, received_at timestamptz, event text
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.fixed_at, coalesce(h.latitude, h.raw_latitude), coalesce(h.longitude, h.raw_longitude),
        coalesce(h.heading, h.raw_heading), coalesce(h.speed_mps, h.raw_speed_mps),
        coalesce(h.accuracy_meters, h.raw_accuracy_meters), h.verdict, h.reasons, h.trip_id, h.received_at,
        event_id(false, h.kafka_partition, h.event_offset, h.event_part)
    FROM location_history h
    WHERE h.driver_id = driver AND h.fixed_at >= from_time AND h.fixed_at < to_time
        AND h.received_at >= from_time - interval '10 minutes'
        AND (all_verdicts OR h.verdict = 'accepted')
    ORDER BY h.fixed_at, h.event_offset, h.event_part
$$;

CREATE OR REPLACE FUNCTION history_duplicates(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    table_name text, rows bigint, doubled bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT 'location_history', count(*), count(*) - count(DISTINCT (h.kafka_partition, h.event_offset, h.event_part))
    FROM location_history h WHERE h.received_at >= from_time AND h.received_at < to_time
    UNION ALL
    SELECT 'location_warnings', count(*), count(*) - count(DISTINCT (w.kafka_partition, w.event_offset, w.event_part))
    FROM location_warnings w WHERE w.received_at >= from_time AND w.received_at < to_time
    UNION ALL
    SELECT 'trip_events', count(*),
        count(*) - count(DISTINCT (t.event_is_trip, t.kafka_partition, t.event_offset, t.event_part))
    FROM trip_events t WHERE t.computed_at >= from_time AND t.computed_at < to_time
    UNION ALL
    SELECT 'eta_history', count(*),
        count(*) - count(DISTINCT (e.event_is_trip, e.kafka_partition, e.event_offset, e.event_part, e.stop_index))
    FROM eta_history e WHERE e.computed_at >= from_time AND e.computed_at < to_time
$$;

CREATE OR REPLACE FUNCTION grant_history_roles() RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
    granted text[] := '{}';
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['sightline_worker', 'sightline_reader'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = role_name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            END IF;
        EXCEPTION
            WHEN insufficient_privilege THEN
                CONTINUE;
            WHEN duplicate_object OR unique_violation THEN
                NULL;  -- roles belong to the whole server: another database's migration was quicker
        END;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
        EXECUTE format(
            'GRANT SELECT ON location_history, eta_history, sink_progress, schema_migrations TO %I', role_name);
        granted := granted || role_name;
    END LOOP;
    IF 'sightline_worker' = ANY (granted) THEN
        GRANT INSERT ON location_history, location_warnings, trip_events, eta_history, sink_progress TO sightline_worker;
        REVOKE SELECT ON location_warnings, trip_events FROM sightline_worker;
        REVOKE ALL ON FUNCTION maintain_history_partitions_unbounded(text, integer, integer) FROM sightline_worker;
        GRANT UPDATE ON sink_progress TO sightline_worker;
        GRANT EXECUTE ON FUNCTION ensure_history_partitions(date[]),
            maintain_history_partitions(text, integer, integer) TO sightline_worker;
    END IF;
    IF 'sightline_reader' = ANY (granted) THEN
        GRANT SELECT ON location_warnings, trip_events TO sightline_reader;
    END IF;
    RETURN granted;
END
$$;
