-- A trip that the trip service never told of is found by the fixes that name it, and a position whose heading or speed the
-- filter does not know has those of the device.

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
    'The drivers whose judged fixes, received in the period (by default the last 24 hours), name a trip; most fixes first. Reads all fixes of the period.';

DROP FUNCTION trip_points(text, boolean);
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
        -- The end with the driver before may be told after the beginning with the next one.
        SELECT l.driver_id FROM trip_events l WHERE l.trip_id = trip
        ORDER BY l.state = 'CANCELLED', l.computed_at DESC, l.event_offset DESC LIMIT 1)
    GROUP BY e.driver_id;
    IF span.started IS NOT NULL THEN
        RETURN QUERY
        SELECT h.fixed_at, h.latitude, h.longitude, coalesce(h.heading, h.raw_heading),
            coalesce(h.speed_mps, h.raw_speed_mps), h.accuracy_meters
        FROM location_history h
        WHERE h.driver_id = span.driver AND h.latitude IS NOT NULL
            AND h.fixed_at >= span.started AND h.fixed_at <= span.ended
            AND h.received_at >= span.started - interval '10 minutes'
            AND (h.trip_id = trip OR h.trip_id IS NULL)
        ORDER BY h.fixed_at, h.event_offset, h.event_part;
    ELSIF span.driver IS NULL AND NOT driving_only THEN
        SELECT d.driver_id INTO by_fixes FROM trip_drivers_by_fixes(trip, from_time, to_time) d LIMIT 1;
        RETURN QUERY
        SELECT h.fixed_at, h.latitude, h.longitude, coalesce(h.heading, h.raw_heading),
            coalesce(h.speed_mps, h.raw_speed_mps), h.accuracy_meters
        FROM location_history h
        WHERE h.driver_id = by_fixes AND h.trip_id = trip AND h.latitude IS NOT NULL
            AND h.received_at >= coalesce(from_time, now() - interval '24 hours')
            AND h.received_at < coalesce(to_time, 'infinity')
        ORDER BY h.fixed_at, h.event_offset, h.event_part;
    END IF;
END
$$;
COMMENT ON FUNCTION trip_points(text, boolean, timestamptz, timestamptz) IS
    'The judged positions of a trip''s driver during it, from its first event to its end or only while in progress. Of a trip without a record: of the driver with the most fixes that name it, received in the period (by default the last 24 hours).';

DROP FUNCTION trip_path(text);
CREATE FUNCTION trip_path(
    trip text, from_time timestamptz DEFAULT NULL, to_time timestamptz DEFAULT NULL
) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN count(*) >= 2 THEN jsonb_build_object('type', 'LineString', 'coordinates', jsonb_agg(
        jsonb_build_array(round(p.longitude::numeric, 7), round(p.latitude::numeric, 7)) ORDER BY p.fixed_at)) END
    FROM trip_points(trip, false, from_time, to_time) p
$$;
COMMENT ON FUNCTION trip_path(text, timestamptz, timestamptz) IS
    'The way a trip took, as a GeoJSON LineString; null with fewer than two positions. A trip without a record is searched among the fixes of the period (by default the last 24 hours).';

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
    before_it record;
    after_it record;
    share double precision := 0;
    eastward double precision;
BEGIN
    SELECT h.* INTO before_it FROM location_history h
    WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at <= at_time
        AND h.fixed_at > at_time - lookback AND h.received_at >= at_time - lookback - interval '10 minutes'
    ORDER BY h.fixed_at DESC LIMIT 1;
    IF before_it.driver_id IS NULL THEN
        RETURN;
    END IF;
    SELECT h.* INTO after_it FROM location_history h
    WHERE h.driver_id = driver AND h.latitude IS NOT NULL AND h.fixed_at > at_time
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
    heading := coalesce(before_it.heading, before_it.raw_heading);
    speed_mps := coalesce(before_it.speed_mps, before_it.raw_speed_mps);
    accuracy_meters := before_it.accuracy_meters;
    fixed_at := before_it.fixed_at;
    age_seconds := extract(epoch FROM at_time - before_it.fixed_at);
    is_interpolated := share > 0;
    trip_id := before_it.trip_id;
    RETURN NEXT;
END
$$;
