-- Functions and views for queries: the names and columns that `sightline history` uses.

CREATE FUNCTION event_id(is_trip boolean, kafka_partition integer, event_offset bigint, event_part bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN is_trip THEN 't' ELSE '' END || kafka_partition || '-' || event_offset
        || CASE WHEN event_part >> 48 & 65535 > 0 THEN '.' || ((event_part >> 48 & 65535) - 1) ELSE '' END
        || CASE WHEN event_part >> 8 & 1099511627775 > 0 THEN '+' || (event_part >> 8 & 1099511627775) ELSE '' END
        || CASE WHEN event_part & 255 > 0 THEN '/' || (event_part & 255) ELSE '' END
$$;
COMMENT ON FUNCTION event_id(boolean, integer, bigint, bigint) IS
    'Formats an event id as topics and logs write it: partition-offset, then .fix, +punctuation and /message if needed.';

CREATE FUNCTION distance_meters(
    from_latitude double precision, from_longitude double precision,
    to_latitude double precision, to_longitude double precision
) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT AS $$
    SELECT 2 * 6371008.8 * asin(least(1, sqrt(
        sin(radians(to_latitude - from_latitude) / 2) ^ 2
        + cos(radians(from_latitude)) * cos(radians(to_latitude))
            * sin(radians(to_longitude - from_longitude) / 2) ^ 2)))
$$;
COMMENT ON FUNCTION distance_meters(double precision, double precision, double precision, double precision) IS
    'Great-circle distance in metres on the sphere of the mean radius (haversine).';

-- driver_position_at and trip_points read positions by this function. Conditions on location_history are repeated for
-- smoothed_locations, because Postgres does not derive them from the join.
CREATE FUNCTION evaluated_positions(
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
COMMENT ON FUNCTION evaluated_positions(text, timestamptz, timestamptz, timestamptz, timestamptz) IS
    'Positions of a driver''s evaluated fixes within bounds; smoothed with later fixes where available.';

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
    'Positions of a driver''s evaluated fixes; smoothed with later fixes where is_smoothed. With all_verdicts also the other fixes, as reported by the device.';

CREATE FUNCTION driver_position_at(
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
    FROM evaluated_positions(
        driver, before_at, before_at, at_time - lookback - interval '10 minutes', 'infinity') p LIMIT 1;
    SELECT p.* INTO after_it FROM (
        SELECT h.fixed_at FROM location_history h
        WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at > at_time
            AND h.fixed_at <= before_at + longest_gap AND h.received_at >= at_time - interval '10 minutes'
        ORDER BY h.fixed_at LIMIT 1) n,
        evaluated_positions(driver, n.fixed_at, n.fixed_at, at_time - interval '10 minutes', 'infinity') p LIMIT 1;
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
COMMENT ON FUNCTION driver_position_at(text, timestamptz, interval, interval) IS
    'Position of a driver at a time: interpolated between two fixes, or across a gap over longest_gap the last one with its age.';

-- Selects fixes whose position in the verdict is within radius_meters plus 1 km, then measures by smoothed positions,
-- because joining all smoothed positions of a period would be slow.
CREATE FUNCTION drivers_near(
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
            -- A bounding box first, because two comparisons cost less than six trigonometric functions.
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
COMMENT ON FUNCTION drivers_near(
    double precision, double precision, double precision, timestamptz, timestamptz, interval) IS
    'Drivers within radius_meters of a point, by evaluated fixes received at most `lateness` after the period.';

CREATE FUNCTION trip_drivers_by_fixes(trip text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL)
RETURNS TABLE (driver_id text, fixes bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.driver_id, count(*)
    FROM location_history h
    WHERE h.trip_id = trip AND h.latitude IS NOT NULL
        AND h.received_at >= coalesce(from_time, now() - interval '24 hours')
        AND h.received_at < coalesce(to_time, 'infinity')
    GROUP BY h.driver_id
    ORDER BY count(*) DESC, h.driver_id
$$;
COMMENT ON FUNCTION trip_drivers_by_fixes(text, timestamptz, timestamptz) IS
    'Drivers whose evaluated fixes, received in the period (default: last 24 hours), have the trip''s id; most fixes first. Reads all fixes of the period.';

CREATE FUNCTION trip_points(
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
        -- The trip's end with the previous driver may be received after its start with the next driver.
        SELECT l.driver_id FROM trip_events l WHERE l.trip_id = trip
        ORDER BY l.state = 'CANCELLED', l.computed_at DESC, l.event_offset DESC LIMIT 1)
    GROUP BY e.driver_id;
    IF span.started IS NOT NULL THEN
        RETURN QUERY
        SELECT p.fixed_at, p.latitude, p.longitude, p.heading, p.speed_mps, p.accuracy_meters
        FROM evaluated_positions(
            span.driver, span.started, span.ended, span.started - interval '10 minutes', 'infinity') p
        WHERE p.trip_id = trip OR p.trip_id IS NULL
        ORDER BY p.fixed_at, p.event_offset, p.event_part;
    ELSIF span.driver IS NULL AND NOT driving_only THEN
        SELECT d.driver_id INTO by_fixes FROM trip_drivers_by_fixes(trip, from_time, to_time) d LIMIT 1;
        RETURN QUERY
        SELECT p.fixed_at, p.latitude, p.longitude, p.heading, p.speed_mps, p.accuracy_meters
        FROM evaluated_positions(
            by_fixes, '-infinity', 'infinity', coalesce(from_time, now() - interval '24 hours'),
            coalesce(to_time, 'infinity')) p
        WHERE p.trip_id = trip
        ORDER BY p.fixed_at, p.event_offset, p.event_part;
    END IF;
END
$$;
COMMENT ON FUNCTION trip_points(text, boolean, timestamptz, timestamptz) IS
    'Evaluated positions of a trip''s driver during the trip, from its first event to its end, or only while in progress. For a trip without events: of the driver with the most fixes that have its id, received in the period (default: last 24 hours).';

-- Cuts a line at the antimeridian (RFC 7946, 3.1.9), because it would otherwise be drawn around the world.
CREATE FUNCTION trip_path(
    trip text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH steps AS (
        SELECT row_number() OVER w AS n, p.longitude AS lon, p.latitude AS lat,
            lag(p.longitude) OVER w AS last_lon, lag(p.latitude) OVER w AS last_lat
        FROM trip_points(trip, false, from_time, to_time) p
        WINDOW w AS (ORDER BY p.fixed_at)
    ), cuts AS (
        SELECT *, coalesce(abs(lon - last_lon) > 180, false) AS is_cut,
            -- Latitude at which the step crosses the antimeridian; both ends may be on it.
            last_lat + (lat - last_lat) * coalesce(
                (180 - abs(last_lon)) / nullif(360 - abs(last_lon) - abs(lon), 0), 0) AS cut_lat
        FROM steps
    ), parts AS (
        SELECT *, count(*) FILTER (WHERE is_cut) OVER (ORDER BY n) AS part FROM cuts
    ), points AS (
        SELECT part, n, 2 AS rank, lon, lat FROM parts
        UNION ALL SELECT part - 1, n, 0, 180 * sign(last_lon), cut_lat FROM parts WHERE is_cut
        UNION ALL SELECT part, n, 1, 180 * sign(lon), cut_lat FROM parts WHERE is_cut
    ), lines AS (
        SELECT part, jsonb_agg(
            jsonb_build_array(round(lon::numeric, 7), round(lat::numeric, 7)) ORDER BY n, rank) AS line
        FROM points GROUP BY part
    )
    SELECT CASE
        WHEN (SELECT count(*) FROM steps) < 2 THEN NULL
        WHEN count(*) = 1 THEN jsonb_build_object('type', 'LineString', 'coordinates', jsonb_agg(line) -> 0)
        ELSE jsonb_build_object('type', 'MultiLineString', 'coordinates', jsonb_agg(line ORDER BY part))
    END
    FROM lines
$$;
COMMENT ON FUNCTION trip_path(text, timestamptz, timestamptz) IS
    'Path of a trip as a GeoJSON LineString, or a MultiLineString cut at the antimeridian; null with fewer than two positions. A trip without events is searched among the fixes of the period (default: last 24 hours).';

CREATE FUNCTION trip_distance(trip text) RETURNS TABLE (
    trip_id text, driver_id text, state text, driven_meters double precision, planned_meters double precision,
    ratio double precision, long_route boolean, source text, snapped_meters double precision,
    distance_inflation boolean
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH last_event AS (
        SELECT e.* FROM trip_events e WHERE e.trip_id = trip ORDER BY e.computed_at DESC, e.event_offset DESC LIMIT 1
    ), driven AS (
        SELECT sum(distance_meters(s.before_latitude, s.before_longitude, s.latitude, s.longitude)) AS meters
        FROM (
            SELECT p.latitude, p.longitude, lag(p.latitude) OVER w AS before_latitude,
                lag(p.longitude) OVER w AS before_longitude
            FROM trip_points(trip, true) p WINDOW w AS (ORDER BY p.fixed_at)
        ) s
    ), both_ways AS (
        SELECT e.trip_id, e.driver_id, e.state, coalesce(e.driven_meters, d.meters) AS driven, e.planned_meters AS planned,
            CASE WHEN e.driven_meters IS NOT NULL THEN 'pipeline' ELSE 'history' END AS source,
            e.snapped_meters AS snapped, e.is_distance_inflated AS inflated
        FROM last_event e LEFT JOIN driven d ON e.driven_meters IS NULL
    )
    SELECT b.trip_id, b.driver_id, b.state, b.driven, b.planned, b.driven / nullif(b.planned, 0),
        coalesce(b.driven > 1.3 * b.planned AND b.driven - b.planned > 500, false), b.source, b.snapped, b.inflated
    FROM both_ways b
$$;
COMMENT ON FUNCTION trip_distance(text) IS
    'Driven and planned distance in metres; long_route if over 1.3 times and 500 m more. source: pipeline (sum at the end of the trip, from the positions known then) or history (evaluated positions while in progress, smoothed with later fixes). snapped_meters and distance_inflation come from the pipeline.';

CREATE FUNCTION eta_accuracy(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    horizon text, predictions bigint, bias_seconds double precision, mae_seconds double precision,
    p50_seconds double precision, p90_seconds double precision, interval_coverage double precision,
    interval_seconds double precision, within_benchmark double precision
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH passed AS (
        SELECT e.trip_id, e.stop_id, min(e.arrives_at) AS arrived_at FROM eta_history e
        WHERE e.is_passed AND e.computed_at >= from_time AND e.computed_at < to_time + interval '2 hours'
        GROUP BY e.trip_id, e.stop_id
    ), changed AS (
        SELECT t.trip_id, CASE t.state WHEN 'ARRIVED' THEN 'pickup' ELSE 'dropoff' END AS stop_kind,
            min(t.changed_at) AS arrived_at
        FROM trip_events t
        WHERE t.state IN ('ARRIVED', 'COMPLETED') AND t.computed_at >= from_time
            AND t.computed_at < to_time + interval '2 hours'
        GROUP BY 1, 2
    ), kept AS (
        SELECT e.seconds, e.min_seconds, e.max_seconds,
            extract(epoch FROM coalesce(p.arrived_at, c.arrived_at) - e.computed_at)::double precision AS real_seconds
        FROM eta_history e
        LEFT JOIN passed p ON p.trip_id = e.trip_id AND p.stop_id = e.stop_id
        LEFT JOIN changed c ON c.trip_id = e.trip_id AND c.stop_kind = e.stop_kind
        WHERE NOT e.is_passed AND e.computed_at >= from_time AND e.computed_at < to_time AND e.seconds IS NOT NULL
            AND coalesce(p.arrived_at, c.arrived_at) >= e.computed_at
    ), bands (horizon, low, high, earliest, latest) AS (
        VALUES ('0-3 min', 0, 180, -30, 90), ('3-6 min', 180, 360, -60, 150), ('6-10 min', 360, 600, -60, 210),
            ('10-15 min', 600, 900, -90, 270), ('15-30 min', 900, 1800, NULL, NULL)
    )
    SELECT b.horizon, count(k.seconds), avg(k.real_seconds - k.seconds), avg(abs(k.real_seconds - k.seconds)),
        percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(k.real_seconds - k.seconds)),
        percentile_cont(0.9) WITHIN GROUP (ORDER BY abs(k.real_seconds - k.seconds)),
        avg((k.real_seconds BETWEEN k.min_seconds AND k.max_seconds)::integer)::double precision,
        avg(k.max_seconds - k.min_seconds)::double precision,
        avg((k.real_seconds - k.seconds BETWEEN b.earliest AND b.latest)::integer)::double precision
    FROM bands b LEFT JOIN kept k ON k.seconds >= b.low AND k.seconds < b.high
    GROUP BY b.horizon, b.low ORDER BY b.low
$$;
COMMENT ON FUNCTION eta_accuracy(timestamptz, timestamptz) IS
    'Accuracy of the ETA predictions made in a period, by prediction horizon. Errors are positive if the vehicle came later than predicted; within_benchmark is the share within the bands of the ETA Accuracy Benchmark.';

CREATE FUNCTION warning_summary(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    warning_code text, action text, warnings bigint, drivers bigint, first_at timestamptz, last_at timestamptz,
    highest_risk real
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT w.warning_code, w.action, count(*), count(DISTINCT w.driver_id), min(w.received_at), max(w.received_at),
        max(w.risk)
    FROM location_warnings w WHERE w.received_at >= from_time AND w.received_at < to_time
    GROUP BY w.warning_code, w.action ORDER BY count(*) DESC, w.warning_code, w.action
$$;
COMMENT ON FUNCTION warning_summary(timestamptz, timestamptz) IS
    'Number of warnings of a period by code and action.';

CREATE FUNCTION history_duplicates(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    table_name text, rows bigint, duplicates bigint
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
COMMENT ON FUNCTION history_duplicates(timestamptz, timestamptz) IS
    'Number of rows of a period whose event is already in another row; 0 if every event was written once.';

CREATE VIEW route_deviations AS
SELECT b.trip_id, b.driver_id, b.began_at, e.ended_at, extract(epoch FROM e.ended_at - b.began_at)::double precision AS seconds,
    coalesce(e.greatest_meters, b.greatest_meters) AS greatest_meters, e.ended_by, b.received_at AS warned_at,
    b.latitude, b.longitude
FROM trip_warnings b LEFT JOIN trip_warnings e
    ON e.trip_id = b.trip_id AND e.driver_id = b.driver_id AND e.warning_code = b.warning_code
        AND e.began_at = b.began_at AND e.is_resolved
WHERE b.warning_code = 'ROUTE_DEVIATION' AND NOT b.is_resolved;
COMMENT ON VIEW route_deviations IS
    'Warned departures from planned routes. While one continues, ended_at is null and greatest_meters that of the warning.';

-- The latest warning is found by the order of events, not of time, because receipt times may decrease. Readers of
-- location_warnings may read the view.
CREATE VIEW open_warnings WITH (security_invoker = true) AS
SELECT w.driver_id, w.warning_code, w.action, w.received_at, w.risk, w.message,
    event_id(false, w.kafka_partition, w.event_offset, w.event_part) AS event
FROM (
    SELECT DISTINCT ON (l.driver_id, l.warning_code) l.*
    FROM location_warnings l
    ORDER BY l.driver_id, l.warning_code, l.event_offset DESC, l.event_part DESC
) w
WHERE w.action <> 'RESOLVED';
COMMENT ON VIEW open_warnings IS
    'Latest warning of each driver and code, unless resolved; received_at is when it began or changed its action.';
GRANT SELECT ON open_warnings TO PUBLIC;
