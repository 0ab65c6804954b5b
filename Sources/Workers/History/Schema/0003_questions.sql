-- What people ask of history. Times are [from, to). Every function finds its rows by an index and, by the bounds it puts
-- on the time of receipt, in few partitions.

CREATE FUNCTION event_id(is_trip boolean, lane integer, event_offset bigint, event_part bigint) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN is_trip THEN 't' ELSE '' END || lane || '-' || event_offset
        || CASE WHEN event_part >> 48 & 65535 > 0 THEN '.' || ((event_part >> 48 & 65535) - 1) ELSE '' END
        || CASE WHEN event_part >> 8 & 1099511627775 > 0 THEN '+' || (event_part >> 8 & 1099511627775) ELSE '' END
        || CASE WHEN event_part & 255 > 0 THEN '/' || (event_part & 255) ELSE '' END
$$;
COMMENT ON FUNCTION event_id(boolean, integer, bigint, bigint) IS
    'An event id as topics and logs write it: lane-offset, then .fix, +tick and /message where there are several.';

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

CREATE FUNCTION driver_track(
    driver text, from_time timestamptz, to_time timestamptz, all_verdicts boolean DEFAULT false
) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real, verdict location_verdict, reasons text[], trip_id text, received_at timestamptz, event text
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT h.fixed_at, coalesce(h.latitude, h.raw_latitude), coalesce(h.longitude, h.raw_longitude),
        coalesce(h.heading, h.raw_heading), coalesce(h.speed_mps, h.raw_speed_mps),
        coalesce(h.accuracy_meters, h.raw_accuracy_meters), h.verdict, h.reasons, h.trip_id, h.received_at,
        event_id(false, h.lane, h.event_offset, h.event_part)
    FROM location_history h
    WHERE h.driver_id = driver AND h.fixed_at >= from_time AND h.fixed_at < to_time
        AND h.received_at >= from_time - interval '10 minutes'
        AND (all_verdicts OR h.verdict = 'accepted')
    ORDER BY h.fixed_at, h.event_offset, h.event_part
$$;
COMMENT ON FUNCTION driver_track(text, timestamptz, timestamptz, boolean) IS
    'Where a driver was, fix by fix: smoothed positions, or with all_verdicts also what was not believed, as reported.';

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
    before_it record;
    after_it record;
    share double precision := 0;
    eastward double precision;
BEGIN
    SELECT h.* INTO before_it FROM location_history h
    WHERE h.driver_id = driver AND h.verdict = 'accepted' AND h.fixed_at <= at_time
        AND h.fixed_at > at_time - lookback AND h.received_at >= at_time - lookback - interval '10 minutes'
    ORDER BY h.fixed_at DESC LIMIT 1;
    IF before_it.driver_id IS NULL THEN
        RETURN;
    END IF;
    SELECT h.* INTO after_it FROM location_history h
    WHERE h.driver_id = driver AND h.verdict = 'accepted' AND h.fixed_at > at_time
        AND h.fixed_at <= before_it.fixed_at + longest_gap AND h.received_at >= at_time - interval '10 minutes'
    ORDER BY h.fixed_at LIMIT 1;
    IF after_it.driver_id IS NOT NULL THEN
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
    'Where a driver was at one moment: between the fixes around it, or, over a gap, at the last one with its age.';

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
            distance_meters(near_latitude, near_longitude, h.latitude, h.longitude) AS meters
        FROM location_history h
        WHERE h.verdict = 'accepted' AND h.fixed_at >= from_time AND h.fixed_at < to_time
            AND h.received_at >= from_time - interval '10 minutes' AND h.received_at < to_time + lateness
            -- A box around the circle first: two comparisons, against six trigonometric functions.
            AND h.latitude BETWEEN near_latitude - degrees(radius_meters / 6371008.8)
                AND near_latitude + degrees(radius_meters / 6371008.8)
            AND abs(h.longitude - near_longitude - 360 * round((h.longitude - near_longitude) / 360))
                <= degrees(radius_meters / 6371008.8) / greatest(1e-6,
                    cos(radians(least(90, abs(near_latitude) + degrees(radius_meters / 6371008.8)))))
    ) n
    WHERE n.meters <= radius_meters
    GROUP BY n.driver_id
    ORDER BY min(n.meters), n.driver_id
$$;
COMMENT ON FUNCTION drivers_near(
    double precision, double precision, double precision, timestamptz, timestamptz, interval) IS
    'Who was within radius_meters of a point, by accepted fixes received at most `lateness` after the period.';

