-- Where vehicles were, by the fixes after a moment too. The rows of location_history say what was known at the time, and are
-- written at once; these come 15 to 30 s later, when the partition's later records do, and where nothing follows, never.
-- The questions of where a vehicle was take these positions, and those of the verdicts where there are none.

CREATE TABLE smoothed_locations (
    received_at     timestamptz      NOT NULL,
    fixed_at        timestamptz      NOT NULL,
    event_offset    bigint           NOT NULL,
    event_part      bigint           NOT NULL,
    latitude        double precision NOT NULL,
    longitude       double precision NOT NULL,
    kafka_partition integer          NOT NULL,
    heading         real,
    speed_mps       real             NOT NULL,
    accuracy_meters real             NOT NULL,
    driver_id       text             NOT NULL
) PARTITION BY RANGE (received_at);

CREATE INDEX smoothed_locations_driver ON smoothed_locations (driver_id, fixed_at);
CREATE INDEX smoothed_locations_received ON smoothed_locations USING brin (received_at);
CREATE TABLE smoothed_locations_default PARTITION OF smoothed_locations DEFAULT;

COMMENT ON TABLE smoothed_locations IS
    'Where a vehicle was at a judged fix, by the fixes up to it and those of the 15 to 30 s after it; written when they have come.';
COMMENT ON COLUMN smoothed_locations.received_at IS
    'As in location_history, like fixed_at, driver_id and the event; the partition key.';
COMMENT ON COLUMN smoothed_locations.latitude IS 'WGS84 degrees.';
COMMENT ON COLUMN smoothed_locations.heading IS
    'Degrees clockwise from north, [0, 360); null before the vehicle ever moved.';
COMMENT ON COLUMN smoothed_locations.accuracy_meters IS '68 % of the errors are below this.';

ALTER TABLE sink_progress ADD COLUMN smoothing_offset bigint, ADD COLUMN smoothed_event text;
COMMENT ON COLUMN sink_progress.smoothing_offset IS
    'Offset from which driver.locations is read again for fixes that wait for later ones; null where none wait.';
COMMENT ON COLUMN sink_progress.smoothed_event IS
    'Event id of the last fix that was smoothed; none up to it gets another row in smoothed_locations.';

