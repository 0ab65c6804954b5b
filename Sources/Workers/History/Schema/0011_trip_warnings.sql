-- Warnings about trips, and what a trip service wants shown with its trips.

ALTER TABLE trip_events
    ADD COLUMN stage text,
    ADD COLUMN facts text;
COMMENT ON COLUMN trip_events.stage IS
    'DRIVER_EN_ROUTE or ARRIVED_DESTINATION, where the trip service tells apart more than the state; null otherwise.';
COMMENT ON COLUMN trip_events.facts IS
    'Rider, driver, vehicle, fare and the like: JSON as the trip service sent it, as it was after the event; as text, like context.';

CREATE TABLE trip_warnings (
    received_at     timestamptz      NOT NULL,
    began_at        timestamptz      NOT NULL,
    ended_at        timestamptz,
    event_offset    bigint           NOT NULL,
    event_part      bigint           NOT NULL,
    latitude        double precision,
    longitude       double precision,
    greatest_meters double precision NOT NULL,
    kafka_partition integer          NOT NULL,
    event_is_trip   boolean          NOT NULL,
    is_resolved     boolean          NOT NULL,
    trip_id         text             NOT NULL,
    driver_id       text             NOT NULL,
    warning_code    text             NOT NULL,
    ended_by        text,
    message         text             NOT NULL
) PARTITION BY RANGE (received_at);

CREATE INDEX trip_warnings_trip ON trip_warnings (trip_id, received_at);
CREATE INDEX trip_warnings_received ON trip_warnings USING brin (received_at);
CREATE TABLE trip_warnings_default PARTITION OF trip_warnings DEFAULT;

COMMENT ON TABLE trip_warnings IS 'Warnings about trips: one row when one begins, and one when it is over.';
COMMENT ON COLUMN trip_warnings.received_at IS 'When the pipeline noticed it; the partition key.';
COMMENT ON COLUMN trip_warnings.began_at IS 'By the fixes; the same in the row of the beginning and in that of the end.';
COMMENT ON COLUMN trip_warnings.ended_at IS 'By the fixes; null in the row of the beginning.';
COMMENT ON COLUMN trip_warnings.greatest_meters IS 'The greatest distance from the route until then.';
COMMENT ON COLUMN trip_warnings.ended_by IS 'RETURNED, REPLANNED, TRIP_ENDED or DISPLACED; null in the row of the beginning.';
COMMENT ON COLUMN trip_warnings.latitude IS 'Where the vehicle was seen last, WGS84 degrees.';

CREATE OR REPLACE FUNCTION history_tables() RETURNS TABLE (table_name text, time_column text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    VALUES ('location_history', 'received_at'), ('location_warnings', 'received_at'),
           ('trip_events', 'computed_at'), ('eta_history', 'computed_at'), ('trip_warnings', 'received_at')
$$;

CREATE VIEW route_deviations AS
SELECT b.trip_id, b.driver_id, b.began_at, e.ended_at, extract(epoch FROM e.ended_at - b.began_at)::double precision AS seconds,
    coalesce(e.greatest_meters, b.greatest_meters) AS greatest_meters, e.ended_by, b.received_at AS warned_at,
    b.latitude, b.longitude
FROM trip_warnings b LEFT JOIN trip_warnings e
    ON e.trip_id = b.trip_id AND e.driver_id = b.driver_id AND e.warning_code = b.warning_code
        AND e.began_at = b.began_at AND e.is_resolved
WHERE b.warning_code = 'ROUTE_DEVIATION' AND NOT b.is_resolved;
COMMENT ON VIEW route_deviations IS
    'Departures from planned routes that were warned of; ended_at is null while one goes on, and greatest_meters then that at the warning.';

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
    UNION ALL
    SELECT 'trip_warnings', count(*),
        count(*) - count(DISTINCT (w.event_is_trip, w.kafka_partition, w.event_offset, w.event_part))
    FROM trip_warnings w WHERE w.received_at >= from_time AND w.received_at < to_time
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
        GRANT INSERT ON location_history, location_warnings, trip_events, eta_history, trip_warnings, sink_progress
            TO sightline_worker;
        REVOKE SELECT ON location_warnings, trip_events, trip_warnings FROM sightline_worker;
        REVOKE ALL ON FUNCTION maintain_history_partitions_unbounded(text, integer, integer) FROM sightline_worker;
        GRANT UPDATE ON sink_progress TO sightline_worker;
        GRANT EXECUTE ON FUNCTION ensure_history_partitions(date[]),
            maintain_history_partitions(text, integer, integer) TO sightline_worker;
    END IF;
    IF 'sightline_reader' = ANY (granted) THEN
        GRANT SELECT ON location_warnings, trip_events, trip_warnings, route_deviations TO sightline_reader;
    END IF;
    RETURN granted;
END
$$;

SELECT grant_history_roles();

-- Of all judged positions, as in migration 9. A trip that another driver took over has the way of the driver who has it
-- now, from the time at which that driver took it.
CREATE OR REPLACE FUNCTION trip_points(trip text, driving_only boolean DEFAULT false) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
    span record;
BEGIN
    SELECT e.driver_id AS driver,
        min(e.computed_at) FILTER (WHERE NOT driving_only OR e.state = 'IN_PROGRESS') AS started,
        coalesce(min(e.computed_at) FILTER (WHERE e.state IN ('COMPLETED', 'CANCELLED')), now()) AS ended
    INTO span FROM trip_events e
    WHERE e.trip_id = trip AND e.driver_id = (
        -- The end with the driver before may be told after the beginning with the next one.
        SELECT l.driver_id FROM trip_events l WHERE l.trip_id = trip
        ORDER BY l.state = 'CANCELLED', l.computed_at DESC, l.event_offset DESC LIMIT 1)
    GROUP BY e.driver_id;
    IF span.started IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT h.fixed_at, h.latitude, h.longitude, h.heading, h.speed_mps, h.accuracy_meters
    FROM location_history h
    WHERE h.driver_id = span.driver AND h.latitude IS NOT NULL
        AND h.fixed_at >= span.started AND h.fixed_at <= span.ended
        AND h.received_at >= span.started - interval '10 minutes'
        AND (h.trip_id = trip OR h.trip_id IS NULL)
    ORDER BY h.fixed_at, h.event_offset, h.event_part;
END
$$;

COMMENT ON FUNCTION trip_points(text, boolean) IS
    'The judged positions of a trip''s driver during it, from its first event to its end or only while in progress.';