CREATE FUNCTION trip_points(trip text, driving_only boolean DEFAULT false) RETURNS TABLE (
    fixed_at timestamptz, latitude double precision, longitude double precision, heading real, speed_mps real,
    accuracy_meters real
)
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
#variable_conflict use_column
DECLARE
    span record;
BEGIN
    SELECT (array_agg(e.driver_id ORDER BY e.computed_at DESC))[1] AS driver,
        min(e.computed_at) FILTER (WHERE NOT driving_only OR e.state = 'IN_PROGRESS') AS started,
        coalesce(min(e.computed_at) FILTER (WHERE e.state IN ('COMPLETED', 'CANCELLED')), now()) AS ended
    INTO span FROM trip_events e WHERE e.trip_id = trip;
    IF span.started IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT h.fixed_at, h.latitude, h.longitude, h.heading, h.speed_mps, h.accuracy_meters
    FROM location_history h
    WHERE h.driver_id = span.driver AND h.verdict = 'accepted'
        AND h.fixed_at >= span.started AND h.fixed_at <= span.ended
        AND h.received_at >= span.started - interval '10 minutes'
        AND (h.trip_id = trip OR h.trip_id IS NULL)
    ORDER BY h.fixed_at, h.event_offset, h.event_part;
END
$$;
COMMENT ON FUNCTION trip_points(text, boolean) IS
    'The accepted positions of a trip''s driver during it, from its first event to its end or only while in progress.';

CREATE FUNCTION trip_path(trip text) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN count(*) >= 2 THEN jsonb_build_object('type', 'LineString', 'coordinates', jsonb_agg(
        jsonb_build_array(round(p.longitude::numeric, 7), round(p.latitude::numeric, 7)) ORDER BY p.fixed_at)) END
    FROM trip_points(trip) p
$$;
COMMENT ON FUNCTION trip_path(text) IS 'The way a trip took, as a GeoJSON LineString; null with fewer than two positions.';

CREATE FUNCTION trip_distance(trip text) RETURNS TABLE (
    trip_id text, driver_id text, state text, driven_meters double precision, planned_meters double precision,
    ratio double precision, long_route boolean, source text
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
            CASE WHEN e.driven_meters IS NOT NULL THEN 'pipeline' ELSE 'history' END AS source
        FROM last_event e LEFT JOIN driven d ON e.driven_meters IS NULL
    )
    SELECT b.trip_id, b.driver_id, b.state, b.driven, b.planned, b.driven / nullif(b.planned, 0),
        coalesce(b.driven > 1.3 * b.planned AND b.driven - b.planned > 500, false), b.source
    FROM both_ways b
$$;
COMMENT ON FUNCTION trip_distance(text) IS
    'Metres driven against metres planned; long_route when over 1.3 times and 500 m more. Source: the pipeline''s sum at the trip''s end, or before it the accepted positions while in progress.';

CREATE FUNCTION eta_accuracy(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    horizon text, promises bigint, bias_seconds double precision, mae_seconds double precision,
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
    'How good the promises made in a period were, by how far ahead they were made. Errors are positive when the vehicle came later than promised; within_benchmark is the share inside the ETA Accuracy Benchmark''s bands.';

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
COMMENT ON FUNCTION warning_summary(timestamptz, timestamptz) IS 'Warnings of a period by code and action.';

CREATE FUNCTION history_duplicates(from_time timestamptz, to_time timestamptz) RETURNS TABLE (
    table_name text, rows bigint, doubled bigint
)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT 'location_history', count(*), count(*) - count(DISTINCT (h.lane, h.event_offset, h.event_part))
    FROM location_history h WHERE h.received_at >= from_time AND h.received_at < to_time
    UNION ALL
    SELECT 'location_warnings', count(*), count(*) - count(DISTINCT (w.lane, w.event_offset, w.event_part))
    FROM location_warnings w WHERE w.received_at >= from_time AND w.received_at < to_time
    UNION ALL
    SELECT 'trip_events', count(*), count(*) - count(DISTINCT (t.event_is_trip, t.lane, t.event_offset, t.event_part))
    FROM trip_events t WHERE t.computed_at >= from_time AND t.computed_at < to_time
    UNION ALL
    SELECT 'eta_history', count(*),
        count(*) - count(DISTINCT (e.event_is_trip, e.lane, e.event_offset, e.event_part, e.stop_index))
    FROM eta_history e WHERE e.computed_at >= from_time AND e.computed_at < to_time
$$;
COMMENT ON FUNCTION history_duplicates(timestamptz, timestamptz) IS
    'Proof of exactly once: how many rows of a period tell of an event that another row tells of already (always 0).';