-- In the order in which a write goes through them.
CREATE OR REPLACE FUNCTION history_tables() RETURNS TABLE (table_name text, time_column text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    VALUES ('location_history', 'received_at'), ('smoothed_locations', 'received_at'),
           ('location_warnings', 'received_at'), ('trip_events', 'computed_at'), ('eta_history', 'computed_at'),
           ('trip_warnings', 'received_at')
$$;

-- What bounds location_history bounds smoothed_locations as well: a condition on one is not passed on to the other.
DROP FUNCTION driver_track(text, timestamptz, timestamptz, boolean);
CREATE FUNCTION driver_track(
    driver text, from_time timestamptz, to_time timestamptz, all_verdicts boolean DEFAULT false
) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real, verdict location_verdict, reasons text[], trip_id text, received_at timestamptz, event text,
    is_smoothed boolean
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.fixed_at, coalesce(s.latitude, h.latitude, h.raw_latitude),
        coalesce(s.longitude, h.longitude, h.raw_longitude), coalesce(s.heading, h.heading, h.raw_heading),
        coalesce(s.speed_mps, h.speed_mps, h.raw_speed_mps),
        coalesce(s.accuracy_meters, h.accuracy_meters, h.raw_accuracy_meters), h.verdict, h.reasons, h.trip_id,
        h.received_at, event_id(false, h.kafka_partition, h.event_offset, h.event_part), s.driver_id IS NOT NULL
    FROM location_history h LEFT JOIN smoothed_locations s
        ON s.driver_id = h.driver_id AND s.fixed_at = h.fixed_at AND s.received_at = h.received_at
            AND s.event_offset = h.event_offset AND s.event_part = h.event_part
            AND s.kafka_partition = h.kafka_partition
            AND s.driver_id = driver AND s.fixed_at >= from_time AND s.fixed_at < to_time
            AND s.received_at >= from_time - interval '10 minutes'
    WHERE h.driver_id = driver AND h.fixed_at >= from_time AND h.fixed_at < to_time
        AND h.received_at >= from_time - interval '10 minutes'
        AND (all_verdicts OR h.latitude IS NOT NULL)
    ORDER BY h.fixed_at, h.event_offset, h.event_part
$$;
COMMENT ON FUNCTION driver_track(text, timestamptz, timestamptz, boolean) IS
    'Where a driver was, fix by fix: judged positions, by later fixes too where is_smoothed; or with all_verdicts also what was not believed, as reported.';

-- The positions of a driver's judged fixes within bounds; what the questions below are made of.
CREATE FUNCTION judged_positions(
    driver text, from_time timestamptz, to_time timestamptz, received_from timestamptz, received_to timestamptz
) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real, trip_id text, event_offset bigint, event_part bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.fixed_at, coalesce(s.latitude, h.latitude), coalesce(s.longitude, h.longitude),
        coalesce(s.heading, h.heading, h.raw_heading), coalesce(s.speed_mps, h.speed_mps, h.raw_speed_mps),
        coalesce(s.accuracy_meters, h.accuracy_meters), h.trip_id, h.event_offset, h.event_part
    FROM location_history h LEFT JOIN smoothed_locations s
        ON s.driver_id = h.driver_id AND s.fixed_at = h.fixed_at AND s.received_at = h.received_at
            AND s.event_offset = h.event_offset AND s.event_part = h.event_part
            AND s.kafka_partition = h.kafka_partition
            AND s.driver_id = driver AND s.fixed_at >= from_time AND s.fixed_at <= to_time
            AND s.received_at >= received_from AND s.received_at < received_to
    WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at >= from_time AND h.fixed_at <= to_time
        AND h.received_at >= received_from AND h.received_at < received_to
$$;
COMMENT ON FUNCTION judged_positions(text, timestamptz, timestamptz, timestamptz, timestamptz) IS
    'The judged positions of a driver with fixes and receipts within bounds, by later fixes too where those have come.';

CREATE OR REPLACE FUNCTION trip_points(
    trip text, driving_only boolean DEFAULT false, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL
) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
    span record;
    by_fixes text;
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
    IF span.started IS NOT NULL THEN
        RETURN QUERY
        SELECT p.fixed_at, p.latitude, p.longitude, p.heading, p.speed_mps, p.accuracy_meters
        FROM judged_positions(
            span.driver, span.started, span.ended, span.started - interval '10 minutes', 'infinity') p
        WHERE p.trip_id = trip OR p.trip_id IS NULL
        ORDER BY p.fixed_at, p.event_offset, p.event_part;
    ELSIF span.driver IS NULL AND NOT driving_only THEN
        SELECT d.driver_id INTO by_fixes FROM trip_drivers_by_fixes(trip, from_time, to_time) d LIMIT 1;
        RETURN QUERY
        SELECT p.fixed_at, p.latitude, p.longitude, p.heading, p.speed_mps, p.accuracy_meters
        FROM judged_positions(
            by_fixes, '-infinity', 'infinity', coalesce(from_time, now() - interval '24 hours'),
            coalesce(to_time, 'infinity')) p
        WHERE p.trip_id = trip
        ORDER BY p.fixed_at, p.event_offset, p.event_part;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION driver_position_at(
    driver text, at_time timestamptz, lookback interval DEFAULT interval '1 day',
    longest_gap interval DEFAULT interval '1 minute'
) RETURNS TABLE (
    latitude double precision, longitude double precision, heading real, speed_mps real, accuracy_meters real,
    fixed_at timestamptz, age_seconds double precision, is_interpolated boolean, trip_id text
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
    before_at timestamptz;
    before_it record;
    after_it record;
    share double precision := 0;
    eastward double precision;
BEGIN
    SELECT h.fixed_at INTO before_at FROM location_history h
    WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at <= at_time
        AND h.fixed_at > at_time - lookback AND h.received_at >= at_time - lookback - interval '10 minutes'
    ORDER BY h.fixed_at DESC LIMIT 1;
    IF before_at IS NULL THEN
        RETURN;
    END IF;
    SELECT p.* INTO before_it
    FROM judged_positions(
        driver, before_at, before_at, at_time - lookback - interval '10 minutes', 'infinity') p LIMIT 1;
    SELECT p.* INTO after_it FROM (
        SELECT h.fixed_at FROM location_history h
        WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at > at_time
            AND h.fixed_at <= before_at + longest_gap AND h.received_at >= at_time - interval '10 minutes'
        ORDER BY h.fixed_at LIMIT 1) n,
        judged_positions(driver, n.fixed_at, n.fixed_at, at_time - interval '10 minutes', 'infinity') p LIMIT 1;
    IF after_it.fixed_at IS NOT NULL THEN
        share := extract(epoch FROM at_time - before_it.fixed_at)
            / extract(epoch FROM after_it.fixed_at - before_it.fixed_at);
    END IF;
    eastward := coalesce(after_it.longitude - before_it.longitude, 0);
    eastward := eastward - 360 * round(eastward / 360);
    latitude := before_it.latitude + share * coalesce(after_it.latitude - before_it.latitude, 0);
    longitude := before_it.longitude + share * eastward;
    longitude := longitude - 360 * round(longitude / 360);
    heading := before_it.heading;
    speed_mps := before_it.speed_mps;
    accuracy_meters := before_it.accuracy_meters;
    fixed_at := before_it.fixed_at;
    age_seconds := extract(epoch FROM at_time - before_it.fixed_at);
    is_interpolated := share > 0;
    trip_id := before_it.trip_id;
    RETURN NEXT;
END
$$;

-- Found by the verdicts' positions within another kilometre, measured by the smoothed ones: all of a period are many.
CREATE OR REPLACE FUNCTION drivers_near(
    near_latitude double precision, near_longitude double precision, radius_meters double precision,
    from_time timestamptz, to_time timestamptz, lateness interval DEFAULT interval '10 minutes'
) RETURNS TABLE (
    driver_id text, closest_meters double precision, closest_at timestamptz, fixes bigint, first_at timestamptz,
    last_at timestamptz
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT n.driver_id, min(n.meters), (array_agg(n.fixed_at ORDER BY n.meters, n.fixed_at))[1], count(*),
        min(n.fixed_at), max(n.fixed_at)
    FROM (
        SELECT h.driver_id, h.fixed_at,
            distance_meters(near_latitude, near_longitude, coalesce(s.latitude, h.latitude),
                coalesce(s.longitude, h.longitude)) AS meters
        FROM location_history h LEFT JOIN smoothed_locations s
            ON s.driver_id = h.driver_id AND s.fixed_at = h.fixed_at AND s.received_at = h.received_at
                AND s.event_offset = h.event_offset AND s.event_part = h.event_part
                AND s.kafka_partition = h.kafka_partition
                AND s.fixed_at >= from_time AND s.fixed_at < to_time
                AND s.received_at >= from_time - interval '10 minutes' AND s.received_at < to_time + lateness
        WHERE h.latitude IS NOT NULL AND h.fixed_at >= from_time AND h.fixed_at < to_time
            AND h.received_at >= from_time - interval '10 minutes' AND h.received_at < to_time + lateness
            -- A box around the circle first: two comparisons, against six trigonometric functions.
            AND h.latitude BETWEEN near_latitude - degrees((radius_meters + 1000) / 6371008.8)
                AND near_latitude + degrees((radius_meters + 1000) / 6371008.8)
            AND abs(h.longitude - near_longitude - 360 * round((h.longitude - near_longitude) / 360))
                <= degrees((radius_meters + 1000) / 6371008.8) / greatest(1e-6,
                    cos(radians(least(90, abs(near_latitude) + degrees((radius_meters + 1000) / 6371008.8)))))
    ) n
    WHERE n.meters <= radius_meters
    GROUP BY n.driver_id
    ORDER BY min(n.meters), n.driver_id
$$;

COMMENT ON FUNCTION trip_distance(text) IS
    'Metres driven against metres planned; long_route when over 1.3 times and 500 m more. Source: the pipeline''s sum at the trip''s end, of the positions known at the time; or before it the judged positions while in progress, by later fixes too. snapped_meters and distance_inflation are the pipeline''s.';

CREATE OR REPLACE FUNCTION history_duplicates(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    table_name text, rows bigint, doubled bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT 'location_history', count(*), count(*) - count(DISTINCT (h.kafka_partition, h.event_offset, h.event_part))
    FROM location_history h WHERE h.received_at >= from_time AND h.received_at < to_time
    UNION ALL
    SELECT 'smoothed_locations', count(*),
        count(*) - count(DISTINCT (s.kafka_partition, s.event_offset, s.event_part))
    FROM smoothed_locations s WHERE s.received_at >= from_time AND s.received_at < to_time
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
        GRANT INSERT ON location_history, smoothed_locations, location_warnings, trip_events, eta_history,
            trip_warnings, sink_progress TO sightline_worker;
        REVOKE SELECT ON location_warnings, trip_events, trip_warnings FROM sightline_worker;
        REVOKE ALL ON FUNCTION maintain_history_partitions_unbounded(text, integer, integer) FROM sightline_worker;
        GRANT UPDATE ON sink_progress TO sightline_worker;
        GRANT EXECUTE ON FUNCTION ensure_history_partitions(date[]),
            maintain_history_partitions(text, integer, integer) TO sightline_worker;
    END IF;
    IF 'sightline_reader' = ANY (granted) THEN
        GRANT SELECT ON smoothed_locations, location_warnings, trip_events, trip_warnings, route_deviations
            TO sightline_reader;
    END IF;
    RETURN granted;
END
$$;

SELECT grant_history_roles();
